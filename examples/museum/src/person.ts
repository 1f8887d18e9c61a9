import { createInterface, type Interface } from "node:readline";
import type { Readable, Writable } from "node:stream";

/** The streams of a person, which may be pipes. */
export interface Seat {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: Writable & { readonly isTTY?: boolean };
}

/** The person at the terminal, if there is one. */
export class Person {
  readonly #output: Writable;
  readonly #readline: Interface | undefined;
  #closed = false;
  #answer: ((line: string | undefined) => void) | undefined;

  /** Input is read from now on: lines before a question are not an answer to it. */
  constructor({ input, output }: Seat) {
    this.#output = output;
    if (input.isTTY !== true || output.isTTY !== true) return;
    // The terminal edits the line itself: Ctrl-C stays the usual signal.
    this.#readline = createInterface({ input, terminal: false })
      .on("line", (line) => this.#answer?.(line))
      .on("close", () => {
        this.#closed = true;
        this.#answer?.(undefined);
      });
  }

  /** True if input and output are a terminal. A pipe cannot decide. */
  get isThere(): boolean {
    return this.#readline !== undefined;
  }

  /** The next line after the question; `undefined` after Ctrl-D, or when `signal` fires. */
  async ask(question: string, signal: AbortSignal): Promise<string | undefined> {
    if (!this.isThere || this.#closed || signal.aborted) return undefined;
    const stop = (): void => this.#answer?.(undefined);
    signal.addEventListener("abort", stop, { once: true });
    try {
      const line = await new Promise<string | undefined>((resolve) => {
        this.#answer = resolve;
        this.#output.write(question);
      });
      if (line === undefined) this.#output.write("\n");
      return line;
    } finally {
      this.#answer = undefined;
      signal.removeEventListener("abort", stop);
    }
  }

  close(): void {
    this.#readline?.close();
  }
}
