/** A request that is under way, and its neighbours in the list of those. */
export interface ActiveExchange {
  previous: ActiveExchange | undefined;
  next: ActiveExchange | undefined;
  cancel(why: string): void;
}

/**
 * The requests of a client that are under way. A list linked through its members: a set writes its table anew again and
 * again as they come and go, and old tables keep what was in them alive until the next full collection.
 */
export class ActiveExchanges {
  #first: ActiveExchange | undefined;

  add(exchange: ActiveExchange): void {
    const first = this.#first;
    exchange.next = first;
    if (first !== undefined) first.previous = exchange;
    this.#first = exchange;
  }

  /** May be said twice, and of one that was never added. */
  delete(exchange: ActiveExchange): void {
    const { previous, next } = exchange;
    if (previous !== undefined) previous.next = next;
    else if (this.#first === exchange) this.#first = next;
    if (next !== undefined) next.previous = previous;
    exchange.previous = undefined;
    exchange.next = undefined;
  }

  /** Cancelling takes each out. */
  cancelAll(why: string): void {
    while (this.#first !== undefined) {
      const first = this.#first;
      this.delete(first);
      first.cancel(why);
    }
  }
}
