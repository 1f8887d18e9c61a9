import { pendingCrypto } from "./pending-crypto.ts";

/** The `ClockTimer` of the core; this package imports none of the others. */
interface ClockTimer {
  unref?(): unknown;
  ref?(): unknown;
}

interface Timer extends ClockTimer {
  readonly at: number;
  readonly callback: () => void;
}

/** A clock that advances only on request of a test. */
export class FakeClock {
  #now = 1_000_000;
  readonly #timers = new Set<Timer>();

  now(): number {
    return this.#now;
  }

  /** The number of waiting timers. */
  get timers(): number {
    return this.#timers.size;
  }

  setTimeout(callback: () => void, ms: number): ClockTimer {
    const timer: Timer = { at: this.#now + Math.max(0, ms), callback };
    this.#timers.add(timer);
    return timer;
  }

  clearTimeout(timer: ClockTimer): void {
    this.#timers.delete(timer as Timer);
  }

  /**
   * Advances by `ms`, calling every timer at its time; the consequences of each have happened
   * before the next.
   */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settled();
    for (;;) {
      const [next] = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.callback();
      await settled();
    }
    this.#now = end;
  }

  /** Advances without calling any timer, as if the process were busy. */
  skip(ms: number): void {
    this.#now += ms;
  }
}

/** Resolves when all queued work, including hashing and sealing, is done. */
export async function settled(): Promise<void> {
  do {
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
  } while (pendingCrypto() > 0);
}
