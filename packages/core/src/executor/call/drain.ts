import { ToolError } from "../../contract/tool-error.ts";
import type { Clock } from "../../time/clock.ts";
import { maxTimerMs } from "../../time/waiting.ts";
import type { ToolOutcome } from "../../contract/tool-result.ts";
import type { Awaitable } from "../../json/json.ts";

/** Options for draining an executor. */
export interface DrainOptions {
  /** Grace period for active calls in milliseconds. Default: 10,000. */
  readonly graceMs?: number;
}

/** A call that can be waited for and stopped. */
export interface DrainedCall {
  settle: (outcome: Awaitable<ToolOutcome>) => void;
  stop(reason: ToolError): void;
}

/** Drains an executor: it refuses new calls, gives active calls a grace period, then cancels them. */
export class Drain {
  readonly #clock: Clock;
  readonly #activeCalls: Iterable<DrainedCall>;
  readonly #kept = new Set<Promise<unknown>>();
  readonly #waiting = new Set<() => void>();
  #refusal: ToolError | undefined;
  #cancellation: ToolError | undefined;

  constructor(clock: Clock, activeCalls: Iterable<DrainedCall>) {
    this.#clock = clock;
    this.#activeCalls = activeCalls;
  }

  /** The error with which new calls are refused; `undefined`: they are accepted. */
  get refusal(): ToolError | undefined {
    return this.#refusal;
  }

  /** The error with which active calls were cancelled; `undefined`: they were not. */
  get cancellation(): ToolError | undefined {
    return this.#cancellation;
  }

  /** Registers work that is not an active call, so that the drain waits for it too. */
  keep<T>(work: Promise<T>): Promise<T> {
    this.#kept.add(work);
    const forget = (): void => void this.#kept.delete(work);
    work.then(forget, forget);
    return work;
  }

  /** Calls `go` when new calls are refused; returns a function that unregisters it. */
  whenRefusing(go: () => void): () => void {
    this.#waiting.add(go);
    return () => this.#waiting.delete(go);
  }

  /** Resolves when no call is active and no registered work is left. */
  async begin(graceMs: number): Promise<void> {
    this.#refusal ??= new ToolError(
      "unavailable",
      "The host is shutting down and takes no more calls.",
    );
    for (const go of [...this.#waiting]) go();
    const timer = this.#clock.setTimeout(() => this.#cancel(), Math.min(graceMs, maxTimerMs));
    try {
      // A call that has just been made becomes active when its tool has returned its promise.
      await undefined;
      let underWay = this.#underWay();
      while (underWay.length > 0) {
        await Promise.all(underWay);
        underWay = this.#underWay();
      }
    } finally {
      this.#clock.clearTimeout(timer);
    }
  }

  #cancel(): void {
    this.#cancellation ??= new ToolError("cancelled", "The host is shutting down.");
    for (const execution of [...this.#activeCalls]) execution.stop(this.#cancellation);
  }

  #underWay(): Promise<unknown>[] {
    const calls = Array.from(this.#activeCalls, awaitEnd);
    return [...calls, ...Array.from(this.#kept, (work) => work.catch(() => {}))];
  }
}

/** Resolves when the outcome of a call is known and stored where that is required. */
function awaitEnd(execution: DrainedCall): Promise<unknown> {
  const { settle } = execution;
  return new Promise((end) => {
    execution.settle = (outcome) => {
      settle(outcome);
      end(outcome);
    };
  });
}
