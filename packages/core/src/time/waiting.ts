import { systemClock, type Clock, type ClockTimer } from "./clock.ts";

/** The longest timer of the platform in milliseconds: longer ones fire at once. */
export const maxTimerMs: number = 2 ** 31 - 1;

/** How a wait takes its time. */
export interface WaitOptions {
  /** Default: the platform's. */
  readonly clock?: Clock | undefined;
  /** The timer does not keep the process alive. */
  readonly unref?: boolean | undefined;
}

/**
 * Settles as `work` does; rejects when that takes longer than `ms`. The work continues, and its result is ignored.
 *
 * @param options.late makes the error.
 */
export async function withTimeout<T>(
  work: PromiseLike<T>,
  ms: number,
  options: WaitOptions & { readonly late?: (() => Error) | undefined } = {},
): Promise<T> {
  const { clock = systemClock, late } = options;
  let timer: ClockTimer | undefined;
  const isLate = new Promise<never>((_, reject) => {
    const end = (): void => reject(late?.() ?? new Error(`No answer within ${ms} ms.`));
    timer = startTimer(end, ms, options);
  });
  try {
    return await Promise.race([work, isLate]);
  } finally {
    if (timer !== undefined) clock.clearTimeout(timer);
  }
}

/**
 * Settles as `work` does; rejects with the signal's reason when it is aborted first.
 *
 * @param onLate receives a result that arrives after that.
 */
export function withSignal<T>(
  work: PromiseLike<T>,
  signal: Cancellation | undefined,
  onLate?: (value: T) => unknown,
): Promise<T> {
  if (signal === undefined) return Promise.resolve(work);
  return new Promise((resolve, reject) => {
    const listener = {
      handleEvent: () => {
        reject(signal.reason as Error);
        if (onLate !== undefined) work.then(onLate).then(undefined, () => {});
      },
    };
    const settle = (): void => signal.removeEventListener("abort", listener);
    if (signal.aborted) listener.handleEvent();
    else signal.addEventListener("abort", listener);
    work.then(resolve, reject).then(settle, settle);
  });
}

/** Waits for `work`, at most until `signal` is aborted. An error of the work is the caller's to handle. */
export async function untilAborted(
  work: PromiseLike<unknown>,
  signal: Cancellation | undefined,
): Promise<void> {
  if (signal === undefined) return void (await work);
  let listener: { handleEvent(): void } | undefined;
  const aborted = new Promise<void>((resolve) => {
    listener = { handleEvent: () => resolve() };
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", listener);
  });
  try {
    await Promise.race([work, aborted]);
  } finally {
    if (listener !== undefined) signal.removeEventListener("abort", listener);
  }
}

/**
 * Waits until the time has passed, the signal is aborted, or `wake` is resolved. It never rejects: after an abort the
 * caller decides.
 */
export function pause(
  ms: number,
  options: WaitOptions & {
    readonly signal?: Cancellation | undefined;
    readonly wake?: PromiseLike<unknown> | undefined;
  } = {},
): Promise<void> {
  const { clock = systemClock, signal, wake } = options;
  if (signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const listener = {
      handleEvent: () => {
        clock.clearTimeout(timer);
        signal?.removeEventListener("abort", listener);
        resolve();
      },
    };
    const timer = startTimer(() => listener.handleEvent(), ms, options);
    signal?.addEventListener("abort", listener);
    wake?.then(() => listener.handleEvent());
  });
}

function startTimer(end: () => void, ms: number, options: WaitOptions): ClockTimer {
  const timer = (options.clock ?? systemClock).setTimeout(end, Math.min(ms, maxTimerMs));
  if (options.unref === true) timer.unref?.();
  return timer;
}

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
