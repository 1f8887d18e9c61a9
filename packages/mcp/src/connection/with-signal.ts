import type { Cancellation } from "@toolweave/core";

/** Waits as long as anybody wants to. Rejects with the reason when nobody does any more. */
export function withSignal<T>(
  promise: Promise<T>,
  cancellation: Cancellation | undefined,
): Promise<T> {
  if (cancellation === undefined) return promise;
  return new Promise((resolve, reject) => {
    if (cancellation.aborted) {
      reject(cancellation.reason as Error);
      return;
    }
    const listener = { handleEvent: () => reject(cancellation.reason as Error) };
    cancellation.addEventListener("abort", listener);
    promise
      .then(resolve, reject)
      .finally(() => cancellation.removeEventListener("abort", listener));
  });
}
