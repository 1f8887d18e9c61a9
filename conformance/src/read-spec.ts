import type { Tool, ToolSpec } from "@toolweave/core";
import { messageOf } from "./finding.ts";
import { jsonDefect, type JsonDefect } from "./json-defect.ts";

/** What could be read of a tool's spec. */
export interface ReadTool {
  readonly tool: Tool;
  /** Its name, "" when it has none. */
  readonly name: string;
  /** The tool in a sentence: its name where it has one, else its place in the list. */
  readonly label: string;
  /** The field that threw when it was read, and what. */
  readonly unreadable?: { readonly field: string; readonly error: string };
  /** What is not JSON in it. */
  readonly defect?: JsonDefect;
  /** A copy as data; absent when the spec could not be read or is not JSON data. */
  readonly spec?: ToolSpec;
}

// Fields that a class gives by prototype are no keys of the object: they are asked for by name.
const specFields = [
  "name",
  "title",
  "description",
  "inputSchema",
  "outputSchema",
  "annotations",
  "injected",
  "timeoutMs",
  "retry",
  "execution",
  "provenance",
  "metadata",
];

/** Reads every field of a spec once; what throws or is not data is noted, never thrown. */
export function readSpec(tool: Tool, index: number): ReadTool {
  const fields: Record<string, unknown> = {};
  const known = (): Pick<ReadTool, "tool" | "name" | "label"> => {
    const { name } = fields;
    if (typeof name !== "string") return { tool, name: "", label: `tool ${index}` };
    return { tool, name, label: `"${name}"` };
  };
  let field = "spec";
  try {
    const spec = tool.spec as unknown as Record<string, unknown>;
    for (field of new Set([...specFields, ...Object.keys(spec)])) {
      const value = spec[field];
      if (value !== undefined) fields[field] = value;
    }
  } catch (error) {
    return { ...known(), unreadable: { field, error: messageOf(error) } };
  }
  const defect = jsonDefect(fields) ?? roundTripDefect(tool, fields);
  if (defect !== undefined) return { ...known(), defect };
  return { ...known(), spec: fields as unknown as ToolSpec };
}

function roundTripDefect(
  tool: Tool,
  fields: Readonly<Record<string, unknown>>,
): JsonDefect | undefined {
  const back = JSON.parse(JSON.stringify(tool.spec)) as Record<string, unknown>;
  const lost = Object.keys(fields).find(
    (field) => JSON.stringify(back[field]) !== JSON.stringify(fields[field]),
  );
  if (lost === undefined) return undefined;
  return { path: `/${lost}`, what: "something that JSON.stringify leaves out" };
}
