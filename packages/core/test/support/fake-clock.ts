import type { Clock, ClockTimer } from "@toolweave/core";
import { pendingCrypto } from "./pending-crypto.ts";

interface Timer extends ClockTimer {
  readonly at: number;
  readonly callback: () => void;
}

/** A clock that moves only when a test says so. */
export class FakeClock implements Clock {
  #now = 1_000_000;
  readonly #timers = new Set<Timer>();

  now(): number {
    return this.#now;
  }

  /** How many timers wait. */
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

  /** Moves on by `ms`, calling every timer at its time; what follows from each has happened before the next. */
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

  /** Moves on without calling anybody, as when the process is busy. */
  skip(ms: number): void {
    this.#now += ms;
  }
}

/** Resolves when everything that was only waiting for its turn, or to be hashed or sealed, has had it. */
export async function settled(): Promise<void> {
  do {
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
  } while (pendingCrypto() > 0);
}
