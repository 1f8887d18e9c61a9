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
