import { checkOptions } from "../../contract/check-options.ts";
import { shown } from "../../text/format-value.ts";
import type { Awaitable } from "../../contract/json.ts";
import type { ToolCall } from "../../contract/tool-call.ts";
import type { ToolOutcome } from "../../contract/tool-result.ts";
import { ToolError } from "../../contract/tool-error.ts";
import { callOptionNames, checkCallOptions, type CallOptions } from "./check-call-options.ts";

/** One of several calls, and what came of it. */
export interface FinishedCall {
  /** Its place among the calls, from 0. */
  readonly index: number;
  /** The call as it was given. */
  readonly call: ToolCall;
  /** A call that waits for a person counts as finished, too: its outcome says so. */
  readonly outcome: ToolOutcome;
}

/** How far several calls are. */
export interface SteerProgress {
  /** In the order in which they ended; those that were refused or wait for a person first. */
  readonly finished: readonly FinishedCall[];
  /** Those that have not started, in call order. */
  readonly remaining: readonly ToolCall[];
}

/** How many calls are made. */
export interface ExecuteAllOptions extends CallOptions {
  /**
   * `parallel` (default): each call starts as soon as there is a place. `sequential`: one after
   * another. `{ batched: n }`: n at a time, the next n when all of those have ended. Calls that
   * were refused, or wait for a person, take no place in a batch.
   */
  readonly strategy?: "parallel" | "sequential" | { readonly batched: number };
  /** How many run at once, whatever the strategy. Default: 8, or the size of a batch. */
  readonly maxConcurrency?: number;
  /**
   * Asked between calls (`sequential`) or between batches, while something remains. A text stops
   * what remains: those calls fail with `skipped`, and the model reads the text as the reason. When
   * it throws, or answers with anything else, what remains is skipped as well. With `parallel` it is
   * told once, after all have ended; what it answers then is neither waited for nor looked at.
   */
  readonly steer?: (progress: SteerProgress) => Awaitable<string | undefined>;
  /**
   * What becomes of a call of the same tool with the same arguments as an earlier one of these:
   * `run` (default), or `skip`: it fails with `skipped` before anybody is asked about it, and the
   * model reads which call's result holds for both. Arguments are compared as they are after
   * validation, before hooks.
   */
  readonly duplicates?: "run" | "skip";
}

const optionNames: readonly string[] = [
  "strategy",
  "maxConcurrency",
  "steer",
  "duplicates",
  ...callOptionNames,
] satisfies readonly (keyof ExecuteAllOptions)[];

/** Options that have been checked, with their defaults. */
export interface ManyCalls {
  readonly calls: readonly ToolCall[];
  /** How many may start before all of those must have ended. */
  readonly step: number;
  readonly maxConcurrency: number;
  readonly steer: ExecuteAllOptions["steer"];
  readonly skipsDuplicates: boolean;
  readonly options: CallOptions;
}

/**
 * Several calls and how they are to be made.
 *
 * @param where the method, for the error: `run.stream`.
 * @throws ToolError `internal` when an option makes no sense.
 */
export function manyCalls(
  where: string,
  calls: readonly ToolCall[],
  options: ExecuteAllOptions,
): ManyCalls {
  const wrong = (what: string): ToolError => new ToolError("internal", `${where}: ${what}`);
  checkOptions(where, options, optionNames);
  checkCallOptions(where, options);
  if (!Array.isArray(calls)) throw wrong("the calls are no list: pass an array of them.");
  const { strategy = "parallel", steer, duplicates = "run" } = options;
  const step = stepOf(strategy);
  if (step === undefined) {
    throw wrong(
      `strategy is ${shown(strategy)}; use "parallel", "sequential" or { batched: n } with a whole number n above 0.`,
    );
  }
  const { maxConcurrency = step === Infinity ? 8 : step } = options;
  if (!isWholeAboveZero(maxConcurrency)) {
    throw wrong(`maxConcurrency is ${shown(maxConcurrency)}; use a whole number above 0.`);
  }
  if (steer !== undefined && typeof steer !== "function") {
    throw wrong(
      `steer is ${shown(steer)}; use a function that gives a reason to stop, or nothing.`,
    );
  }
  if (duplicates !== "run" && duplicates !== "skip") {
    throw wrong(`duplicates is ${shown(duplicates)}; use "run" or "skip".`);
  }
  const skipsDuplicates = duplicates === "skip";
  return { calls: [...calls], step, maxConcurrency, steer, skipsDuplicates, options };
}

/** How many calls may start before all of those must have ended; `undefined`: no strategy. */
function stepOf(strategy: unknown): number | undefined {
  if (strategy === "parallel") return Infinity;
  if (strategy === "sequential") return 1;
  if (typeof strategy !== "object" || strategy === null) return undefined;
  const { batched, ...rest } = strategy as { batched?: unknown };
  return isWholeAboveZero(batched) && Object.keys(rest).length === 0 ? batched : undefined;
}

function isWholeAboveZero(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 0;
}
