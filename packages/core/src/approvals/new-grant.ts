import type { RunInfo } from "../contract/call-info.ts";
import type { ToolSpec } from "../contract/tool-spec.ts";
import type { Grant, GrantChoice, GrantProposal } from "../contract/grant.ts";
import { canonicalJson } from "../json/canonical-json.ts";
import type { JsonObject } from "../json/json.ts";
import { displayProse } from "../contract/display-text.ts";
import { describeChange, memberChanges } from "./member-changes.ts";

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
