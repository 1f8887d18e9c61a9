import type { Awaitable } from "../json/json.ts";

/** One limit that a call counts against. */
export interface RateRequest {
  /**
   * Whose budget it is, such as `calls/60000:tool:search`. It names the window, too: requests of one
   * key always have the same.
   */
  readonly key: string;
  /** What the call takes of it. */
  readonly amount: number;
  /** How much there is within any window. */
  readonly limit: number;
  /** Milliseconds. */
  readonly windowMs: number;
}

/** A reservation, to be committed or released; or what stood in its way. */
export type RateReservation =
  | { readonly granted: true; readonly id: string }
  | {
      readonly granted: false;
      /** The limit that is used up. */
      readonly key: string;
      /** Milliseconds until the same request could be granted; `Infinity`: never. */
      readonly retryAfterMs: number;
    };

/**
 * Counts calls in sliding windows. In memory by default; one that several processes share is in
 * `@toolweave/stores`. Windows go by the store's own clock. What it throws fails the call with
 * `store_unavailable`.
 */
export interface RateLimitStore {
  /** Takes all of them, whose keys differ, or none. What is reserved counts as used. */
  reserve(requests: readonly RateRequest[]): Awaitable<RateReservation>;
  /**
   * What was reserved is being used: its window begins now. What is neither committed nor released
   * counts as used.
   */
  commit(id: string): Awaitable<void>;
  /** What was reserved has not been used. */
  release(id: string): Awaitable<void>;
}
