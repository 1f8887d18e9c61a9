import { checkOptions } from "../contract/check-options.ts";
import { atLeastZero } from "../contract/option-checks.ts";
import { shortHash } from "../contract/tool-names.ts";
import { canonicalJson } from "../json/canonical-json.ts";
import type { JsonObject } from "../json/json.ts";

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
    if (value !== undefined) atLeastZero.check(`limits.${name}`, value);
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

/** Number of calls that are searched for repetitions. */
const maxRecentCalls = 20;

/**
 * Maximum length of a stored text; of a longer one only the hash is stored, so that a run does not hold large
 * arguments.
 */
const maxKeyLength = 256;

/** A call among the last ones of its run. */
export interface RecentCall {
  readonly key: string;
  started: boolean;
}

/** The last calls of a run, to find the ones that a model repeats. */
class RecentCalls {
  /** In order of arrival; calls that have not started are kept in addition to the last 20 that have. */
  readonly #calls: RecentCall[] = [];
  #started = 0;

  /** Number of equal calls among the last 20. */
  repetitions(key: string): number {
    const calls = this.#calls;
    let repetitions = 0;
    for (let index = Math.max(0, calls.length - maxRecentCalls); index < calls.length; index++) {
      if (calls[index]?.key === key) repetitions += 1;
    }
    return repetitions;
  }

  add(key: string): RecentCall {
    const call: RecentCall = { key, started: false };
    this.#calls.push(call);
    return call;
  }

  /** Only a call that starts removes an older one: refused calls must not. */
  start(call: RecentCall): void {
    call.started = true;
    this.#started += 1;
    if (this.#started > maxRecentCalls)
      this.remove(this.#calls.find(({ started }) => started) as RecentCall);
  }

  remove(call: RecentCall): void {
    const index = this.#calls.indexOf(call);
    if (index === -1) return;
    this.#calls.splice(index, 1);
    if (call.started) this.#started -= 1;
  }
}

/** Key of equal calls: the tool and its arguments, whatever the order of their keys. */
export function repetitionKey(name: string, args: JsonObject): string {
  const text = canonicalJson(args);
  return text.length > maxKeyLength
    ? `${name} ${text.length} ${shortHash(text)}`
    : `${name} ${text}`;
}
