import type { Clock, ClockTimer } from "@toolweave/core";
import { deferred } from "./deferred.ts";

interface Timer extends ClockTimer {
  readonly at: number;
  readonly callback: () => void;
}

/** A clock that advances on request. */
export class ManualClock implements Clock {
  #now = Date.parse("2026-11-26T00:00:00Z");
  readonly #timers = new Set<Timer>();
  #onTimer = deferred();

  now(): number {
    return this.#now;
  }

  setTimeout(callback: () => void, ms: number): ClockTimer {
    const timer: Timer = { at: this.#now + ms, callback };
    this.#timers.add(timer);
    this.#onTimer.resolve();
    return timer;
  }

  clearTimeout(timer: ClockTimer): void {
    this.#timers.delete(timer as Timer);
  }

  /** Resolves when a timer waits, with the milliseconds until it is due. */
  async nextTimer(): Promise<number> {
    while (this.#timers.size === 0) {
      this.#onTimer = deferred();
      await this.#onTimer.promise;
    }
    return Math.min(...[...this.#timers].map(({ at }) => at)) - this.#now;
  }

  /** Advances, and runs the timers that are due. */
  async advance(ms: number): Promise<void> {
    this.#now += ms;
    for (const timer of [...this.#timers]) {
      if (timer.at > this.#now) continue;
      this.#timers.delete(timer);
      timer.callback();
    }
    await Promise.resolve();
  }
}
