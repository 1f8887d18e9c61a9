import { ToolError } from "@toolweave/core";

/** Work that several callers may want at once, done once for all of them. */
export class SharedWork<T> {
  readonly #underWay = new Map<string, Promise<T>>();

  /**
   * The result of `work`, or of the work of that name that is under way. A caller that aborts gets
   * `cancelled`; the work continues, since a token that the server has issued meanwhile must not get lost.
   */
  run(name: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    if (signal?.aborted) return Promise.reject(cancelled(signal));
    let shared = this.#underWay.get(name);
    if (shared === undefined) {
      shared = work().finally(() => this.#underWay.delete(name));
      this.#underWay.set(name, shared);
    }
    return signal === undefined ? shared : leavable(shared, signal);
  }
}

/** The error for a caller that aborted. */
export function cancelled(signal: AbortSignal): ToolError {
  return new ToolError("cancelled", "Getting a token was cancelled: the caller aborted it.", {
    cause: signal.reason,
  });
}

function leavable<T>(shared: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(cancelled(signal));
    signal.addEventListener("abort", leave);
    shared.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
  });
}
