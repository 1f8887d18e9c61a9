import type { Awaitable, ClockTimer, Interruption } from "@toolweave/core";
import { FakeClock, settled } from "@toolweave/test-support/fake-clock";
import type { Fault } from "./plan.ts";

/** A text that only the host may see: in causes, injected values, states. */
export const secret = "S3CRET";
/** The value that a model sends under the name of an injected value. */
export const forged = "F0RGED";

/** No life needs more timers. One that does has a loop. */
const maxTimers = 5000;

class Clock extends FakeClock {
  #set = 0;

  get isRacing(): boolean {
    return this.#set > maxTimers;
  }

  override setTimeout(callback: () => void, ms: number): ClockTimer {
    this.#set += 1;
    return this.isRacing ? {} : super.setTimeout(callback, ms);
  }
}

/** The shared state of one random life, and its violations. */
export class Environment {
  readonly clock: Clock = new Clock();
  /** Stored, since errors inside tools and listeners stay inside the executor. */
  readonly violations: string[] = [];
  /** All interruptions so far, the executor's own objects. */
  readonly interruptions: Interruption[] = [];
  /** The interruptions of a tool itself, which therefore decides what a rejection means. */
  readonly suspended: Set<string> = new Set();
  /** The events of tasks and their executors, in order. */
  readonly ofTasks: { readonly by: unknown; readonly taskId: string; readonly type: string }[] = [];
  /** The controllers that can stop each running call. */
  readonly controllers: Set<AbortController> = new Set();
  #made = 0;
  readonly #open = new Map<number, string>();

  /** A unique number. */
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

  /** Records that `promise` must settle, and not by rejecting. */
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

  /** The promises that have not settled yet. */
  get open(): readonly string[] {
    return [...this.#open.values()];
  }

  /** Advances the time until all expected promises have settled, or `ms` are over. */
  async until(ms: number): Promise<void> {
    const end = this.clock.now() + ms;
    await settled();
    while (this.open.length > 0 && this.clock.now() < end) await this.clock.advance(50);
  }

  /** A signal that is aborted after the given time, and when everything is. */
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

/** Answers requests by the plan, one after the other, repeatedly. */
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
