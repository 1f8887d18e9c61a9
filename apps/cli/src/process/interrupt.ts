/** Ctrl-C. */
export class Interrupt extends Error {
  override readonly name: string = "Interrupt";
}

/**
 * Waits for `pending`, but not beyond Ctrl-C.
 *
 * @throws Interrupt
 */
export async function rejectOnInterrupt<T>(pending: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) throw new Interrupt();
  let stop = (): void => {};
  const interrupted = new Promise<never>((_, reject) => {
    stop = () => reject(new Interrupt());
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([pending, interrupted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
