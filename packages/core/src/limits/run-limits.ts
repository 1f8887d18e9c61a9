import { checkOptions, isAtLeastZero } from "../contract/check-options.ts";
import { formatValue } from "../text/format-value.ts";
import { ToolError } from "../contract/tool-error.ts";
import { RecentCalls } from "./recent-calls.ts";

/**
 * Limits of a run. Absent: no limit. If a limit is exhausted, a call is refused at once, with `limit_exceeded`. A call
 * counts from stage 5 on; a call that never starts is released, and a suspended one is not counted again when it is
 * resumed in the same run.
 */
export interface RunLimits {
  /** Calls in all. */
  readonly calls?: number;
  /** Calls of any one tool. */
  readonly callsPerTool?: number;
  /**
   * Maximum amount that all calls together may spend, in the unit of the `details.amount` that their `spend` permission
   * requests state. A call that spends without stating an amount is refused.
   */
  readonly spend?: number;
  /** Maximum equal calls (same tool, same arguments) among the last 20: a model that repeats itself. */
  readonly identicalCalls?: number;
  /**
   * Milliseconds from `startRun` on. Active calls then end, and no call starts any more. The time for which a call
   * waits for a person does not count, and the limit does not apply to a resumed call.
   */
  readonly durationMs?: number;
}

/** A record of all keys, so that the compiler reports a missing one. */
const limitNames: Record<keyof RunLimits, true> = {
  calls: true,
  callsPerTool: true,
  spend: true,
  identicalCalls: true,
  durationMs: true,
};

/** Validates limits: a limit that is not a number would never be reached. */
export function checkedLimits(limits: RunLimits): RunLimits {
  checkOptions("limits", limits, Object.keys(limitNames));
  for (const [name, value] of Object.entries(limits) as [string, unknown][]) {
    if (value !== undefined && !isAtLeastZero(value)) {
      throw new ToolError("internal", `limits.${name} is ${formatValue(value)}; use 0 or more.`);
    }
  }
  return { ...limits };
}

/** The use of a run's limits so far. */
export interface RunCounters {
  calls: number;
  readonly byTool: Map<string, { calls: number }>;
  spend: number;
  readonly recent: RecentCalls;
}

/** Creates the counters of a new run. */
export function newCounters(): RunCounters {
  return { calls: 0, byTool: new Map(), spend: 0, recent: new RecentCalls() };
}
