import type { CallState } from "../call/call-state.ts";
import type { Hook } from "../call/hook.ts";

/** How long one answer of a hook is waited for. */
export function timeoutOf({ engine }: CallState, { timeoutMs }: Hook): number {
  return timeoutMs ?? engine.hookTimeoutMs;
}
