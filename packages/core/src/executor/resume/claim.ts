import {
  storeTime,
  unavailable,
  type ClaimResult,
  type FinishedResult,
} from "../../approvals/pending-call-store.ts";
import { stoppedOutcome } from "../stages/detach.ts";
import { ToolError } from "../../contract/tool-error.ts";
import { toErrorMessage } from "../../contract/error-message.ts";
import { rejection } from "../stages/request-approval.ts";
import { approvalInvalid } from "../call/to-tool-error.ts";
import { recordCallId } from "../call/call-ids.ts";
import { FinishedBefore, finishedOutcome, finishedResult } from "../call/finished-outcome.ts";
import type { CallState, Resumption } from "../call/call-state.ts";
import type { ToolOutcome } from "../../contract/tool-result.ts";
import { withTimeout } from "../../time/waiting.ts";

/**
 * Before stage 1 of a resumed call: claims it, so that no other process can resume it, and ends it if it was rejected.
 */
export async function claim(execution: CallState): Promise<void> {
  const { engine, call } = execution;
  const resumption = execution.resumption as Resumption;
  const { interruption, rejected, by } = resumption;
  const live = execution.guard();
  // Stopped while the store was asked: the call is still pending and can be resumed again.
  const now = live(await storeTime(engine));
  if (interruption.expiresAt <= now) throw refusal(call.name, "expired");
  let result: ClaimResult;
  try {
    result = await engine.pendingCalls.claim(interruption);
  } catch (cause) {
    throw unavailable(
      `${call.name} was not run: the store of pending calls does not answer. Resume it again later.`,
      cause,
    );
  }
  if (result === "finished" && resumption.answers !== undefined) {
    const outcome = await finishedOutcome(engine, interruption, resumption.answers);
    if (outcome !== undefined) throw new FinishedBefore(outcome);
  }
  if (result !== "claimed") throw refusal(call.name, result);
  engine.liveCalls.delete(interruption.id);
  // Not marked as claimed: the outcome is settled already, and its receiver may be about to read the mark.
  live(result, () => void engine.drain.keep(releaseClaim(execution)));
  resumption.isClaimed = true;
  recordCallId(execution);
  engine.events.emitCall(execution, {
    type: "tool.resumed",
    interruptionId: interruption.id,
    ...(by === undefined ? {} : { by }),
  });
  if (rejected !== undefined) {
    execution.decided = {
      decision: "rejected",
      permissions: interruption.requests.flatMap((request) =>
        request.type === "approval"
          ? [{ kind: request.permission.kind, target: request.permission.target }]
          : [],
      ),
      ...(rejected.reason === undefined ? {} : { reason: rejected.reason }),
      ...(by === undefined ? {} : { by }),
    };
    throw rejection(call.name, rejected.reason);
  }
  if (resumption.changed) {
    throw approvalInvalid(`${call.name} has changed since it was shown; make the call again.`);
  }
}

/** Ends the claim of a call that was stopped while it was claimed: it can never be resumed. */
async function releaseClaim(execution: CallState): Promise<void> {
  const task = execution.resumption?.task;
  const { tasks } = execution.engine;
  if (task !== undefined) await tasks.endEarly(execution, task, stoppedOutcome(execution));
  await markPendingCallFinished(execution);
}

function refusal(name: string, result: Exclude<ClaimResult, "claimed">): ToolError {
  switch (result) {
    case "running":
      return approvalInvalid(`Another process is resuming this call of ${name} now.`);
    case "finished":
      return approvalInvalid(
        `This interruption of ${name} was answered before; check what it did before making the call again.`,
      );
    case "expired":
      return approvalInvalid(`The interruption of ${name} has expired; make the call again.`);
    case "unfinished":
      return new ToolError(
        "outcome_unknown",
        `This call of ${name} was answered before, and the process that resumed it has ended: its outcome is not known. Check what it did; it is not run again.`,
      );
    default:
      return approvalInvalid(
        `This interruption of ${name} is not pending here; make the call again.`,
      );
  }
}

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
  await withTimeout(note(execution, outcome), maxNoteMs, { clock: execution.engine.clock }).catch(
    () => {},
  );
}

async function note(execution: CallState, outcome: ToolOutcome | undefined): Promise<void> {
  const { engine, resumption } = execution;
  const id = resumption?.interruption.id ?? "";
  try {
    const result = await toFinishedResult(execution, outcome);
    if (result === undefined) await engine.pendingCalls.finish(id);
    else await engine.pendingCalls.finish(id, result);
  } catch (error) {
    engine.events.emitCall(execution, {
      type: "store.failed",
      store: "pendingCalls",
      message: toErrorMessage(error),
    });
  }
}

/** A call must end even if its outcome cannot be stored. */
async function toFinishedResult(
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
