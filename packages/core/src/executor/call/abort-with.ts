import type { ToolOutcome } from "../../contract/tool-result.ts";
import { ToolError } from "../../contract/tool-error.ts";
import type { CallState } from "./call-state.ts";

/** Runs a call that ends when `signal` fires. The listener is removed when the call has ended. */
export async function abortWith<Outcome extends ToolOutcome | undefined>(
  signal: AbortSignal | undefined,
  execution: CallState,
  go: (execution: CallState) => Promise<Outcome>,
): Promise<Outcome> {
  if (signal === undefined) return go(execution);
  const cancel = (): void =>
    execution.stopWaiting(new ToolError("cancelled", "The call was cancelled."));
  if (signal.aborted) cancel();
  else signal.addEventListener("abort", cancel, { once: true });
  try {
    return await go(execution);
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}
