import type { Clock } from "../time/clock.ts";
import type { PendingCallStore } from "./pending-call-store.ts";
import { ToolError } from "../contract/tool-error.ts";

interface StoreClocks {
  readonly pendingCalls: PendingCallStore;
  readonly wallClock: Clock;
}

/**
 * Milliseconds since the epoch by the clock of the store of pending calls.
 *
 * @throws ToolError `store_unavailable`
 */
export async function storeTime({ pendingCalls, wallClock }: StoreClocks): Promise<number> {
  try {
    const now = (await pendingCalls.now?.()) ?? wallClock.now();
    if (Number.isFinite(now)) return now;
    throw new TypeError(`The store's time is ${now}.`);
  } catch (cause) {
    throw unavailable(
      "The store of pending calls does not answer; nothing was run. Try again later.",
      cause,
    );
  }
}

/** Creates a `store_unavailable` error. It is retryable if the error of the store is. */
export function unavailable(message: string, cause: unknown): ToolError {
  return new ToolError("store_unavailable", message, {
    cause,
    ...(ToolError.is(cause) ? { retryable: cause.retryable } : {}),
  });
}
