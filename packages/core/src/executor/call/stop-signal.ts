import type { Cancellation, CancellationListener } from "../../contract/cancellation.ts";

/** The cancellation of one call. Nearly always somebody listens, and nobody else. */
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

  /** Tells everybody, for the first reason given. What a listener throws takes nothing from the others. */
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
        // As with an event target, whoever aborts does not hear of it.
      }
    }
  }
}
