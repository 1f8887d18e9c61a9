import { builtInSource } from "../../contract/tool-names.ts";
import { isThenable, type Awaitable } from "../../json/json.ts";
import type { CallState } from "../call/call-state.ts";

/**
 * Stage 8, first half: waits until the call's batch lets it start, then for a slot among all calls. The slot in the
 * batch is the inner one: its holder waits only for running calls, and those do not wait for a batch.
 */
export function acquireSlot(execution: CallState): Awaitable<void> {
  const { batch, engine } = execution;
  const entered = batch?.enter(execution);
  const { slots } = engine;
  // A built-in tool, such as `task_status`, must not wait for the slot that the task holds.
  if (slots === undefined || execution.entry?.source === builtInSource) return entered;
  if (!isThenable(entered)) return slots.enter(execution);
  const live = execution.guard();
  // Stopped between the two waits: a call that is leaving must not take a slot.
  return entered.then(() => slots.enter(live(execution)));
}

/** Releases the slot, whatever the outcome. Idempotent. */
export function leaveSlot(execution: CallState): void {
  execution.batch?.leave(execution);
  execution.engine.slots?.leave(execution);
}

/** Releases the slot while the call waits for something else. Idempotent, and without effect after the end. */
export function releaseSlot(execution: CallState): void {
  execution.engine.slots?.release(execution);
}

/**
 * Reacquires a slot after `releaseSlot`, ahead of calls that have not started. Resolves when the call has the slot, or
 * has been stopped. Idempotent.
 */
export function reacquireSlot(execution: CallState): Awaitable<void> {
  return execution.engine.slots?.reacquire(execution);
}
