import type { Clock, ClockTimer } from "@toolweave/core";

/** Timers that a test runs by hand. */
export class ManualTimers implements Pick<Clock, "setTimeout" | "clearTimeout"> {
  readonly #timers = new Map<ClockTimer, () => void>();

  setTimeout(callback: () => void): ClockTimer {
    const timer: ClockTimer = {};
    this.#timers.set(timer, callback);
    return timer;
  }

  clearTimeout(timer: ClockTimer): void {
    this.#timers.delete(timer);
  }

  /** Runs all that wait: deadlines, and renewals of leases. */
  expire(): void {
    for (const [timer, callback] of [...this.#timers]) {
      this.#timers.delete(timer);
      callback();
    }
  }
}
