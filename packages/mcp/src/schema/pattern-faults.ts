import { ajvValidator } from "@toolweave/core";

/** Milliseconds for the patterns of one list; what is left is checked when it is used, by the executor. */
const mostMs = 500;

/** `invalid`: it is no regular expression. `unbounded`: values are not checked against it. */
export type PatternFault = "invalid" | "unbounded";

/**
 * Tells which patterns cannot be checked in bounded time, or are none (see `ajvValidator`). Each is looked at once;
 * those that were not reached in time count as good.
 */
export class PatternFaults {
  readonly #known = new Map<string, PatternFault | undefined>();
  readonly #validator = ajvValidator();
  #spentMs = 0;

  /** What is wrong with some patterns, by pattern. */
  async faultsOf(patterns: Iterable<string>): Promise<ReadonlyMap<string, PatternFault>> {
    const faults = new Map<string, PatternFault>();
    for (const pattern of patterns) {
      if (!this.#known.has(pattern) && this.#spentMs <= mostMs) {
        const begunAt = performance.now();
        this.#known.set(pattern, await this.#faultOf(pattern));
        this.#spentMs += performance.now() - begunAt;
      }
      const fault = this.#known.get(pattern);
      if (fault !== undefined) faults.set(pattern, fault);
    }
    return faults;
  }

  async #faultOf(pattern: string): Promise<PatternFault | undefined> {
    try {
      const { unchecked } = await this.#validator.compile({ pattern });
      return unchecked === undefined ? undefined : "unbounded";
    } catch {
      return "invalid";
    }
  }
}
