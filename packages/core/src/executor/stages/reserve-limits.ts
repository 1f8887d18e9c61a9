import { isThenable, type Awaitable } from "../../json/json.ts";
import { reservationFor } from "../../limits/limited-call.ts";
import { repetitionKey, type RunCounters, type RunLimits } from "../../limits/run-limits.ts";
import { countSpend, holdSpend } from "../../limits/spend.ts";
import { ToolError } from "../../contract/tool-error.ts";
import type { CallState } from "../call/call-state.ts";

/** Stage 5: reserves what the call uses of its limits, or refuses it at once when a limit is exhausted. */
export function reserveLimits(execution: CallState): Awaitable<void> {
  const { run, engine } = execution;
  const { limits, counters } = run;
  if (
    limits !== undefined &&
    counters !== undefined &&
    execution.resumption?.counted === undefined
  ) {
    countCall(execution, limits, counters);
  }
  const { reservation: held } = execution;
  if (engine.rates === undefined && held === undefined) return;
  const reserved = engine.rates?.reserve(execution, "calls", 1);
  // The amount is known from stage 7 on: a call that was admitted before has it already.
  const amount = held?.amount;
  if (amount === undefined) return reserved;
  if (!isThenable(reserved)) return holdSpend(execution, amount);
  const live = execution.guard();
  return reserved.then(() => holdSpend(live(execution), amount));
}

function countCall(execution: CallState, limits: RunLimits, counters: RunCounters): void {
  const { call, args } = execution;
  if (limits.calls !== undefined && counters.calls >= limits.calls) {
    throw exhausted(`This run has used all of its ${limits.calls} tool calls.`);
  }
  const ofTool = getTally(counters, call.name);
  if (limits.callsPerTool !== undefined && ofTool.calls >= limits.callsPerTool) {
    throw exhausted(`This run has called ${call.name} ${ofTool.calls} times, which is all it may.`);
  }
  if (limits.identicalCalls !== undefined) {
    const key = repetitionKey(call.name, args ?? {});
    const repetitions = counters.recent.repetitions(key);
    if (repetitions >= limits.identicalCalls) throw repeated(call.name, repetitions);
    reservationFor(execution).recent = counters.recent.add(key);
  }
  counters.calls += 1;
  ofTool.calls += 1;
  execution.counted = true;
}

/** Counted in place: writing the number into the map costs as much again as finding it. */
function getTally({ byTool }: RunCounters, name: string): { calls: number } {
  let tally = byTool.get(name);
  if (tally === undefined) byTool.set(name, (tally = { calls: 0 }));
  return tally;
}

function exhausted(message: string): ToolError {
  return new ToolError("limit_exceeded", `${message} Answer with what you have.`);
}

function repeated(name: string, times: number): ToolError {
  return new ToolError(
    "limit_exceeded",
    `You are repeating yourself: ${name} was called ${times} times with these same arguments, and is not run again. Use the results you have, call it with other arguments, or do something else.`,
  );
}

/** Releases what was reserved: the call does not start, or not yet. */
export function releaseLimits(execution: CallState): void {
  const { counters } = execution.run;
  const { reservation: held } = execution;
  if (execution.counted && counters !== undefined) {
    execution.counted = false;
    counters.calls -= 1;
    getTally(counters, execution.call.name).calls -= 1;
  }
  if (held === undefined) return;
  if (held.recent !== undefined) counters?.recent.remove(held.recent);
  held.recent = undefined;
  if (counters !== undefined) counters.spend -= held.spent;
  held.spent = 0;
  execution.engine.rates?.release(execution);
}

/** Stage 8, as the call starts: commits what was reserved. */
export function commitLimits(execution: CallState): Awaitable<void> {
  const { reservation: held } = execution;
  if (held === undefined) return;
  if (held.recent !== undefined) execution.run.counters?.recent.start(held.recent);
  return execution.engine.rates?.commit(execution);
}

/**
 * Counts one more attempt of a call that is retried: against rates, not against calls. Its spend counts again, too,
 * unless a trusted tool is idempotent.
 *
 * @throws ToolError `rate_limited`, `store_unavailable`; `limit_exceeded` when it would spend too much
 */
export function reserveRetry(execution: CallState): Awaitable<void> {
  const { engine, entry, tool, reservation: held } = execution;
  if (engine.rates === undefined && held?.amount === undefined) return;
  const harmless = entry?.trusted === true && tool.spec.annotations.idempotentHint === true;
  return attempted(execution, harmless ? undefined : held?.amount);
}

async function attempted(execution: CallState, amount: number | undefined): Promise<void> {
  const { rates } = execution.engine;
  const live = execution.guard();
  try {
    // Stopped while the store was asked: only here can the reservations of this attempt be released.
    live(await rates?.reserve(execution, "calls", 1));
    if (amount !== undefined) live(await rates?.reserve(execution, "spend", amount));
    if (amount !== undefined) countSpend(execution, amount);
    await rates?.commit(execution);
  } catch (error) {
    rates?.release(execution);
    throw error;
  }
}
