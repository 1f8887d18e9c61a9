import type { Awaitable } from "../../spec/json.ts";
import { ToolError } from "../../tool-error.ts";
import type { Execution } from "../execution.ts";

/** Stage 5: reserves the call, or refuses it at once when the run has none left. */
export function count(execution: Execution): void {
  const { run, call } = execution;
  const { limits, counters } = run;
  if (limits === undefined || counters === undefined) return;
  const ofTool = counters.byTool.get(call.name) ?? 0;
  if (limits.calls !== undefined && counters.calls >= limits.calls) {
    throw exhausted(`This run has used all of its ${limits.calls} tool calls.`);
  }
  if (limits.callsPerTool !== undefined && ofTool >= limits.callsPerTool) {
    throw exhausted(`This run has called ${call.name} ${ofTool} times, which is all it may.`);
  }
  counters.calls += 1;
  counters.byTool.set(call.name, ofTool + 1);
  execution.counted = true;
}

/** Gives a reservation back: the call was refused or interrupted before it started. */
export function uncount(execution: Execution): void {
  const { counters } = execution.run;
  if (!execution.counted || counters === undefined) return;
  execution.counted = false;
  counters.calls -= 1;
  counters.byTool.set(execution.call.name, (counters.byTool.get(execution.call.name) ?? 1) - 1);
}

function exhausted(message: string): ToolError {
  return new ToolError("limit_exceeded", `${message} Answer with what you have.`);
}

/** Counts one more attempt of a call that is tried again: against rates, not against calls. */
export function countAttempt(_execution: Execution): Awaitable<void> {}
