import { checkOptions, isAtLeastZero } from "../../contract/check-options.ts";
import { shown } from "../../text/format-value.ts";
import { ToolError } from "../../contract/tool-error.ts";
import type { ToolSearch } from "../../built-in/tool-search-port.ts";
import type { RunLimits } from "../../limits/run-limits.ts";
import type { Toolset } from "../../contract/toolset.ts";
import type { Caller } from "../../contract/caller.ts";
import type { Awaitable } from "../../contract/json.ts";
import type { ToolCall } from "../../contract/tool-call.ts";
import type { ToolOutput } from "../../contract/tool-result.ts";

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

/** What one call is made with. */
export interface CallOptions {
  /** Milliseconds; shortens the tool's own timeout. */
  readonly timeoutMs?: number | undefined;
  /**
   * Milliseconds for the whole call: its attempts, the waits between them, and the wait for a place.
   * Waiting for people does not count, and a call that is resumed has none. The call fails with
   * `timeout`. 0 or less: it has passed. Default: the run's time.
   */
  readonly deadlineMs?: number | undefined;
  /** Cancels this call. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Gets the partial outputs of the call's tool, for user interfaces: each in place of the one before,
   * after hooks, redacted, frozen, within `maxOutputBytes`. A promise that it gives holds up the next
   * one, and a tool that waits for it, for `hookTimeoutMs` at most. What it throws changes nothing.
   */
  readonly onUpdate?: ((output: ToolOutput, call: ToolCall) => Awaitable<void>) | undefined;
  /** The call goes on as a task, whatever its tool says; so it does when it has waited for a person. */
  readonly asTask?: boolean | undefined;
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
    throw wrong(where, `timeoutMs is ${shown(timeoutMs)}; use 0 for none, or leave it out.`);
  }
  if (deadlineMs !== undefined && typeof deadlineMs !== "number") {
    throw wrong(where, `deadlineMs is ${shown(deadlineMs)}; use a number, or leave it out.`);
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
  throw wrong(where, `onUpdate is ${shown(onUpdate)}; use a function (output, call) => ….`);
}

/** @throws ToolError `internal` for what is no signal. */
export function checkSignal(where: string, signal: AbortSignal | undefined): void {
  if (signal === undefined || typeof signal?.addEventListener === "function") return;
  throw wrong(where, `signal is ${shown(signal)}; use an AbortSignal.`);
}

function wrong(where: string, what: string): ToolError {
  return new ToolError("internal", `${where}: ${what}`);
}
