import type { Clock, ClockTimer } from "./clock.ts";
import type { Execution } from "./execution.ts";

/**
 * The calls that are waiting for something, and the one timer that watches their deadlines: a timer
 * per call would cost more than the call.
 */
export class InFlight {
  readonly #clock: Clock;
  readonly #waiting = new Set<Execution>();
  #timer: ClockTimer | undefined;
  #armedFor = Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(execution: Execution): void {
    this.#waiting.add(execution);
    if (execution.deadline < this.#armedFor) this.#arm(execution.deadline);
    else if (this.#waiting.size === 1) this.#timer?.ref?.();
  }

  delete(execution: Execution): void {
    // A process with no call under way must be able to end.
    if (this.#waiting.delete(execution) && this.#waiting.size === 0) this.#timer?.unref?.();
  }

  /** Those that wait, in order of arrival. */
  [Symbol.iterator](): IterableIterator<Execution> {
    return this.#waiting.values();
  }

  #arm(deadline: number): void {
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer);
    this.#armedFor = deadline;
    this.#timer = this.#clock.setTimeout(
      () => this.#expire(),
      // Longer waits do not fit the platform's timers.
      Math.min(Math.max(0, deadline - this.#clock.now()), 2 ** 31 - 1),
    );
  }

  #expire(): void {
    this.#timer = undefined;
    this.#armedFor = Infinity;
    const now = this.#clock.now();
    let next = Infinity;
    for (const execution of [...this.#waiting]) {
      if (execution.deadline <= now) execution.expire();
      else if (execution.deadline < next) next = execution.deadline;
    }
    if (next < Infinity) this.#arm(next);
  }
}
