import { checkOptions, isAtLeastZero } from "../contract/check-options.ts";
import { formatValue } from "../text/format-value.ts";
import { ToolError } from "../contract/tool-error.ts";
import { RecentCalls } from "./recent-calls.ts";

/**
 * How much a run may do. Absent: as much as it likes. What is exhausted refuses a call at once, with
 * `limit_exceeded`. A call counts from stage 5 on; one that never starts is given back, and one that
 * was suspended is not counted again when it goes on in the same run.
 */
export interface RunLimits {
  /** Calls in all. */
  readonly calls?: number;
  /** Calls of any one tool. */
  readonly callsPerTool?: number;
  /**
   * What all calls together may spend, in the unit of the `details.amount` that their `spend`
   * permission requests state. A call that spends without saying how much is refused.
   */
  readonly spend?: number;
  /** Calls of one tool with the same arguments among the last 20: a model that repeats itself. */
  readonly identicalCalls?: number;
  /**
   * Milliseconds from `startRun` on. What is under way then ends, and no call starts any more. A
   * call that waits for a person has that time on top, and one that is resumed is not held to it.
   */
  readonly durationMs?: number;
}

/** A record of all of them: a limit that is added elsewhere must be added here. */
const limitNames: Record<keyof RunLimits, true> = {
  calls: true,
  callsPerTool: true,
  spend: true,
  identicalCalls: true,
  durationMs: true,
};

/** A limit that is no number would never be reached. */
export function checkedLimits(limits: RunLimits): RunLimits {
  checkOptions("limits", limits, Object.keys(limitNames));
  for (const [name, value] of Object.entries(limits) as [string, unknown][]) {
    if (value !== undefined && !isAtLeastZero(value)) {
      throw new ToolError("internal", `limits.${name} is ${formatValue(value)}; use 0 or more.`);
    }
  }
  return { ...limits };
}

/** What a run has used of its limits. */
export interface RunCounters {
  calls: number;
  readonly byTool: Map<string, { calls: number }>;
  spend: number;
  readonly recent: RecentCalls;
}

/** Those of a run that has used nothing yet. */
export function newCounters(): RunCounters {
  return { calls: 0, byTool: new Map(), spend: 0, recent: new RecentCalls() };
}
