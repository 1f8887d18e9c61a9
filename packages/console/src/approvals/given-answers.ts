import type { Interruption } from "@toolweave/core";

/** An answer that this process has passed to the executor. */
export interface GivenAnswer {
  /** The id of the caller. */
  readonly by: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** For a retry of the answer after a store has removed the call. Absent: it is too long. */
  readonly interruption?: Interruption;
}

const maxEntries = 1_000;
const maxInterruptionLength = 16_384;

/** The latest 1,000 answers of this process: stores do not record who has answered. */
export class GivenAnswers {
  readonly #entries = new Map<string, GivenAnswer>();

  get(id: string): GivenAnswer | undefined {
    return this.#entries.get(id);
  }

  /** Adds an answer, unless the approval has one already. Returns true if it was added. */
  add(interruption: Interruption, by: string, at: number): boolean {
    const { id } = interruption;
    if (this.#entries.has(id)) return false;
    const isShort = JSON.stringify(interruption).length <= maxInterruptionLength;
    this.#entries.set(id, { by, at, ...(isShort ? { interruption } : {}) });
    if (this.#entries.size > maxEntries) {
      const [oldest] = this.#entries.keys();
      if (oldest !== undefined) this.#entries.delete(oldest);
    }
    return true;
  }

  /** Removes an answer that was not accepted. */
  remove(id: string): void {
    this.#entries.delete(id);
  }
}
