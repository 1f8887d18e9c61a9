import { answerWithin } from "../../contract/call-info.ts";
import { toErrorMessage } from "../../contract/error-message.ts";
import type { Interruption } from "../../contract/interruption.ts";
import { ToolError } from "../../contract/tool-error.ts";
import type { FailedOutcome, ToolOutcome, ToolOutput } from "../../contract/tool-result.ts";
import type { CallLedger, LedgerClaim, LedgerEnd } from "../../ledger/call-ledger.ts";
import { storeMs } from "../../tasks/tasks.ts";
import { withTimeout } from "../../time/waiting.ts";
import type { CallState } from "../call/call-state.ts";
import { outcomeJson } from "../call/finished-outcome.ts";
import { endFailed, toCompleted, toFailed } from "../call/outcome.ts";

/** Maximum bytes of a stored outcome: 4 MiB. */
const maxOutcomeBytes = 4 * 2 ** 20;

/**
 * Stores the outcome of a call that ran.
 *
 * @throws ToolError `store_unavailable`, `limit_exceeded` when the outcome is too large, and `outcome_unknown` when
 * another process has taken the call over; each says that the tool ran.
 */
export async function storeCompleted(
  execution: CallState,
  claim: LedgerClaim,
  output: ToolOutput,
): Promise<ToolOutput> {
  const live = execution.guard();
  const outcome = toCompleted(execution, output);
  const json = outcomeJson(outcome, maxOutcomeBytes);
  // The claim remains: this error is the outcome that the ledger stores.
  if (json === undefined) throw tooLarge(execution);
  const storing = endWith(execution, claim, { status: "ended", outcome: json });
  let isStored: boolean;
  try {
    isStored = await answerWithin(execution, storeMs, storing);
  } catch (cause) {
    live(undefined);
    execution.claim = undefined;
    void execution.engine.drain.keep(abandon(execution, claim));
    throw notStored(execution, `${execution.call.name} did run, but`, cause);
  }
  live(undefined);
  if (!isStored) {
    execution.claim = undefined;
    throw takenOver(execution);
  }
  execution.storedOutcome = outcome;
  return output;
}

/**
 * Stores the outcome of a call that has failed. A call that has not started is released. Of a call that was cancelled
 * the effect is not known: it has no outcome in the ledger.
 *
 * @returns the end of the call.
 */
export async function storeFailed(
  execution: CallState,
  claim: LedgerClaim,
  error: ToolError,
): Promise<{ readonly finish: () => ToolOutcome }> {
  let outcome = toFailed(execution, error);
  const end = endOfFailed(execution, outcome);
  try {
    const isStored = await inTime(execution, endWith(execution, claim, end));
    if (!isStored && end.status === "ended") outcome = toFailed(execution, takenOver(execution));
  } catch (cause) {
    emitFailed(execution, cause);
    if (end.status === "ended") {
      const what = `${error.message}\n${execution.call.name} has started, and`;
      outcome = toFailed(execution, notStored(execution, what, cause));
    }
  }
  return { finish: () => endFailed(execution, outcome) };
}

function endOfFailed(execution: CallState, outcome: FailedOutcome): LedgerEnd {
  if (execution.attempt === 0) return { status: "released" };
  const json =
    outcome.error.code === "cancelled" ? undefined : outcomeJson(outcome, maxOutcomeBytes);
  return json === undefined ? { status: "unknown" } : { status: "ended", outcome: json };
}

/** Stores the interruption of a suspended call. Never rejects: the call can be resumed without it. */
export async function storeSuspension(
  execution: CallState,
  claim: LedgerClaim,
  interruption: Interruption,
): Promise<void> {
  const outcome: ToolOutcome = { status: "interrupted", ok: false, interruption };
  const json = outcomeJson(outcome, maxOutcomeBytes);
  const end: LedgerEnd =
    json === undefined ? { status: "unknown" } : { status: "suspended", outcome: json };
  try {
    await inTime(execution, endWith(execution, claim, end));
  } catch (error) {
    emitFailed(execution, error);
  }
}

/** Ends a claim without an outcome. Never rejects: the ledger may be unavailable. */
export async function abandon(execution: CallState, claim: LedgerClaim): Promise<void> {
  const status = execution.attempt === 0 ? "released" : "unknown";
  await inTime(execution, endWith(execution, claim, { status })).catch(() => false);
}

async function endWith(
  { engine }: CallState,
  { runId, callId, token }: LedgerClaim,
  end: LedgerEnd,
): Promise<boolean> {
  return (engine.ledger as CallLedger).end({ runId, callId, token }, end);
}

function inTime<T>({ engine }: CallState, storing: Promise<T>): Promise<T> {
  return withTimeout(storing, storeMs, { clock: engine.clock });
}

function emitFailed(execution: CallState, error: unknown): void {
  const message = toErrorMessage(error);
  execution.engine.events.emitCall(execution, { type: "store.failed", store: "ledger", message });
}

function notStored({ call }: CallState, what: string, cause: unknown): ToolError {
  return new ToolError(
    "store_unavailable",
    `${what} its outcome could not be recorded, since the call ledger does not answer: check what ${call.name} did before calling it again.`,
    { cause, retryable: false },
  );
}

function tooLarge({ call }: CallState): ToolError {
  return new ToolError(
    "limit_exceeded",
    `${call.name} did run, but its result is not JSON or more than ${maxOutcomeBytes} bytes of it, which the call ledger does not store: check what it did before calling it again, and ask for less.`,
  );
}

function takenOver({ call }: CallState): ToolError {
  return new ToolError(
    "outcome_unknown",
    `${call.name} did run, but another process has taken this call over meanwhile, and its outcome counts. Check what both did.`,
  );
}
