import { ajvValidator } from "@toolweave/core";

/** Milliseconds for the patterns of one list; what is left is checked when it is used, by the executor. */
const mostMs = 500;

/**
 * Tells which patterns cannot be checked in bounded time, or are none (see `ajvValidator`). Each is looked at once;
 * those that were not reached in time count as good.
 */
export class PatternFaults {
  readonly #known = new Map<string, boolean>();
  readonly #validator = ajvValidator();
  #spentMs = 0;

  /** The first bad one. */
  async badOf(patterns: Iterable<string>): Promise<string | undefined> {
    for (const pattern of patterns) {
      const known = this.#known.get(pattern);
      const isGood = known ?? (this.#spentMs > mostMs || (await this.#isGood(pattern)));
      if (!isGood) return pattern;
    }
    return undefined;
  }

  async #isGood(pattern: string): Promise<boolean> {
    const { promise, begunAt } = { promise: this.#compiled(pattern), begunAt: performance.now() };
    const isGood = await promise;
    this.#spentMs += performance.now() - begunAt;
    this.#known.set(pattern, isGood);
    return isGood;
  }

  async #compiled(pattern: string): Promise<boolean> {
    try {
      await this.#validator.compile({ pattern });
      return true;
    } catch {
      return false;
    }
  }
}
