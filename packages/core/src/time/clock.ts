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

const timers: Pick<Clock, "setTimeout" | "clearTimeout"> = {
  setTimeout: (callback, ms) => setTimeout(callback, ms) as unknown as ClockTimer,
  clearTimeout: (timer) => clearTimeout(timer as never),
};

/** The platform's clock. */
export const systemClock: Clock = { now: () => Date.now(), ...timers };

/** Close to the epoch, for code that compares a steady time with a time of day. */
let origin: number | undefined;

/** A clock that cannot be set: it only advances, at its own pace. It measures durations, not times of day. */
export const steadyClock: Clock = {
  // Node.js loads ten modules with the first use of `performance`, so the import of core leaves it to the first call.
  now: () =>
    (origin ??= Date.now() - Math.floor(performance.now())) + Math.floor(performance.now()),
  ...timers,
};
