import { isObject } from "@toolweave/core/adapter";
import type { JsonObject, Tool, ToolSpec } from "@toolweave/core";
import { formatError, type Fault } from "../contract/finding.ts";
import { findJsonDefect, type JsonDefect } from "./json-defect.ts";

/** The result of reading a tool's spec. */
export interface ReadTool {
  readonly tool: Tool;
  /** The name, "" if there is none. */
  readonly name: string;
  /** The label for messages: the name if there is one, otherwise the index in the list. */
  readonly label: string;
  /** The field that threw an error when it was read. */
  readonly unreadable?: { readonly field: string; readonly error: string };
  /** The first value that is not JSON. */
  readonly defect?: JsonDefect;
  /** A copy of the spec as data; absent if it could not be read or is not JSON data. */
  readonly spec?: ToolSpec;
}

/** All fields of `ToolSpec`; the type ensures that none is missing. */
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
  visibility: true,
  execution: true,
  outputLimit: true,
  provenance: true,
  metadata: true,
};

/** True for a field of `ToolSpec`. */
export function isSpecField(name: string): name is keyof ToolSpec {
  return Object.hasOwn(specFields, name);
}

/**
 * Reads every field of a spec once. Errors and values that are not data are recorded, never thrown.
 */
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
    // Fields that a class defines on its prototype are no keys of the object: they are read by
    // name.
    for (field of new Set([...Object.keys(specFields), ...Object.keys(spec)])) {
      const value = spec[field];
      if (value !== undefined) fields[field] = value;
    }
  } catch (error) {
    return { ...known(), unreadable: { field, error: formatError(error) } };
  }
  try {
    const defect = findJsonDefect(fields) ?? findRoundTripDefect(tool, fields);
    if (defect !== undefined) return { ...known(), defect };
  } catch (error) {
    // It nests without end, or a nested getter throws.
    return { ...known(), unreadable: { field: "spec", error: formatError(error) } };
  }
  return { ...known(), spec: fields as unknown as ToolSpec };
}

function findRoundTripDefect(
  tool: Tool,
  fields: Readonly<Record<string, unknown>>,
): JsonDefect | undefined {
  const { spec } = tool;
  const own = Object.keys(spec).filter((field) => fields[field] !== undefined);
  // Own fields with plain data survive a round trip. Serializing and parsing takes seconds for
  // large schemas.
  if (own.length === Object.keys(fields).length && !("toJSON" in spec)) return undefined;
  const read: unknown = JSON.parse(JSON.stringify(spec) ?? "null");
  const back: JsonObject = isObject(read) ? read : {};
  const lost = Object.keys(fields).find(
    (field) =>
      JSON.stringify(back[field]) !== JSON.stringify(fields[field]) &&
      isUnchanged(tool, field, fields),
  );
  if (lost === undefined) return undefined;
  return { path: `/${lost}`, what: "something that JSON.stringify omits" };
}

/** False for a field that changes each time it is read, which TW-DET-002 reports. */
function isUnchanged(
  { spec }: Tool,
  field: string,
  fields: Readonly<Record<string, unknown>>,
): boolean {
  const again = (spec as unknown as Record<string, unknown>)[field];
  return JSON.stringify(again) === JSON.stringify(fields[field]);
}

type Test = (value: unknown) => boolean;

const isFunction: Test = (value) => typeof value === "function";

const memberTests: Readonly<Record<string, Test>> = {
  invoke: isFunction,
  validate: (value) => value === undefined || isFunction(value),
  preflight: (value) => value === undefined || isFunction(value),
  argumentsSchema: (value) => value === undefined || isObject(value),
  fingerprint: (value) => value === undefined || (typeof value === "string" && value !== ""),
  outputValidation: (value) => value === undefined || value === "error" || value === "warning",
  localTools: (value) => value === undefined || Array.isArray(value),
  availability: (value) => value === undefined || isAvailability(value),
};

/** Finds the first member of a tool, other than its spec, that throws or has the wrong type. */
export function findMemberFault(tool: Tool): Fault | undefined {
  for (const [part, fits] of Object.entries(memberTests)) {
    let value: unknown;
    try {
      value = (tool as unknown as Record<string, unknown>)[part];
    } catch (error) {
      return { wrong: `throws when its ${part} is read`, seen: formatError(error) };
    }
    if (!fits(value)) {
      const seen = { [part]: typeof value === "object" ? value : String(value) };
      return { wrong: `has a ${part} of the wrong type`, seen };
    }
  }
  return undefined;
}

function isAvailability(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { status, reason } = value as { readonly status?: unknown; readonly reason?: unknown };
  if (status === "available") return true;
  return status === "unavailable" && typeof reason === "string" && reason.trim() !== "";
}

/** The schema that the arguments are validated against, if the model receives another one. */
export function separateArgumentsSchema(tool: Tool): JsonObject | undefined {
  try {
    const { argumentsSchema } = tool;
    return isObject(argumentsSchema) && argumentsSchema !== tool.spec.inputSchema
      ? argumentsSchema
      : undefined;
  } catch {
    // TW-LIFE-018 reports a member that cannot be read.
    return undefined;
  }
}
