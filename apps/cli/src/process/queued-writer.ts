import type { Output } from "./output.ts";

/** Writes results that are made by code that does not wait. */
export class QueuedWriter {
  readonly #output: Output;
  #written: Promise<void> = Promise.resolve();

  constructor(output: Output) {
    this.#output = output;
  }

  write(text: string): void {
    this.#written = this.#written.then(() => this.#output.write(text));
    // Reported by `end`.
    this.#written.catch(() => {});
  }

  /**
   * Resolves when everything is written.
   *
   * @throws OutputClosed
   */
  end(): Promise<void> {
    return this.#written;
  }
}
