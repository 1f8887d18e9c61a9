import type { RunInfo } from "../contract/call-info.ts";
import type { ToolSpec } from "../contract/tool-spec.ts";
import type { Grant, GrantChoice, GrantProposal } from "../contract/grant.ts";
import { canonicalJson } from "../json/canonical-json.ts";
import { isObject, type JsonObject, type JsonValue } from "../json/json.ts";
import { displayProse } from "../contract/display-text.ts";

/** Maximum characters of a definition that is stored with a grant. */
const maxDefinitionLength = 20_000;

/** Creates the grant that a person has given for a proposal: as displayed, and wider only if the person chose so. */
export function newGrant(
  { argumentsHash, ...proposal }: GrantProposal,
  choice: GrantChoice,
  run: Pick<RunInfo, "id" | "sessionId">,
  by: string | undefined,
  now: number,
  spec: ToolSpec,
): Grant {
  const { scope, widened } =
    typeof choice === "string"
      ? { scope: choice, widened: false }
      : { scope: choice.scope, widened: choice.arguments === "any" };
  const definition = toolDefinition(spec);
  return {
    id: crypto.randomUUID(),
    scope,
    ...proposal,
    ...(widened || argumentsHash === undefined ? {} : { argumentsHash }),
    ...(scope === "session" ? { session: run.sessionId ?? run.id } : {}),
    ...(by === undefined ? {} : { by }),
    grantedAt: now,
    ...(JSON.stringify(definition).length > maxDefinitionLength ? {} : { definition }),
  };
}

/** True for a valid choice of a grant. A value from outside may be anything. */
export function isGrantChoice(choice: unknown): choice is GrantChoice {
  if (isScope(choice)) return true;
  if (typeof choice !== "object" || choice === null) return false;
  const { scope, arguments: args } = choice as { scope?: unknown; arguments?: unknown };
  return isScope(scope) && args === "any";
}

function isScope(scope: unknown): scope is "session" | "always" {
  return scope === "session" || scope === "always";
}

const maxListed = 3;

/** The definition of a tool that a person sees when approving its calls, as data. */
function toolDefinition({
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
}: ToolSpec): JsonObject {
  const members = { title, description, inputSchema, outputSchema, annotations };
  return JSON.parse(canonicalJson(members)) as JsonObject;
}

/** Maximum characters of a description that is displayed with a request. */
const maxDescription = 1000;

/** The description of a tool for an approval: one line; `undefined` where it is empty. */
export function displayedDescription({ description }: ToolSpec): string | undefined {
  const line = displayProse(description, maxDescription);
  return line === "" ? undefined : line;
}

/** Explains why a call is asked about again although a grant exists, with the changes of the tool since then. */
export function changedSince({ definition, by = "a person" }: Grant, spec: ToolSpec): string {
  const changes = definition === undefined ? [] : memberChanges(definition, toolDefinition(spec));
  const listed = changes.slice(0, maxListed).map(describeChange);
  if (changes.length > maxListed) listed.push(`and ${changes.length - maxListed} more`);
  const how = listed.length === 0 ? "." : `: ${listed.join("; ")}`;
  return `The tool has changed since ${by} agreed to such calls${how}`;
}

/** A change of one member of a tool. */
export interface MemberChange {
  /** `description`, or a JSON pointer below a member: `inputSchema/properties/path/type`. */
  readonly member: string;
  /** As text, at most 200 characters of it; absent: the member is new, or `beforeUnknown`. */
  readonly before?: string;
  /** Absent: the member was removed. */
  readonly after?: string;
  /** The earlier value was another one, of which only a digest was stored. Default: false. */
  readonly beforeUnknown?: true;
}

const maxChanges = 20;
const maxTextLength = 200;

/** Compares two versions of a tool's definition: the first 20 differences. */
export function memberChanges(before: JsonObject, after: JsonObject): MemberChange[] {
  const changes: MemberChange[] = [];
  compare(before, after, "", changes);
  return changes;
}

/** Formats a change as one line: `description: "Reads a file." → "Reads a file, and sends it."`. */
export function describeChange({ member, before, after, beforeUnknown }: MemberChange): string {
  if (beforeUnknown) return after === undefined ? `${member} is gone` : `${member} is now ${after}`;
  if (before === undefined) return `${member} is new: ${after}`;
  if (after === undefined) return `${member} is gone: ${before}`;
  return `${member}: ${before} → ${after}${unlikeness(before, after)}`;
}

/** Adds code points where texts first differ in a character that may look like another one, or be invisible. */
function unlikeness(before: string, after: string): string {
  const [was, is] = [[...before], [...after]];
  const at = was.findIndex((character, index) => character !== is[index]);
  const pair = [was, is].map((characters) =>
    at < characters.length - 1 ? (characters[at] ?? "") : "",
  );
  if (pair.every((character) => /^[ -~]?$/.test(character))) return "";
  return ` (where they begin to differ: ${pair.map(formatCodePoint).join(" → ")})`;
}

function formatCodePoint(character: string): string {
  const point = character.codePointAt(0);
  if (point === undefined) return "the end";
  return `U+${point.toString(16).toUpperCase().padStart(4, "0")}`;
}

function compare(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  member: string,
  changes: MemberChange[],
): void {
  if (changes.length >= maxChanges || canonicalJson(before) === canonicalJson(after)) return;
  if (isObject(before) && isObject(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)].sort())) {
      const [was, is] = [own(before, key), own(after, key)];
      compare(was, is, member === "" ? key : `${member}/${key.slice(0, 80)}`, changes);
    }
    return;
  }
  const [from, to] = displayChange(before, after);
  changes.push({
    member,
    ...(before === undefined ? {} : { before: from }),
    ...(after === undefined ? {} : { after: to }),
  });
}

/** Cuts long texts to a part that begins just before the first difference. */
function displayChange(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): [string, string] {
  const [a, b] = [JSON.stringify(before ?? null), JSON.stringify(after ?? null)];
  if (a.length <= maxTextLength && b.length <= maxTextLength) return [a, b];
  let same = 0;
  while (same < a.length && a[same] === b[same]) same++;
  const start = Math.max(0, same - 40);
  const part = (text: string): string =>
    (start === 0 ? "" : "…") +
    text.slice(start, start + maxTextLength) +
    (text.length > start + maxTextLength ? "…" : "");
  return before === undefined || after === undefined
    ? [a.slice(0, maxTextLength), b.slice(0, maxTextLength)]
    : [part(a), part(b)];
}

function own(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
