import type { Clock, ClockTimer } from "./clock.ts";

/** Settles as `work` does; rejects when that takes longer than `ms`. */
export async function withTimeout<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T> {
  let timer: ClockTimer | undefined;
  const isLate = new Promise<never>((_, reject) => {
    timer = clock.setTimeout(() => reject(new Error(`No answer within ${ms} ms.`)), ms);
  });
  try {
    return await Promise.race([work, isLate]);
  } finally {
    if (timer !== undefined) clock.clearTimeout(timer);
  }
}

/** Waits for `work`, and no longer than until `signal` fires; what comes of it is the caller's to see. */
export async function untilAborted(
  work: Promise<unknown>,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (signal === undefined) return void (await work);
  let stop: (() => void) | undefined;
  const aborted = new Promise<void>((resolve) => {
    stop = resolve;
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", stop as () => void, { once: true });
  });
  try {
    await Promise.race([work, aborted]);
  } finally {
    if (stop !== undefined) signal.removeEventListener("abort", stop);
  }
}
