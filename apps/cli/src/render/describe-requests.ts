import type {
  GrantChoice,
  GrantProposal,
  InterruptionRequest,
  JsonValue,
  ToolCall,
} from "@toolweave/core";
import { formatRemedy, type ToolPlaces } from "./remedy.ts";
import { safeJson, safeLine, safeValue } from "./text.ts";

const maxLength = 4_000;

/** Describes for a person what a call is about to do or waits for: a line for each request, its reason, the arguments. */
export function describeRequests(
  requests: readonly InterruptionRequest[],
  args: ToolCall["arguments"],
  places?: ToolPlaces,
): string {
  const lines = [
    ...requests.flatMap((request) => requestLines(request, places)),
    // Several requests for one tool share one description.
    ...new Set(requests.flatMap(descriptionLines)),
  ];
  // The host is handed the arguments with the request for a result.
  if (!requests.every(({ type }) => type === "result")) lines.push(argumentsLine(args));
  // Each line is of safe values; the lines of an own layout are those of JSON alone.
  return lines.map((line) => `  ${line.replaceAll("\n", "\n  ")}\n`).join("");
}

/** One request in one line. */
export function describeRequest(request: InterruptionRequest): string {
  switch (request.type) {
    case "approval": {
      const { kind, target, summary } = request.permission;
      // A request's target is its method and URL: the clearest description.
      return kind === "network"
        ? safeValue(target)
        : `${safeLine(summary)} (${safeValue(kind)}: ${safeValue(target)})`;
    }
    case "auth":
      return `sign in (${safeValue(request.credential)}): ${safeLine(request.message)}`;
    case "input":
      return `input: ${safeLine(request.message)}`;
    case "result":
      return "a result from the program that runs the tool";
  }
}

function requestLines(request: InterruptionRequest, places?: ToolPlaces): string[] {
  const lines = [describeRequest(request)];
  switch (request.type) {
    case "approval":
      lines.push(safeLine(request.reason));
      if (request.remedy !== undefined) {
        lines.push(`to change this: ${formatRemedy(request.remedy, request.permission, places)}`);
      }
      if (request.permission.details !== undefined) {
        lines.push(...detailLines(request.permission.details));
      }
      if (request.call !== undefined) {
        lines.push(
          `for its call of ${safeValue(request.call.name)} with ${argumentsLine(request.call.arguments)}`,
        );
      }
      break;
    case "auth":
      if (request.url !== undefined) lines.push(`at ${safeValue(request.url)}`);
      if (request.userCode !== undefined) {
        lines.push(`with the code ${safeValue(request.userCode)}`);
      }
      break;
    case "input":
      if (request.schema !== undefined) {
        lines.push(`as ${safeJson(JSON.stringify(request.schema))}`);
      }
      break;
    case "result":
      lines.push(argumentsLine(request.arguments));
  }
  return lines;
}

/** The facts about a permission: those of a command in words, all others as JSON. */
function detailLines(details: JsonValue): string[] {
  if (!isCommandDetails(details)) return [`details ${safeJson(JSON.stringify(details))}`];
  const { risk, place, sandbox, commands = [] } = details;
  const facts = [
    ...(risk === undefined ? [] : [`risk ${safeLine(risk)}`]),
    ...(place === undefined ? [] : [places.get(place) ?? safeLine(place)]),
    `sandbox ${safeLine(sandbox)}`,
  ];
  return [facts.join(", "), ...commands.map((command) => `contains ${safeLine(command)}`)];
}

const places: ReadonlyMap<string, string> = new Map([
  ["inside", "inside the workspace"],
  ["outside", "outside of the workspace"],
  ["unknown", "in an unknown folder"],
]);

/** The details that the tools of a workspace give. */
interface CommandDetails {
  readonly sandbox: string;
  readonly risk?: string;
  readonly place?: string;
  /** The commands of a script that is not fully understood. */
  readonly commands?: readonly string[];
}

function isCommandDetails(details: JsonValue): details is JsonValue & CommandDetails {
  if (typeof details !== "object" || details === null || Array.isArray(details)) return false;
  const { sandbox, risk, place, commands } = details as Readonly<Record<string, unknown>>;
  const isText = (value: unknown): boolean => value === undefined || typeof value === "string";
  return (
    typeof sandbox === "string" &&
    isText(risk) &&
    isText(place) &&
    (commands === undefined || (Array.isArray(commands) && commands.every(isText)))
  );
}

/** The tool's description by its source. It is quoted, so that it does not look like text of the command. */
function descriptionLines(request: InterruptionRequest): string[] {
  if (request.type !== "approval" || request.description === undefined) return [];
  return [`description from the source: “${safeLine(request.description)}”`];
}

/** Truncates a long text and names the command that prints all of it. */
export function truncateText(text: string, showCommand: string): string {
  const rest = text.length - maxLength;
  if (rest <= 0) return text.trimEnd();
  return `${text.slice(0, maxLength)}…\n  (${rest} more characters: ${showCommand})`;
}

function argumentsLine(args: ToolCall["arguments"]): string {
  return `arguments ${safeJson(JSON.stringify(args, null, 2))}`;
}

/** All that would be saved of a yes for good, for the person who decides. */
export function describeProposals(
  proposals: readonly GrantProposal[],
  choice: GrantChoice,
): string {
  const lines = proposals.map(
    (proposal) => `  ${safeValue(proposal.tool)}: ${describeGrant(proposal, choice)}`,
  );
  return [
    "A grant will be saved, so that no approval is needed for calls of",
    ...lines,
    "  as long as the tool is described as it is now, and until it is revoked.",
    "",
  ].join("\n");
}

/** Describes a grant in one line. */
export function describeGrant(
  { permission: { kind, target }, argumentsHash, caller }: GrantProposal,
  choice: GrantChoice,
): string {
  const isAny = argumentsHash === undefined || typeof choice === "object";
  const masked = isAny && target.includes("[redacted]") ? ", [redacted] being any value," : "";
  return [
    kind === "network" ? safeValue(target) : `${safeValue(kind)}: ${safeValue(target)}`,
    isAny ? `${anyArguments(kind)}${masked}` : "with these arguments",
    ...(caller === undefined ? [] : [`for ${safeValue(caller.id)}`]),
  ].join(" ");
}

/** Describes what a grant for any arguments leaves open: an address is bound with its query, the rest of a request is not. */
function anyArguments(kind: string): string {
  return kind === "network"
    ? "with any arguments that come to this method, URL and query"
    : "with any arguments";
}
