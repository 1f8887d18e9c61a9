import { ToolError } from "../../contract/tool-error.ts";
import type { Clock } from "../../time/clock.ts";
import type { ToolOutcome } from "../../contract/tool-result.ts";
import type { Awaitable } from "../../json/json.ts";

/** Longer waits do not fit the platform's timers. */
const maxTimerMs = 2 ** 31 - 1;

/** A call that can be waited for, and stopped. */
export interface DrainedCall {
  settle: (outcome: Awaitable<ToolOutcome>) => void;
  stop(reason: ToolError): void;
}

/** How an executor comes to rest: no new calls, time for those under way, then cancellation. */
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

  /** Why no new call is taken any more. */
  get refusal(): ToolError | undefined {
    return this.#refusal;
  }

  /** Why nothing runs any more. */
  get cancellation(): ToolError | undefined {
    return this.#cancellation;
  }

  /** Waits for work, too, of which no call in flight shows that it is under way. */
  keep<T>(work: Promise<T>): Promise<T> {
    this.#kept.add(work);
    const forget = (): void => void this.#kept.delete(work);
    work.then(forget, forget);
    return work;
  }

  /** Calls `go` when no more calls are taken; returns what makes it forget that. */
  whenRefusing(go: () => void): () => void {
    this.#waiting.add(go);
    return () => this.#waiting.delete(go);
  }

  /** Resolves when nothing is under way. */
  async begin(graceMs: number): Promise<void> {
    this.#refusal ??= new ToolError(
      "unavailable",
      "The host is shutting down and takes no more calls.",
    );
    for (const go of [...this.#waiting]) go();
    const timer = this.#clock.setTimeout(() => this.#cancel(), Math.min(graceMs, maxTimerMs));
    try {
      // A call that is only just being made is in flight when its tool has given its promise.
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
    const calls = Array.from(this.#activeCalls, endOf);
    return [...calls, ...Array.from(this.#kept, (work) => work.catch(() => {}))];
  }
}

/** Resolves when the outcome of a call is known, and kept where it has to be. */
function endOf(execution: DrainedCall): Promise<unknown> {
  const { settle } = execution;
  return new Promise((end) => {
    execution.settle = (outcome) => {
      settle(outcome);
      end(outcome);
    };
  });
}
