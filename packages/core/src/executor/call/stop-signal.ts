import type { Cancellation, CancellationListener } from "../../time/waiting.ts";

/** The cancellation of one call. Optimized for one listener, the usual number. */
export class StopSignal implements Cancellation {
  aborted = false;
  reason: unknown = undefined;
  #listener: CancellationListener | undefined;
  #others: CancellationListener[] | undefined;

  addEventListener(_type: "abort", listener: CancellationListener): void {
    if (this.aborted) return;
    if (this.#listener === undefined) this.#listener = listener;
    else (this.#others ??= []).push(listener);
  }

  removeEventListener(_type: "abort", listener: CancellationListener): void {
    if (this.#listener === listener) this.#listener = undefined;
    else if (this.#others?.includes(listener) === true) {
      this.#others = this.#others.filter((other) => other !== listener);
    }
  }

  /** Notifies all listeners, for the first reason only. An error of one listener does not affect the others. */
  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    const listeners = [this.#listener, ...(this.#others ?? [])];
    this.#listener = undefined;
    this.#others = undefined;
    for (const listener of listeners) {
      try {
        listener?.handleEvent();
      } catch {
        // As with an `EventTarget`, errors of listeners do not reach the caller of `abort`.
      }
    }
  }
}
