import type { Tool } from "@toolweave/core";
import { messageOf } from "../contract/finding.ts";
import type { Fault } from "./check-each.ts";
import { isObject } from "../schema/subschemas.ts";

type Test = (value: unknown) => boolean;

const isFunction: Test = (value) => typeof value === "function";

const parts: Readonly<Record<string, Test>> = {
  invoke: isFunction,
  validate: (value) => value === undefined || isFunction(value),
  preflight: (value) => value === undefined || isFunction(value),
  argumentsSchema: (value) => value === undefined || isObject(value),
  fingerprint: (value) => value === undefined || (typeof value === "string" && value !== ""),
  outputValidation: (value) => value === undefined || value === "error" || value === "warning",
  availability: (value) => value === undefined || isAvailability(value),
};

/** The first part of a tool, apart from its spec, that cannot be read or is not what it is called. */
export function partFault(tool: Tool): Fault | undefined {
  for (const [part, fits] of Object.entries(parts)) {
    let value: unknown;
    try {
      value = (tool as unknown as Record<string, unknown>)[part];
    } catch (error) {
      return { wrong: `throws when its ${part} is read`, seen: messageOf(error) };
    }
    if (!fits(value)) {
      const seen = { [part]: typeof value === "object" ? value : String(value) };
      return { wrong: `has something else for its ${part}`, seen };
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
