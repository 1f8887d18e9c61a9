import type { Clock, ClockTimer } from "@toolweave/core";

interface Waiting extends ClockTimer {
  readonly at: number;
  readonly callback: () => void;
}

/** A clock that advances on request. */
export class HandClock implements Clock {
  readonly #waiting = new Set<Waiting>();
  #now = 0;

  now(): number {
    return this.#now;
  }

  setTimeout(callback: () => void, ms: number): ClockTimer {
    const timer: Waiting = { at: this.#now + ms, callback };
    this.#waiting.add(timer);
    return timer;
  }

  clearTimeout(timer: ClockTimer): void {
    this.#waiting.delete(timer as Waiting);
  }

  /** Timers that wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Advances, with all timers that are due and their consequences. */
  async go(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      await settled();
      const [next] = [...this.#waiting].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#now = next.at;
      this.#waiting.delete(next);
      next.callback();
    }
    this.#now = end;
    await settled();
  }
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}
