import { checkSignal, checkOptions, isAtLeastZero } from "../../contract/check-options.ts";
import type { CallOptions } from "../../contract/call-options.ts";
import { formatValue } from "../../text/format-value.ts";
import { ToolError } from "../../contract/tool-error.ts";
import type { ToolSearch } from "../../built-in/tool-search-port.ts";
import type { RunLimits } from "../../limits/run-limits.ts";
import type { Toolset } from "../../contract/tool.ts";
import type { Caller } from "../../contract/caller.ts";

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

/** Names of all options of a run. */
export const runOptionNames: readonly (keyof RunOptions)[] = [
  "id",
  "sessionId",
  "caller",
  "signal",
  "injected",
  "limits",
  "toolset",
  "search",
  "inlineBinary",
  "delegateScope",
  "inheritedContext",
];

/**
 * Rejects times that would never be reached, and signals that are not an `AbortSignal`.
 *
 * @param where the method that takes the options, for the error: `run.execute`.
 * @throws ToolError `internal`
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
 * @throws ToolError `internal`
 */
export function checkOneCall(where: string, options: CallOptions): void {
  checkOptions(where, options, callOptionNames);
  checkCallOptions(where, options);
}

/** @throws ToolError `internal` when it is not a function. */
export function checkOnUpdate(where: string, onUpdate: CallOptions["onUpdate"]): void {
  if (onUpdate === undefined || typeof onUpdate === "function") return;
  throw wrong(where, `onUpdate is ${formatValue(onUpdate)}; use a function (output, call) => ….`);
}

function wrong(where: string, what: string): ToolError {
  return new ToolError("internal", `${where}: ${what}`);
}
