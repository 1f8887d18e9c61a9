import { builtInSource } from "../../contract/tool-names.ts";
import { parseLossless } from "../../json/exact-number.ts";
import type { Toolset } from "../../contract/tool.ts";
import { isObject, type JsonObject } from "../../json/json.ts";
import type { ToolCall } from "../../contract/tool-call.ts";

/**
 * Unwraps a `call_tool` into the call that it contains, under its id: policy, limits, events and approvals see only
 * that call. Any other call is returned as it is, and so is a `call_tool` that is not well-formed: its own validation
 * describes the error. The inner call is not unwrapped again.
 */
export function unwrapCallTool(call: ToolCall, toolset: Toolset): ToolCall {
  return toolset.searchable === undefined || call.name !== "call_tool"
    ? call
    : unwrapBuiltIn(call, toolset);
}

function unwrapBuiltIn(call: ToolCall, toolset: Toolset): ToolCall {
  if (toolset.entry("call_tool")?.source !== builtInSource) return call;
  try {
    return unwrapped(call) ?? call;
  } catch {
    return call;
  }
}

function unwrapped({ id, arguments: sent, metadata }: ToolCall): ToolCall | undefined {
  const envelope: unknown = typeof sent === "string" ? parseLossless(sent) : sent;
  if (!isObject(envelope)) return undefined;
  const { name, arguments: args = {}, ...rest } = envelope as Record<string, unknown>;
  if (typeof name !== "string" || name === "" || name === "call_tool") return undefined;
  if (Object.keys(rest).length > 0 || !(typeof args === "string" || isObject(args))) {
    return undefined;
  }
  const call = { id, name, arguments: args as string | JsonObject };
  return metadata === undefined ? call : { ...call, metadata };
}
