/**
 * The part of an `AbortSignal` that is needed to cancel something. Every `AbortSignal` is one; the executor has a
 * cheaper one for each call (`cancellationOf`).
 */
export interface Cancellation {
  readonly aborted: boolean;
  /** Why, once it is aborted. */
  readonly reason: unknown;
  addEventListener(type: "abort", listener: CancellationListener): void;
  removeEventListener(type: "abort", listener: CancellationListener): void;
}

/** Notified once, at the cancellation. */
export interface CancellationListener {
  handleEvent(): void;
}
