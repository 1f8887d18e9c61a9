/** A timer that `clock.setTimeout` made. */
export interface ClockTimer {
  /** Lets the process end while the timer waits, where the platform knows that. */
  unref?(): unknown;
  ref?(): unknown;
}

/** Where the executor takes its time from; another one makes time testable. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  setTimeout(callback: () => void, ms: number): ClockTimer;
  clearTimeout(timer: ClockTimer): void;
}

/** The platform's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (callback, ms) => setTimeout(callback, ms) as unknown as ClockTimer,
  clearTimeout: (timer) => clearTimeout(timer as never),
};
