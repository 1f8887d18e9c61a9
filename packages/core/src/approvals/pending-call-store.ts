import type { Interruption } from "../spec/interruption.ts";
import type { Awaitable } from "../spec/json.ts";

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
  /** Marks a claimed call as ended, whatever came of it. */
  finish(id: string): Awaitable<void>;
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
