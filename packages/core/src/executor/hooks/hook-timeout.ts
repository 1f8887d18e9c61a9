import type { CallState } from "../call/call-state.ts";
import type { Hook } from "../call/hook.ts";

/** Milliseconds for one answer of a hook. */
export function timeoutOf({ engine }: CallState, { timeoutMs }: Hook): number {
  return timeoutMs ?? engine.hookTimeoutMs;
}
