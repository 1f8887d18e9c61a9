import type { Dispatcher } from "undici";
import type { Reach } from "../address/origin.ts";
import type { ActiveExchanges } from "./active-exchanges.ts";
import type { CircuitBreaker } from "./circuit-breaker.ts";
import type { TlsIdentity } from "../connection/tls-identity.ts";

/** State that a client's requests share. */
export interface ClientState {
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly maxRedirects: number;
  readonly certificateAuthorities: string | undefined;
  /** Origins (of URLs from `parseUrl`) that the host configured or allowed. */
  readonly origins: Map<string, Reach>;
  /** Replaced in tests; absent: the process's pools. */
  readonly dispatcherFor:
    | ((reach: Reach, identity?: TlsIdentity, unqueued?: boolean) => Dispatcher)
    | undefined;
  readonly active: ActiveExchanges;
  readonly circuits: CircuitBreaker;
  closed: boolean;
}
