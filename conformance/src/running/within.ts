/** What had to come to an end did not, in time. */
export class TooLate extends Error {}

/**
 * Waits for `pending`, but no longer than `ms`.
 *
 * @param what what is waited for, as the subject of a sentence.
 * @throws TooLate when it takes longer.
 */
export async function within<T>(pending: PromiseLike<T>, ms: number, what: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TooLate(`${what} took more than ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([pending, late]);
  } finally {
    clearTimeout(timer);
  }
}
