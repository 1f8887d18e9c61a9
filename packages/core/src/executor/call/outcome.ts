import { text, type ContentBlock } from "../../contract/content-block.ts";
import type {
  CompletedOutcome,
  FailedOutcome,
  ToolOutcome,
  ToolOutput,
  ToolResult,
} from "../../contract/tool-result.ts";
import type { JsonValue } from "../../json/json.ts";
import { wellFormed, truncateUtf8 } from "../../text/utf8.ts";
import { ToolError } from "../../contract/tool-error.ts";
import { CallState, type CallServices } from "./call-state.ts";
import { framedContent } from "./framed-content.ts";
import type { Interruption } from "../../contract/interruption.ts";
import { toToolError } from "./to-tool-error.ts";
import type { RunState } from "./run-state.ts";

/** Stage 11 of a call that ran: creates its result and emits `tool.completed`. */
export function completion(execution: CallState, output: ToolOutput): ToolOutcome {
  const isError = output.isError === true;
  const stored = execution.storedOutcome as CompletedOutcome | undefined;
  const result = stored === undefined ? createResult(execution, output, isError) : stored.result;
  // The outcome is complete before its event is emitted: reading the output's last field may throw.
  const outcome: ToolOutcome = isError
    ? { status: "completed", ok: false, result, error: toError(output) }
    : { status: "completed", ok: true, result };
  execution.enter("ended");
  execution.engine.events.completed(execution, result, outcome.error);
  return outcome;
}

/** The outcome of a call that ran, before its end. A function of its own costs other calls one more. */
export function toCompleted(execution: CallState, output: ToolOutput): CompletedOutcome {
  const isError = output.isError === true;
  const result = createResult(execution, output, isError);
  return isError
    ? { status: "completed", ok: false, result, error: toError(output) }
    : { status: "completed", ok: true, result };
}

function toError(output: ToolOutput): ToolError {
  const { error } = output;
  // A value that an upstream put under `error` is data, not an error of the executor.
  return ToolError.is(error) ? error : new ToolError("execution_failed", firstText(output));
}

/** Stage 11 of a call that was refused, threw, timed out or was cancelled: creates its result and emits its end. */
export function failure(execution: CallState, error: ToolError): FailedOutcome {
  const outcome = toFailed(execution, error);
  return endFailed(execution, outcome);
}

/** The outcome of a call that failed, before its end. */
export function toFailed(execution: CallState, error: ToolError): FailedOutcome {
  const content = readable(execution, wellFormed(error.message));
  return { status: "failed", ok: false, result: createResult(execution, { content }, true), error };
}

/** Ends a call that failed, and emits its end. */
export function endFailed(execution: CallState, outcome: FailedOutcome): FailedOutcome {
  const { result, error } = outcome;
  execution.enter("ended");
  const { events } = execution.engine;
  const { code } = error;
  if (events.active) {
    // The following lines contain the arguments.
    const isPayload = code === "invalid_arguments" && !events.payloads;
    const message = isPayload ? (error.message.split("\n", 1)[0] as string) : error.message;
    events.emitCall(
      execution,
      execution.attempt === 0
        ? { type: "tool.rejected", code, message }
        : {
            type: "tool.failed",
            attempt: execution.attempt,
            durationMs: result.durationMs,
            code,
            message,
          },
      result.timestamp,
    );
  }
  return outcome;
}

/** The error message for the model. Once the tool has started, its text may come from outside, so it is framed. */
function readable(execution: CallState, message: string): readonly ContentBlock[] {
  const content = [text(truncateUtf8(message, execution.engine.maxOutputBytes))];
  return execution.attempt === 0 ? content : framedContent(execution, content);
}

function createResult(execution: CallState, output: ToolOutput, isError: boolean): ToolResult {
  const { call, engine, attempt, startedAt } = execution;
  const { clock, wallClock } = engine;
  const now = clock.now();
  const timestamp = wallClock === clock ? now : wallClock.now();
  const result: { -readonly [K in keyof ToolResult]: ToolResult[K] } = {
    // The admitted id and name, whatever the output contains.
    callId: call.id,
    toolName: call.name,
    content: output.content,
    artifacts: output.artifacts ?? noArtifacts,
    isError,
    durationMs: attempt === 0 ? 0 : Math.max(0, now - startedAt),
    timestamp,
    // Most results have a value. Adding the member later costs an allocation; deleting the last member does not.
    value: output.value as JsonValue,
  };
  if (output.value === undefined) delete result.value;
  if (output.details !== undefined) result.details = output.details;
  if (output.childRunId !== undefined) result.childRunId = output.childRunId;
  if (output.provider !== undefined) result.provider = output.provider;
  return result;
}

const noArtifacts: readonly never[] = Object.freeze([]);

function firstText({ content }: ToolOutput): string {
  const block = content.find(({ type }) => type === "text");
  return block?.type === "text" ? block.text.slice(0, 500) : "The tool answered with an error.";
}

/** Ends a call that cannot be resumed. Only its error is certain: the interruption may have been made up. */
export function refuse(
  engine: CallServices,
  { id, call, runId }: Interruption,
  error: unknown,
  run?: RunState,
  parent?: CallState,
): ToolOutcome {
  const own = run ?? engine.executor.startRun({ id: typeof runId === "string" ? runId : "" });
  const execution = new CallState(engine, own, call, own.toolset, [], undefined, parent);
  const failed = toToolError(execution, error);
  engine.audit?.unusable(execution, id, failed);
  return failure(execution, failed);
}

/** Runs a call that ends when `signal` fires. The listener is removed when the call has ended. */
export async function abortWith<Outcome extends ToolOutcome | undefined>(
  signal: AbortSignal | undefined,
  execution: CallState,
  go: (execution: CallState) => Promise<Outcome>,
): Promise<Outcome> {
  if (signal === undefined) return go(execution);
  const cancel = (): void =>
    execution.stopWaiting(new ToolError("cancelled", "The call was cancelled."));
  if (signal.aborted) cancel();
  else signal.addEventListener("abort", cancel, { once: true });
  try {
    return await go(execution);
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}
