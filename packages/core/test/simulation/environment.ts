import type { Awaitable, ClockTimer, Interruption } from "@toolweave/core";
import { FakeClock, settled } from "../support/fake-clock.ts";
import type { Fault } from "./plan.ts";

/** Stands wherever only the host may look: in causes, injected values, states. */
export const secret = "S3CRET";
/** What a model sends in the name of a value that only the host may supply. */
export const forged = "F0RGED";

/** No life needs more timers. One that does has begun to run in circles. */
const mostTimers = 5000;

class Clock extends FakeClock {
  #set = 0;

  get isRacing(): boolean {
    return this.#set > mostTimers;
  }

  override setTimeout(callback: () => void, ms: number): ClockTimer {
    this.#set += 1;
    return this.isRacing ? {} : super.setTimeout(callback, ms);
  }
}

/** What all of one random life have in common, and what went wrong in it. */
export class Environment {
  readonly clock: Clock = new Clock();
  /** Kept, since what is thrown inside tools and listeners stays with the executor. */
  readonly violations: string[] = [];
  /** All that have come up, the executor's own objects. */
  readonly interruptions: Interruption[] = [];
  /** Those that a tool has asked for itself, so that it decides what a no means. */
  readonly suspended: Set<string> = new Set();
  /** What was told of tasks, and by which executor, in the order in which it was. */
  readonly ofTasks: { readonly by: unknown; readonly taskId: string; readonly type: string }[] = [];
  /** What can stop each call that is under way. */
  readonly controllers: Set<AbortController> = new Set();
  #made = 0;
  readonly #open = new Map<number, string>();

  /** A number that nobody else has. */
  next(): number {
    return (this.#made += 1);
  }

  violation(what: string): void {
    this.violations.push(what);
  }

  /** Resolves after `ms`; with 0 in the next microtask. */
  wait(ms: number): Promise<void> {
    if (ms === 0) return Promise.resolve();
    return new Promise((resolve) => void this.clock.setTimeout(resolve, ms));
  }

  /** Notes that `promise` has to come to an end, and not by rejecting. */
  expected<T>(what: string, promise: Promise<T>): Promise<T> {
    const id = this.next();
    this.#open.set(id, what);
    promise.then(
      () => this.#open.delete(id),
      (error: unknown) => {
        this.#open.delete(id);
        this.violation(`${what} rejected: ${String(error)} ${(error as Error).stack ?? ""}`);
      },
    );
    return promise;
  }

  /** What has not come to an end yet. */
  get open(): readonly string[] {
    return [...this.#open.values()];
  }

  /** Lets time go by until all that is expected has come, or `ms` are over. */
  async until(ms: number): Promise<void> {
    const end = this.clock.now() + ms;
    await settled();
    while (this.open.length > 0 && this.clock.now() < end) await this.clock.advance(50);
  }

  /** A signal that is aborted after so long, and when everything is. */
  signal(abortAfterMs: number | undefined): AbortSignal {
    const controller = new AbortController();
    this.controllers.add(controller);
    if (abortAfterMs === 0) controller.abort();
    else if (abortAfterMs !== undefined) {
      this.clock.setTimeout(() => controller.abort(), abortAfterMs);
    }
    return controller.signal;
  }
}

/** What answers requests as the plan says, one after the other, again and again. */
export function answering(
  environment: Environment,
  faults: readonly Fault[],
): <T>(work: () => Awaitable<T>) => Awaitable<T> {
  let asked = 0;
  return (work) => {
    const fault = faults[asked++ % Math.max(1, faults.length)] ?? "now";
    const error = new Error("The store is down.", { cause: secret });
    switch (fault) {
      case "now":
        return work();
      case "later":
        return Promise.resolve().then(work);
      case "slow":
        return environment.wait(7).then(work);
      case "throws":
        if (asked % 2 === 0) throw error;
        return Promise.reject(error);
      case "hangs":
        return new Promise(() => {});
    }
  };
}
