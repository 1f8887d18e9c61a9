import { checkOptions, isAtLeastZero } from "../check-options.ts";
import { shown } from "../shown.ts";
import { ToolError } from "../tool-error.ts";
import type { CallOptions, RunOptions } from "./tool-run.ts";

/** The names of all that a call takes. */
export const callOptionNames: readonly (keyof CallOptions)[] = [
  "timeoutMs",
  "deadlineMs",
  "signal",
  "onUpdate",
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
