import type { Interruption } from "../../contract/interruption.ts";
import { cloneJson } from "../../json/clone-json.ts";
import type { JsonObject } from "../../json/json.ts";
import type { ToolCall } from "../../contract/tool-call.ts";

/**
 * Returns the call with an id and a name that are strings. A call that a framework has parsed may be any value; without
 * a name it is a call of a tool that does not exist.
 */
export function readCall(call: ToolCall): ToolCall {
  const isCall = isObject(call) && typeof call.id === "string" && typeof call.name === "string";
  return isCall ? call : repaired(call);
}

function repaired(call: unknown): ToolCall {
  const given: Partial<ToolCall> = isObject(call) ? call : {};
  return {
    id: toText(given.id),
    name: toText(given.name),
    arguments: given.arguments as JsonObject,
  };
}

/** Copies a call, so that its members are read once. If it cannot be read, the copy has no name. */
export function readOnce(call: ToolCall): ToolCall {
  try {
    const { id, name, arguments: args, metadata } = call;
    return { id, name, arguments: args, ...(metadata === undefined ? {} : { metadata }) };
  } catch {
    return { id: "", name: "", arguments: {} };
  }
}

/** Copies what was passed as an interruption: it may come from outside, and be any value. */
export function readInterruption(interruption: Interruption): Interruption {
  try {
    // The sealed state is several times as long as the arguments that are in it; a text costs no time.
    const { state, ...displayed } = interruption;
    const copy = cloneJson(displayed);
    return {
      ...copy,
      call: readCall(copy.call),
      ...(typeof state === "string" ? { state } : {}),
    } as Interruption;
  } catch {
    return { call: readCall(undefined as never) } as Interruption;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : typeof value === "number" ? `${value}` : "";
}

/** The tool's name in a value that should be a call. A value that is not a call is refused when it is resolved. */
export function requestedName(call: unknown): string {
  try {
    return String((call as { readonly name?: unknown }).name);
  } catch {
    return "";
  }
}
