import { truncateUtf8 } from "../../text/truncate-utf8.ts";
import { toToolError } from "../call/to-tool-error.ts";
import type { CallState } from "../call/call-state.ts";
import { text } from "../../contract/content-block.ts";
import type { CompletedOutcome, FailedOutcome, ToolResult } from "../../contract/tool-result.ts";
import { ToolError } from "../../contract/tool-error.ts";

/** The result that a caller gets for a call that runs as a task. */
export function taskHandle(execution: CallState, taskId: string): CompletedOutcome {
  const { name } = execution.call;
  const words = `${name} goes on as task ${taskId}; its result is not here yet. Ask with task_result (wait_seconds: up to 60 waits for it) or task_status; task_cancel stops it. Do not call ${name} again for the same.`;
  const value = { taskId, status: "working" };
  return { status: "completed", result: { ...textResult(execution, words, false), value, taskId } };
}

/** The outcome of a task that was stopped before it started or resumed. */
export function stoppedOutcome(execution: CallState): FailedOutcome {
  const error = toToolError(execution, new ToolError("cancelled", "The call was cancelled."));
  return { status: "failed", result: textResult(execution, error.message, true), error };
}

function textResult({ call, engine }: CallState, words: string, isError: boolean): ToolResult {
  return {
    callId: call.id,
    toolName: call.name,
    content: [text(truncateUtf8(words, engine.maxOutputBytes))],
    artifacts: [],
    isError,
    durationMs: 0,
    timestamp: engine.wallClock.now(),
  };
}
