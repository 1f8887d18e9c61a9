/** Milliseconds of work that a list may cost before its server has to wait with the next. */
const freeMs = 250;

/** How many times as long a server that costs more waits. */
const waitFactor = 10;

/** Milliseconds that it waits at most. */
const maxWaitMs = 60_000;

/**
 * How often a server may have its list read again: one that is costly to read, and changes without end, would take all of
 * the process's time.
 */
export class ListRefreshThrottle {
  #nextAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  /** Does the work for a list, and counts what it costs. */
  async measure<T>(work: () => Promise<T>): Promise<T> {
    const begunAt = performance.now();
    try {
      return await work();
    } finally {
      const endedAt = performance.now();
      const spentMs = endedAt - begunAt;
      this.#nextAt = spentMs <= freeMs ? 0 : endedAt + Math.min(waitFactor * spentMs, maxWaitMs);
    }
  }

  /** Reads the list at once, or when its time has come; once, however often it is asked for meanwhile. */
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

  /** Nothing is read any more. */
  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }
}
