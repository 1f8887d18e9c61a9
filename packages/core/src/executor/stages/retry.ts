import type { Awaitable } from "../../json/json.ts";
import type { RetryPolicy } from "../../contract/tool-spec.ts";
import { ToolError } from "../../contract/tool-error.ts";
import type { CallState } from "../call/call-state.ts";
import { toToolError } from "../call/to-tool-error.ts";
import { backOff } from "../../contract/retry-policy.ts";
import { releaseSlot } from "./acquire.ts";

/** Whoever asks for a longer wait than this is not waited for. */
const maxWaitMs = 120_000;

/** Stage 8, still: an answer that is an error which may pass is a failed attempt, too. */
export function retryIfTransient(execution: CallState): void {
  const { output } = execution;
  if (output?.isError === true && mayRetry(execution, output.error)) throw output.error;
}

/**
 * True when another attempt may follow on the one that failed: the error may pass, the tool's policy
 * or the host's has attempts left, and the tool may be run twice. The wait before it is planned then.
 * Where the other side asks for a wait that is too long, the call is stopped.
 */
export function mayRetry(execution: CallState, thrown: unknown): boolean {
  if (execution.stopped !== undefined) return false;
  if (execution.backOffMs !== undefined) return true;
  if (!execution.attempting) return false;
  const { attempt, resumption, engine } = execution;
  const policy = policyOf(execution);
  const made = attempt - (resumption?.attempt ?? 1) + 1;
  if (policy === undefined || made >= policy.attempts) return false;
  const error = toToolError(execution, thrown);
  if (error.retryable !== true) return false;
  execution.attempting = false;
  const asked = waitAskedFor(error);
  const delayMs = Math.max(asked, backOff(policy, made + 1));
  const isTooLate = delayMs >= execution.ownTime.endsAt - engine.clock.now();
  if (asked > maxWaitMs || (isTooLate && asked > 0)) {
    execution.stop(tooLong(execution, error, asked));
    return false;
  }
  if (isTooLate) return false;
  execution.backOffMs = delayMs;
  execution.endAttempt(error);
  // What listened to the attempt's signal may have stopped the call.
  if (execution.stopped !== undefined) return execution.ended;
  engine.events.emitCall(execution, { type: "tool.retried", attempt, code: error.code, delayMs });
  return true;
}

/** Between two attempts: the place is free, and time passes. */
export function awaitBackoff(execution: CallState): Awaitable<void> {
  const delayMs = execution.backOffMs ?? 0;
  execution.backOffMs = undefined;
  releaseSlot(execution);
  // Attempts that fail at once must not pile up on the stack.
  if (delayMs === 0) return Promise.resolve();
  return new Promise((resolve) => execution.waitFor(delayMs, resolve));
}

/** The policy that may be followed: a source that is not trusted loosens nothing. */
function policyOf({ engine, entry, tool }: CallState): RetryPolicy | undefined {
  const trusted = entry?.trusted === true;
  const policy = trusted ? (tool.spec.retry ?? engine.retry) : engine.retry;
  const { idempotentHint, readOnlyHint } = tool.spec.annotations;
  const isRepeatable = trusted && (idempotentHint === true || readOnlyHint === true);
  return isRepeatable || policy?.evenIfNotIdempotent === true ? policy : undefined;
}

/** Milliseconds that the other side asked to wait; 0: it did not. */
function waitAskedFor({ retryAfterMs }: ToolError): number {
  return typeof retryAfterMs === "number" && retryAfterMs > 0 ? retryAfterMs : 0;
}

function tooLong({ call }: CallState, cause: ToolError, retryAfterMs: number): ToolError {
  return new ToolError(
    "rate_limited",
    `${call.name} asks to be left alone for ${Math.ceil(retryAfterMs / 1000)} s, which is longer than can be waited: go on without it, or call it later. It said: ${cause.message.slice(0, 500)}`,
    { cause, retryAfterMs },
  );
}
