/**
 * As much of an `AbortSignal` as it takes to end something early. Every `AbortSignal` is one; the executor has a cheaper
 * one for each call (`cancellationOf`).
 */
export interface Cancellation {
  readonly aborted: boolean;
  /** Why, once it is aborted. */
  readonly reason: unknown;
  addEventListener(type: "abort", listener: CancellationListener): void;
  removeEventListener(type: "abort", listener: CancellationListener): void;
}

/** Told once, when something is to end. */
export interface CancellationListener {
  handleEvent(): void;
}
