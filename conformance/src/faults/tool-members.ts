import type { JsonObject, Tool } from "@toolweave/core";
import { formatError } from "../contract/finding.ts";
import type { Fault } from "./check-each.ts";
import { isObject } from "../schema/subschemas.ts";

type Test = (value: unknown) => boolean;

const isFunction: Test = (value) => typeof value === "function";

const memberTests: Readonly<Record<string, Test>> = {
  invoke: isFunction,
  validate: (value) => value === undefined || isFunction(value),
  preflight: (value) => value === undefined || isFunction(value),
  argumentsSchema: (value) => value === undefined || isObject(value),
  fingerprint: (value) => value === undefined || (typeof value === "string" && value !== ""),
  outputValidation: (value) => value === undefined || value === "error" || value === "warning",
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
