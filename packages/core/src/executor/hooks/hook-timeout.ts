import type { Execution } from "../call/call-state.ts";
import type { Hook } from "../call/hook.ts";

/** How long one answer of a hook is waited for. */
export function timeoutOf({ engine }: Execution, { timeoutMs }: Hook): number {
  return timeoutMs ?? engine.hookTimeoutMs;
}
