/** Milliseconds of work that a list may take without a delay of the next one. */
const freeMs = 250;

/** Factor by which the delay of an expensive list is longer than its work. */
const waitFactor = 10;

/** Maximum delay in milliseconds. */
const maxWaitMs = 60_000;

/**
 * Limits how often a server's list is refreshed: an expensive list that changes constantly would take all of the
 * process's time.
 */
export class ListRefreshThrottle {
  #nextAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  /** Runs the work for a list and measures it. */
  async measure<T>(work: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    try {
      return await work();
    } finally {
      const endedAt = performance.now();
      const spentMs = endedAt - startedAt;
      this.#nextAt = spentMs <= freeMs ? 0 : endedAt + Math.min(waitFactor * spentMs, maxWaitMs);
    }
  }

  /** Refreshes the list at once, or after the delay. Requests in the meantime are coalesced. */
  schedule(read: () => void): void {
    if (this.#isOver || this.#timer !== undefined) return;
    const waitMs = this.#nextAt - performance.now();
    if (waitMs <= 0) return read();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      read();
    }, waitMs);
    this.#timer.unref();
  }

  /** Stops; a scheduled refresh is cancelled. */
  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }
}
