import { text } from "../contract/content-block.ts";
import { defectError } from "../contract/error-message.ts";
import type { FailedOutcome, ToolResult } from "../contract/tool-result.ts";
import type { CallState } from "./call/call-state.ts";
import { endFailed } from "./call/outcome.ts";
import { leaveSlot } from "./stages/acquire.ts";
import { abandonInLedger } from "./stages/ledger.ts";
import { releaseLimits } from "./stages/reserve-limits.ts";

/**
 * Ends a call for a defect of the executor: something threw where nothing awaits it. The caller gets its outcome first,
 * and each of the other steps is made even if those before it throw as well.
 */
export function abandonCall(execution: CallState, defect: unknown): void {
  const { call, attempt } = execution;
  const error = defectError(call.name, defect);
  const result: ToolResult = {
    callId: call.id,
    toolName: call.name,
    content: [text(error.message)],
    artifacts: [],
    isError: true,
    durationMs: 0,
    timestamp: Date.now(),
  };
  const outcome: FailedOutcome = { status: "failed", ok: false, result, error };
  execution.settle(outcome);
  const steps: readonly (() => void)[] = [
    () => execution.endWait(),
    () => abandonInLedger(execution),
    () => {
      if (attempt === 0) releaseLimits(execution);
    },
    () => leaveSlot(execution),
    () => execution.engine.slots?.fill(),
    () => execution.stopChildren(error),
    () => execution.enter("leaving"),
    () => void endFailed(execution, outcome),
  ];
  for (const step of steps) {
    try {
      step();
    } catch {
      // The defect that came first is in the outcome.
    }
  }
}

/** Returns the promise. If something throws before anything awaits it, its rejection has no effect. */
export function observed<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

/** Ends a call by `end`, and abandons it if that throws. */
export function endOrAbandon(execution: CallState, end: () => void): void {
  try {
    end();
  } catch (defect) {
    abandonCall(execution, defect);
  }
}
