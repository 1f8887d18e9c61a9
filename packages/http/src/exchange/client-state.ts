import type { Dispatcher } from "undici";
import type { Reach } from "../address/origin.ts";
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

/** A request in progress, and its neighbours in the list of those. */
export interface ActiveExchange {
  previous: ActiveExchange | undefined;
  next: ActiveExchange | undefined;
  cancel(why: string): void;
}

/**
 * The requests of a client that are in progress. The list is linked through its members, because a `Set` reallocates
 * its table again and again as members are added and removed, and old tables keep their members alive until the next
 * full collection.
 */
export class ActiveExchanges {
  #first: ActiveExchange | undefined;

  add(exchange: ActiveExchange): void {
    const first = this.#first;
    exchange.next = first;
    if (first !== undefined) first.previous = exchange;
    this.#first = exchange;
  }

  /** Removes a request. Does nothing for one that is not in the list. */
  delete(exchange: ActiveExchange): void {
    const { previous, next } = exchange;
    if (previous !== undefined) previous.next = next;
    else if (this.#first === exchange) this.#first = next;
    if (next !== undefined) next.previous = previous;
    exchange.previous = undefined;
    exchange.next = undefined;
  }

  /** Cancels all requests; cancelling removes each from the list. */
  cancelAll(why: string): void {
    while (this.#first !== undefined) {
      const first = this.#first;
      this.delete(first);
      first.cancel(why);
    }
  }
}
