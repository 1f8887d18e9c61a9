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
