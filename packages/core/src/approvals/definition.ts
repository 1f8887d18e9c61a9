import { canonicalJson } from "../json/canonical-json.ts";
import type { JsonObject } from "../json/json.ts";
import { displayProse } from "../contract/display-text.ts";
import type { ToolSpec } from "../contract/tool-spec.ts";
import type { Grant } from "../contract/grant.ts";
import { describeChange, memberChanges } from "./member-changes.ts";

const maxListed = 3;

/** The definition of a tool that a person sees when approving its calls, as data. */
export function toolDefinition({
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
