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
