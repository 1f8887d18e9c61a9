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
