import type { Dispatcher } from "undici";

/**
 * How much the host has said about an origin: `public`: nothing, only public addresses will do;
 * `given`: the host wrote it, it may be private; `allowed`: `allowOrigins` names it, even a metadata address.
 */
export type Reach = "public" | "given" | "allowed";

/** A request that is under way. */
export interface ActiveExchange {
  cancel(why: string): void;
}

/** What a client's requests share. */
export interface ClientState {
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly maxRedirects: number;
  /** Origins (of URLs from `parseUrl`) that the host gave or allowed. */
  readonly origins: Map<string, Reach>;
  /** A seam for tests; absent: the process's own pools. */
  readonly dispatcherFor: ((reach: Reach) => Dispatcher) | undefined;
  readonly active: Set<ActiveExchange>;
  closed: boolean;
}
