import type { Awaitable } from "../../spec/json.ts";
import type { Execution } from "../execution.ts";

/** Stage 8, first half: waits until the batch that the call belongs to lets it start. */
export function acquire(execution: Execution): Awaitable<void> {
  const { batch } = execution;
  if (batch !== undefined) return batch.enter(execution);
}

/** Gives the place back, whatever came of the call. */
export function release(execution: Execution): void {
  execution.batch?.leave(execution);
}

/** Gives the place up for a while: the call waits for something else, or runs calls of its own. */
export function giveUp(_execution: Execution): void {}

/** Takes a place again after `giveUp`, ahead of those that have not started. */
export function takeBack(_execution: Execution): Awaitable<void> {}
