import { checkOptions } from "../../contract/check-options.ts";
import { formatValue } from "../../text/format-value.ts";
import type { ToolCall } from "../../contract/tool-call.ts";
import { ToolError } from "../../contract/tool-error.ts";
import type { CallOptions, ExecuteAllOptions } from "../../contract/call-options.ts";
import { callOptionNames, checkCallOptions } from "./check-call-options.ts";

const optionNames: readonly string[] = [
  "strategy",
  "maxConcurrency",
  "stopWhen",
  "duplicates",
  ...callOptionNames,
] satisfies readonly (keyof ExecuteAllOptions)[];

/** Options that have been checked, with their defaults. */
export interface ManyCalls {
  readonly calls: readonly ToolCall[];
  /** Number of calls that may start in one step; the next step begins when all of them have ended. */
  readonly step: number;
  readonly maxConcurrency: number;
  readonly stopWhen: ExecuteAllOptions["stopWhen"];
  readonly skipsDuplicates: boolean;
  readonly options: CallOptions;
}

/**
 * Validates several calls and the options that they are made with.
 *
 * @param where the method, for the error: `run.stream`.
 * @throws ToolError `internal` when an option is not valid.
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
  const { strategy = "parallel", stopWhen, duplicates = "run" } = options;
  const step = stepOf(strategy);
  if (step === undefined) {
    throw wrong(
      `strategy is ${formatValue(strategy)}; use "parallel", "sequential" or { batched: n } with a whole number n above 0.`,
    );
  }
  const { maxConcurrency = step === Infinity ? 8 : step } = options;
  if (!isPositiveInteger(maxConcurrency)) {
    throw wrong(`maxConcurrency is ${formatValue(maxConcurrency)}; use a whole number above 0.`);
  }
  if (stopWhen !== undefined && typeof stopWhen !== "function") {
    throw wrong(
      `stopWhen is ${formatValue(stopWhen)}; use a function that gives a reason to stop, or nothing.`,
    );
  }
  if (duplicates !== "run" && duplicates !== "skip") {
    throw wrong(`duplicates is ${formatValue(duplicates)}; use "run" or "skip".`);
  }
  const skipsDuplicates = duplicates === "skip";
  return { calls: [...calls], step, maxConcurrency, stopWhen, skipsDuplicates, options };
}

/** Number of calls of one step; `undefined`: the value is not a strategy. */
function stepOf(strategy: unknown): number | undefined {
  if (strategy === "parallel") return Infinity;
  if (strategy === "sequential") return 1;
  if (typeof strategy !== "object" || strategy === null) return undefined;
  const { batched, ...rest } = strategy as { batched?: unknown };
  return isPositiveInteger(batched) && Object.keys(rest).length === 0 ? batched : undefined;
}

function isPositiveInteger(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 0;
}
