import { TooLate, within } from "./within.ts";

/** How often a run waits in vain until its deadline: a minute with the usual one. */
const maxTimeouts = 6;

/** Milliseconds that anything may take once nothing more is expected. */
const lastMs = 250;

/** Waits within deadlines, for one run and its views. After too many timeouts the budget is exhausted. */
export class DeadlineBudget {
  readonly #deadlineMs: number;
  readonly #inVain: string[] = [];
  /** Nothing else keeps the process busy for so long but what is tested: it is given more time once. */
  #busyFactor: number | undefined;
  /** The rule in whose check it was lost. */
  lostBy: string | undefined;

  /** Some rule has failed: what is not looked at any more does not pass for conformant. */
  isTold = false;

  /** @param deadlineMs that anything may take that must come to an end. */
  constructor(deadlineMs: number) {
    this.#deadlineMs = deadlineMs;
  }

  /** Nothing that takes its time is worth waiting for any more. */
  get isLost(): boolean {
    return this.#inVain.length >= maxTimeouts;
  }

  /** What was waited for in vain. */
  get inVain(): readonly string[] {
    return this.#inVain;
  }

  /**
   * Waits no longer than the deadline, and hardly at all when it is lost: what is left of the check
   * then ends soon.
   *
   * @throws TooLate
   */
  async within<T>(pending: PromiseLike<T>, what: string): Promise<T> {
    const ms = this.isLost ? Math.min(lastMs, this.#deadlineMs) : this.#deadlineMs;
    try {
      return await within(pending, ms, what, this.#busyFactor);
    } catch (error) {
      if (error instanceof TooLate) {
        this.#inVain.push(what);
        if (error.wasBusy) this.#busyFactor = 1;
      }
      throw error;
    }
  }
}
