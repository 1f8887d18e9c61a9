import type { Clock, Interruption } from "@toolweave/core";
import {
  memoryPendingCalls,
  type ClaimResult,
  type PendingCallStore,
} from "@toolweave/core/stores";

/** A key that several executors of a test share, as several processes would. */
export const key = "a key of at least thirty-two bytes";

type Step = "add" | "claim" | "finish" | "now";

/** A store that records its requests, and behaves in each step as a test decides. */
export class TestStore implements PendingCallStore {
  readonly steps: string[] = [];
  readonly #inner: PendingCallStore;
  /** Runs instead of the step, or before it. */
  readonly before: Partial<Record<Step, () => unknown>> = {};
  /** The answer of a claim instead of the true one. */
  claims: ClaimResult | undefined;

  constructor(clock?: Clock) {
    this.#inner = memoryPendingCalls(clock);
  }

  async add(interruption: Interruption): Promise<void> {
    await this.#step("add");
    return this.#inner.add(interruption);
  }

  async claim(interruption: Interruption): Promise<ClaimResult> {
    await this.#step("claim");
    return this.claims ?? this.#inner.claim(interruption);
  }

  async finish(id: string): Promise<void> {
    await this.#step("finish");
    return this.#inner.finish(id);
  }

  get: PendingCallStore["get"] = (id) => this.#inner.get(id);

  list: PendingCallStore["list"] = () => this.#inner.list();

  async now(): Promise<number> {
    await this.#step("now");
    return (await this.#inner.now?.()) ?? 0;
  }

  async #step(step: Step): Promise<void> {
    if (step !== "now") this.steps.push(step);
    await this.before[step]?.();
  }
}

/** A promise, and the function that fulfils it. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}
