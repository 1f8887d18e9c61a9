/** What had to come to an end did not, in time. */
export class TooLate extends Error {
  /** The process was at work most of the time. */
  readonly wasBusy: boolean;

  constructor(message: string, wasBusy: boolean) {
    super(message);
    this.wasBusy = wasBusy;
  }
}

/** However busy the process is: a wait takes no longer than so many times its limit. */
const maxBusyFactor = 10;

/**
 * Waits for `pending`, but no longer than `ms` in which the process had nothing else to do. Time
 * that it spends on work, such as other calls on a slow machine, does not count.
 *
 * @param what what is waited for, as the subject of a sentence.
 * @param busyFactor how many times `ms` it takes at most, however busy the process is.
 * @throws TooLate when it takes longer.
 */
export async function within<T>(
  pending: PromiseLike<T>,
  ms: number,
  what: string,
  busyFactor: number = maxBusyFactor,
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const idleBefore = idleMs();
  const end = performance.now() + busyFactor * ms;
  const late = new Promise<never>((_, reject) => {
    const look = (): void => {
      const idleLeft = ms - (idleMs() - idleBefore);
      const left = Math.min(idleLeft, end - performance.now());
      if (left <= 0) reject(new TooLate(`${what} took more than ${ms} ms`, idleLeft > 0));
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

/** Milliseconds for which the event loop of this thread has waited so far. */
function idleMs(): number {
  return performance.eventLoopUtilization().idle;
}
