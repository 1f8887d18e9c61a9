import type { Interruption } from "../contract/interruption.ts";
import type { Awaitable } from "../json/json.ts";
import type { Clock } from "../time/clock.ts";
import { ToolError } from "../contract/tool-error.ts";

/**
 * State of an interruption: `pending`: it has not been answered; `claimed`: its call is being resumed; `finished`: it
 * was answered and its call has ended; `unfinished`: the process that resumed the call has ended, and the outcome is
 * unknown.
 */
export type PendingCallStatus = "pending" | "claimed" | "finished" | "unfinished";

/** An interruption as it is stored. */
export interface PendingCallRecord {
  readonly interruption: Interruption;
  readonly status: PendingCallStatus;
}

/**
 * Result of a claim. `claimed`: the call may be run, by this claimant only. `running`, `finished` and `unfinished`: it
 * was claimed before. `expired`: too late. `unknown`: this store does not have it.
 */
export type ClaimResult = "claimed" | "running" | "finished" | "unfinished" | "expired" | "unknown";

/** The outcome of a resumed call, for a client that lost it and answers again. */
export interface FinishedResult {
  /**
   * Encrypted for the answers that led to it: a store can neither read nor change it. At most about 350,000 characters.
   */
  readonly sealed: string;
  /** Milliseconds that the store keeps it, by the store's clock. */
  readonly maxAgeMs: number;
}

/**
 * Stores interrupted calls until a person has answered, and ensures that each runs at most once. In memory by default;
 * `@toolweave/stores` has one that survives a crash. If it throws, the call fails with `store_unavailable`: no call
 * runs that could not be claimed.
 *
 * A store need not be trusted: `state` is sealed, and the other members of an interruption are authenticated with it.
 */
export interface PendingCallStore {
  /**
   * Resolves once the interruption is stored durably.
   *
   * @param owner on whose behalf the call was made; a store counts its quota by `quotaOwner(owner)`. Absent: no
   * particular owner.
   * @throws ToolError `limit_exceeded` when the owner, or all owners together, have the maximum number of pending
   * calls.
   */
  add(interruption: Interruption, owner?: string): Awaitable<void>;
  /** Claims the call, atomically among all processes that use the store. */
  claim(interruption: Interruption): Awaitable<ClaimResult>;
  /**
   * Marks a claimed call as ended, whatever its outcome.
   *
   * @param result only for a store with `finishedResult`: stored with the mark, in one step. A store without room for
   * it drops the oldest results first.
   */
  finish(id: string, result?: FinishedResult): Awaitable<void>;
  /**
   * The `sealed` of the result that `finish` received for this id; `undefined` once it is older than its `maxAgeMs`, or
   * was dropped. Absent: the store keeps no results, and a second identical answer is refused.
   */
  finishedResult?(id: string): Awaitable<string | undefined>;
  /** One interruption with its state. */
  get(id: string): Awaitable<PendingCallRecord | undefined>;
  /** Interruptions that are not finished, oldest first. */
  list(): Awaitable<readonly PendingCallRecord[]>;
  /**
   * Milliseconds since the epoch by the store's clock, for all executors that share the store. Absent: each executor's
   * own clock.
   */
  now?(): Awaitable<number>;
}

/** Withdraws an interruption, so that it cannot be answered. If that fails, it expires by itself. */
export async function withdraw(
  pendingCalls: Pick<PendingCallStore, "claim" | "finish">,
  interruption: Interruption,
): Promise<void> {
  try {
    if ((await pendingCalls.claim(interruption)) === "claimed") {
      await pendingCalls.finish(interruption.id);
    }
  } catch {
    // The interruption expires by itself.
  }
}

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
