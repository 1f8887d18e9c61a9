import type { Awaitable } from "../../json/json.ts";
import type { RetryPolicy } from "../../contract/tool-spec.ts";
import type { ToolOutput } from "../../contract/tool-result.ts";
import { ToolError } from "../../contract/tool-error.ts";
import type { CallState } from "../call/call-state.ts";
import { toToolError } from "../call/to-tool-error.ts";
import { backOff } from "../../contract/retry-policy.ts";
import { releaseSlot } from "./acquire.ts";

/** Maximum wait that an upstream may ask for. If it asks for more, the call is not retried. */
const maxWaitMs = 120_000;

/** Stage 8: an output with a retryable error is a failed attempt, too. */
export function retryIfTransient(execution: CallState, output: ToolOutput): ToolOutput {
  if (output.isError === true && mayRetry(execution, output.error)) throw output.error;
  return output;
}

/**
 * True when another attempt may follow the failed one: the error is retryable, the policy of the tool or the host has
 * attempts left, and the tool may run twice. Plans the wait before it. If the upstream asks for too long a wait, the
 * call is stopped.
 */
export function mayRetry(execution: CallState, thrown: unknown): boolean {
  const { attempt, engine } = execution;
  return execution.planRetry(
    () => toToolError(execution, thrown),
    (error) => delayBeforeRetry(execution, error),
    ({ code }, delayMs) =>
      engine.events.emitCall(execution, { type: "tool.retried", attempt, code, delayMs }),
  );
}

/** Milliseconds before the next attempt; `undefined`: there is none. */
function delayBeforeRetry(execution: CallState, error: ToolError): number | undefined {
  const { attempt, resumption, engine } = execution;
  const policy = getRetryPolicy(execution);
  const made = attempt - (resumption?.attempt ?? 1) + 1;
  if (policy === undefined || made >= policy.attempts || error.retryable !== true) return undefined;
  const asked = waitAskedFor(error);
  const delayMs = Math.max(asked, backOff(policy, made + 1));
  const isTooLate = delayMs >= execution.ownTime.endsAt - engine.clock.now();
  if (asked > maxWaitMs || (isTooLate && asked > 0)) {
    execution.stop(tooLong(execution, error, asked));
    return undefined;
  }
  return isTooLate ? undefined : delayMs;
}

/** Between two attempts: releases the slot and waits. */
export function awaitBackoff(execution: CallState): Awaitable<void> {
  const delayMs = execution.backOffMs;
  releaseSlot(execution);
  // Attempts that fail at once must not pile up on the stack.
  if (delayMs === 0) return Promise.resolve();
  return new Promise((resolve) => execution.waitFor(delayMs, resolve));
}

/** The retry policy that applies: an untrusted source cannot loosen it. */
function getRetryPolicy({ engine, entry, tool }: CallState): RetryPolicy | undefined {
  const trusted = entry?.trusted === true;
  const policy = trusted ? (tool.spec.retry ?? engine.retry) : engine.retry;
  const { idempotentHint, readOnlyHint } = tool.spec.annotations;
  const isRepeatable = trusted && (idempotentHint === true || readOnlyHint === true);
  return isRepeatable || policy?.retryNonIdempotent === true ? policy : undefined;
}

/** Milliseconds that the upstream asked to wait; 0: none. */
function waitAskedFor({ retryAfterMs }: ToolError): number {
  return typeof retryAfterMs === "number" && retryAfterMs > 0 ? retryAfterMs : 0;
}

function tooLong({ call }: CallState, cause: ToolError, retryAfterMs: number): ToolError {
  return new ToolError(
    "rate_limited",
    `${call.name} asks to be left alone for ${Math.ceil(retryAfterMs / 1000)} s, which is longer than the limit for waiting: continue without it, or call it later. It said: ${cause.message.slice(0, 500)}`,
    { cause, retryAfterMs },
  );
}
