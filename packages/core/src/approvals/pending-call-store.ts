import type { Interruption } from "../contract/interruption.ts";
import type { Awaitable } from "../json/json.ts";

/**
 * Where an interruption stands: `pending`: nobody has answered; `claimed`: somebody is going on with
 * it; `finished`: it was answered and came to its end; `unfinished`: whoever went on with it is gone,
 * and nobody knows how far it came.
 */
export type PendingCallStatus = "pending" | "claimed" | "finished" | "unfinished";

/** An interruption as a store keeps it. */
export interface PendingCallRecord {
  readonly interruption: Interruption;
  readonly status: PendingCallStatus;
}

/**
 * What came of a claim. `claimed`: whoever gets this, and nobody else, may run the call. `running`,
 * `finished` and `unfinished`: somebody claimed it before. `expired`: too late. `unknown`: this store
 * does not have it.
 */
export type ClaimResult = "claimed" | "running" | "finished" | "unfinished" | "expired" | "unknown";

/** The outcome of a resumed call, for a client that lost it and answers once more. */
export interface FinishedResult {
  /** Encrypted for the answers that led to it: a store can neither read nor change it. At most about 350,000 characters. */
  readonly sealed: string;
  /** How long the store keeps it, in milliseconds by the store's clock. */
  readonly maxAgeMs: number;
}

/**
 * Keeps interrupted calls until a person has answered, and sees to it that each runs at most once.
 * In memory by default; `@toolweave/stores` has one that survives a crash. What it throws fails the
 * call with `store_unavailable`: nothing runs that could not be claimed.
 *
 * A store need not be trusted with what it keeps: `state` is sealed, and what else an interruption
 * says is authenticated with it.
 */
export interface PendingCallStore {
  /**
   * Resolves once the interruption is kept for good.
   *
   * @param owner on whose behalf the call was made; a store counts its quota by `quotaOwner(owner)`. Absent: nobody's in
   *   particular.
   * @throws ToolError `limit_exceeded` when the owner, or all together, have as many calls waiting as there may be.
   */
  add(interruption: Interruption, owner?: string): Awaitable<void>;
  /** Takes the call, atomically over everybody who uses the store. */
  claim(interruption: Interruption): Awaitable<ClaimResult>;
  /**
   * Marks a claimed call as ended, whatever came of it.
   *
   * @param result only for a store with `finishedResult`: stored with the mark, in one step. A store
   * that has no room for it drops the oldest results first.
   */
  finish(id: string, result?: FinishedResult): Awaitable<void>;
  /**
   * The `sealed` of the result that `finish` got for this id; `undefined` once it is older than its
   * `maxAgeMs`, or was dropped. Absent: the store keeps no results, and the same answer given twice
   * is refused.
   */
  finishedResult?(id: string): Awaitable<string | undefined>;
  /** One interruption with where it stands. */
  get(id: string): Awaitable<PendingCallRecord | undefined>;
  /** Those not yet finished, oldest first. */
  list(): Awaitable<readonly PendingCallRecord[]>;
  /**
   * Milliseconds since the epoch by the store's clock, which all who share it go by. Absent: each
   * executor's own clock.
   */
  now?(): Awaitable<number>;
}

/** Withdraws an interruption, so that nobody can answer it. What the store does not forget expires by itself. */
export async function withdraw(
  pendingCalls: Pick<PendingCallStore, "claim" | "finish">,
  interruption: Interruption,
): Promise<void> {
  try {
    if ((await pendingCalls.claim(interruption)) === "claimed") {
      await pendingCalls.finish(interruption.id);
    }
  } catch {
    // It expires by itself.
  }
}
