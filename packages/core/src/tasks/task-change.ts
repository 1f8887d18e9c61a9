import { truncateUtf8 } from "../text/truncate-utf8.ts";
import { toJson } from "../json/to-json.ts";
import { cloneJson } from "../json/clone-json.ts";
import type { CallInfo } from "../contract/call-info.ts";
import { text } from "../contract/content-block.ts";
import type { ToolOutcome, ToolResult } from "../contract/tool-result.ts";
import { errorCodes, type ToolErrorCode } from "../contract/tool-error.ts";
import type { TaskChange } from "./task-store.ts";

/** Maximum bytes of an error's message. */
const maxMessageBytes = 4000;

/**
 * Converts the outcome of a call to a change of its task: plain data, with only the part of an error that a model may
 * see.
 */
export function changeBy(
  execution: CallInfo,
  outcome: ToolOutcome,
): Omit<TaskChange, "updatedAt" | "expiresAt"> {
  if (outcome.status === "interrupted") {
    return { status: "input_required", interruptionId: outcome.interruption.id };
  }
  const result = plainResult(execution, outcome.result);
  if (!result.isError) return { status: "completed", result };
  const error = read(outcome.error);
  if (outcome.status === "completed") return { status: "completed", result, error };
  return { status: error.code === "cancelled" ? "cancelled" : "failed", result, error };
}

/** A result from the host may not be JSON. */
function plainResult({ call }: CallInfo, result: ToolResult): ToolResult {
  try {
    return cloneJson(toJson(result)) as unknown as ToolResult;
  } catch {
    const { callId, toolName, durationMs, timestamp } = result;
    const content = [text(`${call.name} did run, but its result cannot be kept.`)];
    return { callId, toolName, content, artifacts: [], isError: true, durationMs, timestamp };
  }
}

/** Code and message, which contain no secret. A value that only looks like an error may throw when it is read. */
function read(error: unknown): NonNullable<TaskChange["error"]> {
  try {
    const { code, message } = error as { readonly code: ToolErrorCode; readonly message: string };
    if (Object.hasOwn(errorCodes, code))
      return { code, message: truncateUtf8(message, maxMessageBytes) };
  } catch {
    // The value cannot be read.
  }
  return { code: "execution_failed", message: "It failed: no reason could be read." };
}
