import type { Interruption, ToolExecutor } from "@toolweave/core";

/** The maximum number of pending approvals; the oldest are dropped and have to be requested again. */
const most = 1000;

const byExecutor = new WeakMap<ToolExecutor, PendingApprovals>();

/**
 * The calls that wait for a person's answer. They belong to the executor, not to one `aiTools`:
 * the answer comes with a later request, which makes its tools anew.
 */
export class PendingApprovals {
  readonly #interruptions = new Map<string, Interruption>();

  static of(executor: ToolExecutor): PendingApprovals {
    let pending = byExecutor.get(executor);
    if (pending === undefined) byExecutor.set(executor, (pending = new PendingApprovals()));
    return pending;
  }

  /** The same call asked about again replaces the earlier one: one approval is for one of them. */
  add(key: string, interruption: Interruption): void {
    this.#interruptions.delete(key);
    this.#interruptions.set(key, interruption);
    if (this.#interruptions.size <= most) return;
    const [oldest] = this.#interruptions.keys();
    if (oldest !== undefined) this.#interruptions.delete(oldest);
  }

  /** Removes and returns an interruption: a second caller finds none. */
  take(key: string): Interruption | undefined {
    const interruption = this.#interruptions.get(key);
    this.#interruptions.delete(key);
    return interruption;
  }
}
