import {
  checkSignal,
  checkOptions,
  isAtLeastZero,
  type OptionChecks,
} from "../../contract/check-options.ts";
import {
  checkedElsewhere,
  anyText,
  flag,
  oneOf,
  withMethods,
} from "../../contract/option-checks.ts";
import type { CallSettings } from "../call/call-state.ts";
import type { CallOptions, ExecuteAllOptions } from "../../contract/call-options.ts";
import { formatValue } from "../../text/format-value.ts";
import { ToolError } from "../../contract/tool-error.ts";
import type { ToolSearch } from "../../built-in/searched-toolset.ts";
import type { RunLimits } from "../../limits/run-limits.ts";
import type { Toolset } from "../../contract/tool.ts";
import type { Caller } from "../../contract/caller.ts";
import type { DurableRun } from "../call/durable-run.ts";
import type { ToolCall } from "../../contract/tool-call.ts";

/** Options of a run. */
export interface RunOptions {
  /** Default: a random UUID. */
  readonly id?: string;
  /** The session that the run belongs to. A string, so that two sessions are never confused. */
  readonly sessionId?: string;
  /** The caller on whose behalf the run is made. Copied: later changes to the object have no effect. */
  readonly caller?: Caller;
  /** Cancels every call of the run. */
  readonly signal?: AbortSignal | undefined;
  /** Value that tools receive as `ctx.injected`. Never shown to a model. */
  readonly injected?: unknown;
  readonly limits?: RunLimits;
  /** Tools that may be called. Default: every tool that the policy may let run. */
  readonly toolset?: Toolset;
  /**
   * Lists a few of these tools for the model, which can search for the others: `toolSearch` of
   * `@toolweave/core/search`. Default: all are listed.
   */
  readonly search?: ToolSearch;
  /**
   * Base64 that is neither image nor sound stays in the result, up to the limit for text of that length, instead of
   * becoming an artifact: for a program that reads the results, such as another agent's host. Default: false, since no
   * model reads it.
   */
  readonly inlineBinary?: boolean;
  /**
   * Tools that a delegating tool (`Tool.delegates`), such as a sub-agent, may call: those of `toolset` (default), or
   * every tool that the policy may let run, so that a model can be given an agent without the agent's tools.
   */
  readonly delegateScope?: "toolset" | "policy";
  /**
   * Each call of the run starts at most once, over all processes that share the executor's `ledger`: a run that is made
   * again with the same `id` gets the outcomes of the calls that have ended. For engines that repeat the steps of a
   * process that has crashed. Default: false.
   */
  readonly durable?: boolean | DurableRun;
  /** Values that tools, and the tools they call, find as `ctx.scope.inheritedContext`. Never shown to a model. */
  readonly inheritedContext?: ReadonlyMap<symbol, unknown>;
}

/** Names of all options of a call. */
export const callOptionNames: readonly (keyof CallOptions)[] = [
  "timeoutMs",
  "deadlineMs",
  "signal",
  "onUpdate",
  "asTask",
];

/** The checks of the options of a run. */
export const runChecks: OptionChecks<RunOptions> = {
  id: anyText,
  sessionId: checkedElsewhere,
  caller: checkedElsewhere,
  signal: checkedElsewhere,
  injected: checkedElsewhere,
  limits: checkedElsewhere,
  toolset: /* @__PURE__ */ withMethods("executor.toolset", "names", "get"),
  search: checkedElsewhere,
  inlineBinary: flag,
  delegateScope: /* @__PURE__ */ oneOf("toolset", "policy"),
  inheritedContext: checkedElsewhere,
  durable: checkedElsewhere,
};

/**
 * Rejects times that would never be reached, and signals that are not an `AbortSignal`.
 *
 * @param where the method that takes the options, for the error: `run.execute`.
 * @throws ToolError `invalid_configuration`
 */
export function checkCallOptions(where: string, options: CallOptions): void {
  const { timeoutMs, deadlineMs } = options;
  if (timeoutMs !== undefined && !isAtLeastZero(timeoutMs)) {
    throw wrong(where, `timeoutMs is ${formatValue(timeoutMs)}; use 0 for none, or leave it out.`);
  }
  if (deadlineMs !== undefined && typeof deadlineMs !== "number") {
    throw wrong(where, `deadlineMs is ${formatValue(deadlineMs)}; use a number, or leave it out.`);
  }
  checkSignal(where, options.signal);
  checkOnUpdate(where, options.onUpdate);
}

/**
 * Does the same, and rejects names that are not options of a call.
 *
 * @throws ToolError `invalid_configuration`
 */
export function checkOneCall(where: string, options: CallOptions): void {
  checkOptions(where, options, callOptionNames);
  checkCallOptions(where, options);
}

/** @throws ToolError `invalid_configuration` when it is not a function. */
export function checkOnUpdate(where: string, onUpdate: CallOptions["onUpdate"]): void {
  if (onUpdate === undefined || typeof onUpdate === "function") return;
  throw wrong(where, `onUpdate is ${formatValue(onUpdate)}; use a function (output, call) => ….`);
}

function wrong(where: string, what: string): ToolError {
  return new ToolError("invalid_configuration", `${where}: ${what}`);
}

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
 * @throws ToolError `invalid_configuration` when an option is not valid.
 */
export function manyCalls(
  where: string,
  calls: readonly ToolCall[],
  options: ExecuteAllOptions,
): ManyCalls {
  const wrong = (what: string): ToolError =>
    new ToolError("invalid_configuration", `${where}: ${what}`);
  checkOptions(where, options, optionNames);
  checkCallOptions(where, options);
  if (!Array.isArray(calls)) throw wrong("the calls are no list: pass an array of them.");
  const { strategy = "parallel", stopWhen, duplicates = "run" } = options;
  const step = readStepSize(strategy);
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
function readStepSize(strategy: unknown): number | undefined {
  if (strategy === "parallel") return Infinity;
  if (strategy === "sequential") return 1;
  if (typeof strategy !== "object" || strategy === null) return undefined;
  const { batched, ...rest } = strategy as { batched?: unknown };
  return isPositiveInteger(batched) && Object.keys(rest).length === 0 ? batched : undefined;
}

function isPositiveInteger(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 0;
}

/** A copy: the host may reuse the object for its next call. */
export function settingsIn({ timeoutMs, onUpdate, asTask }: CallOptions): CallSettings {
  return {
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(onUpdate === undefined ? {} : { onUpdate }),
    ...(asTask === undefined ? {} : { asTask }),
  };
}
