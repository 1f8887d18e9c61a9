import { checkSignal, checkOptions, isAtLeastZero } from "../../contract/check-options.ts";
import type { CallOptions } from "../../contract/call-options.ts";
import { formatValue } from "../../text/format-value.ts";
import { ToolError } from "../../contract/tool-error.ts";
import type { ToolSearch } from "../../built-in/tool-search-port.ts";
import type { RunLimits } from "../../limits/run-limits.ts";
import type { Toolset } from "../../contract/tool.ts";
import type { Caller } from "../../contract/caller.ts";

/** What a run is started with. */
export interface RunOptions {
  /** Default: a random UUID. */
  readonly id?: string;
  /** Whose conversation it belongs to: a text, so that no two sessions are taken for one. */
  readonly sessionId?: string;
  /** On whose behalf. Copied: what becomes of the object afterwards changes nothing. */
  readonly caller?: Caller;
  /** Cancels every call of the run. */
  readonly signal?: AbortSignal | undefined;
  /** What tools get as `ctx.injected`. Never shown to a model. */
  readonly injected?: unknown;
  readonly limits?: RunLimits;
  /** What may be called. Default: everything the policy may let run. */
  readonly toolset?: Toolset;
  /**
   * Shows a model a few of these tools, and lets it search for the rest: `toolSearch` of
   * `@toolweave/core/search`. Default: all are shown.
   */
  readonly search?: ToolSearch;
  /**
   * Base64 that is no image and no sound stays where a tool put it, as far as text of that length would, in place of
   * becoming an artifact: for a program that reads the results, such as another agent's host. Default: false, since no model
   * reads it.
   */
  readonly embedsBinary?: boolean;
  /**
   * What tools that delegate (`Tool.delegates`), such as sub-agents, may call: what `toolset` holds (default), or everything
   * that the policy may let run, so that a model can be shown an agent and not its tools.
   */
  readonly reach?: "toolset" | "policy";
  /** What tools find as `ctx.scope.inherited`, and those that they call. Never shown to a model. */
  readonly inherited?: ReadonlyMap<symbol, unknown>;
}

/** The names of all that a call takes. */
export const callOptionNames: readonly (keyof CallOptions)[] = [
  "timeoutMs",
  "deadlineMs",
  "signal",
  "onUpdate",
  "asTask",
];

/** The names of all that a run takes. */
export const runOptionNames: readonly (keyof RunOptions)[] = [
  "id",
  "sessionId",
  "caller",
  "signal",
  "injected",
  "limits",
  "toolset",
  "search",
  "embedsBinary",
  "reach",
  "inherited",
];

/**
 * Refuses times that would never be reached, and a signal that is none.
 *
 * @param where what takes the options, for the error: `run.execute`.
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
 * The same, and what is no option of a call.
 *
 * @throws ToolError `internal`
 */
export function checkOneCall(where: string, options: CallOptions): void {
  checkOptions(where, options, callOptionNames);
  checkCallOptions(where, options);
}

/** @throws ToolError `internal` for what is no function. */
export function checkOnUpdate(where: string, onUpdate: CallOptions["onUpdate"]): void {
  if (onUpdate === undefined || typeof onUpdate === "function") return;
  throw wrong(where, `onUpdate is ${formatValue(onUpdate)}; use a function (output, call) => ….`);
}

function wrong(where: string, what: string): ToolError {
  return new ToolError("internal", `${where}: ${what}`);
}
