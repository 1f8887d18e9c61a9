import { performance } from "node:perf_hooks";

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

/** The error of an operation that did not end in time. */
export class DeadlineError extends Error {
  /** True if the process was busy most of the time. */
  readonly wasBusy: boolean;

  constructor(message: string, wasBusy: boolean) {
    super(message);
    this.wasBusy = wasBusy;
  }
}

/** The maximum duration of a wait as a multiple of its limit, however busy the process is. */
const maxBusyFactor = 10;

/**
 * Waits for `pending`, at most for `ms` milliseconds in which the process is idle. Time that the
 * process spends working, such as on other calls on a slow machine, does not count.
 *
 * @param what the operation, as the subject of a sentence.
 * @param busyFactor the maximum duration as a multiple of `ms`, however busy the process is.
 * @throws DeadlineError if it takes longer.
 */
export async function withTimeout<T>(
  pending: PromiseLike<T>,
  ms: number,
  what: string,
  busyFactor: number = maxBusyFactor,
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const idleBefore = getIdleMs();
  const end = performance.now() + busyFactor * ms;
  const late = new Promise<never>((_, reject) => {
    const look = (): void => {
      const idleLeft = ms - (getIdleMs() - idleBefore);
      const left = Math.min(idleLeft, end - performance.now());
      if (left <= 0) reject(new DeadlineError(`${what} took more than ${ms} ms`, idleLeft > 0));
      else timer = setTimeout(look, Math.max(1, left));
    };
    timer = setTimeout(look, ms);
  });
  try {
    return await Promise.race([pending, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Milliseconds for which the event loop of this thread has been idle so far. */
function getIdleMs(): number {
  return performance.eventLoopUtilization().idle;
}
