import { builtInSource } from "../../contract/reserved-names.ts";
import { isThenable, type Awaitable } from "../../json/json.ts";
import type { CallState } from "../call/call-state.ts";

/**
 * Stage 8, first half: waits until the batch that the call belongs to lets it start, then for a
 * place among all calls. A batch's place is the inner one: whoever holds it waits only for calls
 * that run, and those wait for nobody's batch.
 */
export function acquireSlot(execution: CallState): Awaitable<void> {
  const { batch, engine } = execution;
  const entered = batch?.enter(execution);
  const { slots } = engine;
  // Who asks how a task stands must not wait for the place that the task has.
  if (slots === undefined || execution.entry?.source === builtInSource) return entered;
  if (!isThenable(entered)) return slots.enter(execution);
  // Stopped between the two: what has left already must not take a place.
  return entered.then(() => (execution.leaving ? undefined : slots.enter(execution)));
}

/** Gives the place back, whatever came of the call. May be said twice. */
export function leaveSlot(execution: CallState): void {
  execution.batch?.leave(execution);
  execution.engine.slots?.leave(execution);
}

/** Gives the place up while the call waits for something else. May be said twice, and after the end. */
export function releaseSlot(execution: CallState): void {
  execution.engine.slots?.release(execution);
}

/**
 * Takes a place again after `releaseSlot`, ahead of those that have not started. Resolves when the call
 * has it, and when it has been stopped meanwhile. May be said twice.
 */
export function reacquireSlot(execution: CallState): Awaitable<void> {
  return execution.engine.slots?.reacquire(execution);
}
