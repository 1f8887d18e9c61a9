import type { Clock, ClockTimer } from "@toolweave/core";

interface Timer extends ClockTimer {
  readonly at: number;
  readonly callback: () => void;
}

/** A clock that advances only on request of a test, and calls timers on its way. */
export class FakeClock implements Clock {
  #now: number;
  readonly #timers = new Set<Timer>();

  constructor(now = 1_000_000) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  /** The number of waiting timers. */
  get timers(): number {
    return this.#timers.size;
  }

  setTimeout(callback: () => void, ms: number): ClockTimer {
    const timer: Timer = { at: this.#now + ms, callback };
    this.#timers.add(timer);
    return timer;
  }

  clearTimeout(timer: ClockTimer): void {
    this.#timers.delete(timer as Timer);
  }

  /** Calls every timer at its time. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const [next] = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.callback();
    }
    this.#now = end;
  }

  /** Calls no timer, as if the process were busy. */
  skip(ms: number): void {
    this.#now += ms;
  }
}
