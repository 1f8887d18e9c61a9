import type { FinishedResult } from "../../approvals/pending-call-store.ts";
import type { ToolOutcome } from "../../contract/tool-result.ts";
import type { CallState } from "../call/call-state.ts";
import { messageOf } from "../../contract/error-message.ts";
import { finishedResult } from "../call/finished-outcome.ts";
import { withTimeout } from "../../time/with-timeout.ts";

/** Milliseconds that the store may delay the outcome. */
const maxNoteMs = 5000;

/**
 * Marks a resumed call as ended, also one that was cancelled. A store that fails or is slow does not change the
 * outcome.
 *
 * @param outcome stored for a retry of the same answers. Absent: there is none.
 */
export async function markPendingCallFinished(
  execution: CallState,
  outcome?: ToolOutcome,
): Promise<void> {
  await withTimeout(execution.engine.clock, maxNoteMs, note(execution, outcome)).catch(() => {});
}

async function note(execution: CallState, outcome: ToolOutcome | undefined): Promise<void> {
  const { engine, resumption } = execution;
  const id = resumption?.interruption.id ?? "";
  try {
    const result = await resultOf(execution, outcome);
    if (result === undefined) await engine.pendingCalls.finish(id);
    else await engine.pendingCalls.finish(id, result);
  } catch (error) {
    engine.events.emitCall(execution, {
      type: "store.failed",
      store: "pendingCalls",
      message: messageOf(error),
    });
  }
}

/** A call must end even if its outcome cannot be stored. */
async function resultOf(
  { engine, resumption }: CallState,
  outcome: ToolOutcome | undefined,
): Promise<FinishedResult | undefined> {
  if (outcome === undefined || resumption?.answers === undefined) return undefined;
  const { interruption, answers } = resumption;
  try {
    return await finishedResult(engine, interruption, answers, outcome);
  } catch {
    return undefined;
  }
}
