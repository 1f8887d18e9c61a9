import type { Awaitable } from "../json/json.ts";

/** One limit that a call counts against. */
export interface RateRequest {
  /**
   * Key of the budget, such as `calls/60000:tool:search`. It includes the window: requests of one key always have the
   * same.
   */
  readonly key: string;
  /** The amount that the call uses. */
  readonly amount: number;
  /** Maximum within any window. */
  readonly limit: number;
  /** Milliseconds. */
  readonly windowMs: number;
}

/** A reservation, to be committed or released; or the limit that refuses it. */
export type RateReservation =
  | { readonly granted: true; readonly id: string }
  | {
      readonly granted: false;
      /** Key of the limit that is exhausted. */
      readonly key: string;
      /** Milliseconds until the same request could be granted; `Infinity`: never. */
      readonly retryAfterMs: number;
    };

/**
 * Counts calls in sliding windows. In memory by default; `@toolweave/stores` has one that processes can share. Windows
 * use the store's own clock. If it throws, the call fails with `store_unavailable`.
 */
export interface RateLimitStore {
  /** Reserves all requests, whose keys differ, or none. Reserved amounts count as used. */
  reserve(requests: readonly RateRequest[]): Awaitable<RateReservation>;
  /**
   * Commits a reservation: its window begins now. A reservation that is neither committed nor released counts as used.
   */
  commit(id: string): Awaitable<void>;
  /** Releases a reservation that has not been used. */
  release(id: string): Awaitable<void>;
}
