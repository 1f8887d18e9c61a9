import type { Execution } from "./execution.ts";

/**
 * Calls that belong together: none starts before all are admitted or out, and then at most
 * `maxConcurrency` run at once, in call order.
 */
export class Batch {
  readonly #maxConcurrency: number;
  readonly #queue: { readonly execution: Execution; readonly start: () => void }[] = [];
  readonly #running = new Set<Execution>();
  readonly #arrivals = new Map<Execution, () => void>();
  #open = false;

  constructor(maxConcurrency: number) {
    this.#maxConcurrency = maxConcurrency;
  }

  /** Resolves when the call has passed admission, or has ended before. */
  arrived(execution: Execution): Promise<void> {
    return new Promise((resolve) => this.#arrivals.set(execution, resolve));
  }

  /** Resolves when the call may start. */
  enter(execution: Execution): Promise<void> {
    const entered = new Promise<void>((start) => this.#queue.push({ execution, start }));
    this.#arrive(execution);
    this.#fill();
    return entered;
  }

  /** The call has ended, started or not. */
  leave(execution: Execution): void {
    this.#arrive(execution);
    this.#running.delete(execution);
    const queued = this.#queue.findIndex((entry) => entry.execution === execution);
    if (queued !== -1) this.#queue.splice(queued, 1);
    this.#fill();
  }

  /** All are admitted or out. */
  open(): void {
    this.#open = true;
    this.#fill();
  }

  #arrive(execution: Execution): void {
    this.#arrivals.get(execution)?.();
    this.#arrivals.delete(execution);
  }

  #fill(): void {
    while (this.#open && this.#running.size < this.#maxConcurrency) {
      const next = this.#queue.shift();
      if (next === undefined) return;
      this.#running.add(next.execution);
      next.start();
    }
  }
}
