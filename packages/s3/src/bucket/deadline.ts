import { ToolError, type Clock, type ClockTimer } from "@toolweave/core";

/** The timers of deadlines and of pauses between attempts. */
export type Timers = Pick<Clock, "setTimeout" | "clearTimeout">;

/** The end of the time that one operation has, for all of its attempts together. */
export class Deadline {
  readonly #timers: Timers;
  readonly #abort = new AbortController();
  readonly #timer: ClockTimer;

  constructor(timers: Timers, ms: number) {
    this.#timers = timers;
    this.#timer = timers.setTimeout(() => {
      this.#abort.abort(new ToolError("timeout", `No answer came within ${ms} ms.`));
    }, ms);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get hasPassed(): boolean {
    return this.#abort.signal.aborted;
  }

  /** Resolves after a pause, or at once when the time is over. */
  pause(ms: number): Promise<void> {
    const { signal } = this.#abort;
    return new Promise((resolve) => {
      const end = (): void => {
        this.#timers.clearTimeout(timer);
        signal.removeEventListener("abort", end);
        resolve();
      };
      const timer = this.#timers.setTimeout(end, ms);
      signal.addEventListener("abort", end);
      if (signal.aborted) end();
    });
  }

  /** Releases the timer. */
  clear(): void {
    this.#timers.clearTimeout(this.#timer);
  }
}
