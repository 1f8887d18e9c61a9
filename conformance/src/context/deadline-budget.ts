import { DeadlineError, withTimeout } from "./with-timeout.ts";

/**
 * The number of timeouts after which the budget is exhausted: a minute with the default deadline.
 */
const maxTimeouts = 6;

/** Milliseconds that a wait may take when the budget is exhausted. */
const exhaustedMs = 250;

/**
 * Deadlines of the waits of one run and its views. After too many timeouts the budget is exhausted.
 */
export class DeadlineBudget {
  readonly #deadlineMs: number;
  readonly #inVain: string[] = [];
  /**
   * Set after a timeout in which the subject kept the process busy: busy time is extended only
   * once.
   */
  #busyFactor: number | undefined;
  /** The rule whose check exhausted the budget. */
  exhaustedBy: string | undefined;

  /** True if some rule has failed, so that a run which stops early does not look conformant. */
  hasReported = false;

  /** @param deadlineMs milliseconds that an operation may take that has to end. */
  constructor(deadlineMs: number) {
    this.#deadlineMs = deadlineMs;
  }

  /** True if there were so many timeouts that waiting is no longer worthwhile. */
  get isExhausted(): boolean {
    return this.#inVain.length >= maxTimeouts;
  }

  /** Descriptions of the operations that timed out. */
  get timedOut(): readonly string[] {
    return this.#inVain;
  }

  /**
   * Waits for `pending`, at most until the deadline. If the budget is exhausted, it waits only
   * briefly, so that the rest of the check ends soon.
   *
   * @throws DeadlineError
   */
  async withDeadline<T>(pending: PromiseLike<T>, what: string): Promise<T> {
    const ms = this.isExhausted ? Math.min(exhaustedMs, this.#deadlineMs) : this.#deadlineMs;
    try {
      return await withTimeout(pending, ms, what, this.#busyFactor);
    } catch (error) {
      if (error instanceof DeadlineError) {
        this.#inVain.push(what);
        if (error.wasBusy) this.#busyFactor = 1;
      }
      throw error;
    }
  }
}
