import type { JsonObject, Tool, ToolSpec } from "@toolweave/core";
import { messageOf } from "../contract/finding.ts";
import { isObject } from "../schema/subschemas.ts";
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

/** A record of all of them, so that none is forgotten. */
const specFields: Record<keyof ToolSpec, true> = {
  name: true,
  title: true,
  description: true,
  inputSchema: true,
  outputSchema: true,
  annotations: true,
  injected: true,
  timeoutMs: true,
  retry: true,
  execution: true,
  outputLimit: true,
  provenance: true,
  metadata: true,
};

/** True for a field of `ToolSpec`. */
export function isSpecField(name: string): name is keyof ToolSpec {
  return Object.hasOwn(specFields, name);
}

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
    // Fields that a class gives by prototype are no keys of the object: they are asked for by name.
    for (field of new Set([...Object.keys(specFields), ...Object.keys(spec)])) {
      const value = spec[field];
      if (value !== undefined) fields[field] = value;
    }
  } catch (error) {
    return { ...known(), unreadable: { field, error: messageOf(error) } };
  }
  try {
    const defect = jsonDefect(fields) ?? roundTripDefect(tool, fields);
    if (defect !== undefined) return { ...known(), defect };
  } catch (error) {
    // It nests without end, or throws further in.
    return { ...known(), unreadable: { field: "spec", error: messageOf(error) } };
  }
  return { ...known(), spec: fields as unknown as ToolSpec };
}

function roundTripDefect(
  tool: Tool,
  fields: Readonly<Record<string, unknown>>,
): JsonDefect | undefined {
  const { spec } = tool;
  const own = Object.keys(spec).filter((field) => fields[field] !== undefined);
  // What is its own, and data all the way down, comes back as it was. To write and read it takes
  // seconds where schemas are large.
  if (own.length === Object.keys(fields).length && !("toJSON" in spec)) return undefined;
  const read: unknown = JSON.parse(JSON.stringify(spec) ?? "null");
  const back: JsonObject = isObject(read) ? read : {};
  const lost = Object.keys(fields).find(
    (field) =>
      JSON.stringify(back[field]) !== JSON.stringify(fields[field]) &&
      isSteady(tool, field, fields),
  );
  if (lost === undefined) return undefined;
  return { path: `/${lost}`, what: "something that JSON.stringify leaves out" };
}

/** False for what says something else each time it is read: that is TW-DET-002. */
function isSteady(
  { spec }: Tool,
  field: string,
  fields: Readonly<Record<string, unknown>>,
): boolean {
  const again = (spec as unknown as Record<string, unknown>)[field];
  return JSON.stringify(again) === JSON.stringify(fields[field]);
}
