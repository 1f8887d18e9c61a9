import type { Dispatcher } from "undici";
import type { ActiveExchanges } from "./active-exchanges.ts";
import type { Circuits } from "./circuit.ts";
import type { TlsIdentity } from "./tls-identity.ts";

/**
 * How much the host has said about an origin: `public`: nothing, only public addresses will do;
 * `given`: the host wrote it, it may be private; `allowed`: `allowOrigins` names it, even a metadata address.
 */
export type Reach = "public" | "given" | "allowed";

/** What a client's requests share. */
export interface ClientState {
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly maxRedirects: number;
  readonly certificateAuthorities: string | undefined;
  /** Origins (of URLs from `parseUrl`) that the host gave or allowed. */
  readonly origins: Map<string, Reach>;
  /** A seam for tests; absent: the process's own pools. */
  readonly dispatcherFor:
    | ((reach: Reach, identity?: TlsIdentity, unqueued?: boolean) => Dispatcher)
    | undefined;
  readonly active: ActiveExchanges;
  readonly circuits: Circuits;
  closed: boolean;
}
