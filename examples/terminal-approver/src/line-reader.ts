import { createInterface, type Interface } from "node:readline";
import type { Readable, Writable } from "node:stream";

/** A terminal, or pipes in its place. */
export interface Terminal {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: Writable & { readonly isTTY?: boolean };
}

/** Asks for one line after another. Ctrl-C and Ctrl-D end it permanently. */
export class LineReader {
  readonly #readline: Interface;
  readonly #output: Writable;
  readonly #isTerminal: boolean;
  /** Lines that were not requested yet. */
  #early: string[] = [];
  #closed = false;
  #waiting: ((line: string | undefined) => void) | undefined;

  constructor({ input, output }: Terminal) {
    this.#output = output;
    this.#isTerminal = input.isTTY === true && output.isTTY === true;
    this.#readline = createInterface({ input, output, terminal: this.#isTerminal })
      .on("line", (line) => {
        if (this.#waiting === undefined) this.#early.push(line);
        else this.#answer(line);
      })
      .on("SIGINT", () => this.close())
      .on("close", () => {
        this.#closed = true;
        if (this.#waiting !== undefined) output.write("\n");
        this.#answer(undefined);
      });
  }

  /** No more lines will arrive. */
  get ended(): boolean {
    return this.#closed && this.#early.length === 0;
  }

  /** The next line; `undefined` if there are no more, or `signal` fires. */
  async ask(prompt: string, signal: AbortSignal): Promise<string | undefined> {
    // Text that was typed before the question is not an answer to it. A pipe is always early.
    if (this.#isTerminal) this.#early = [];
    if (this.ended || signal.aborted) return undefined;
    const early = this.#early.shift();
    this.#prompt(prompt);
    if (early !== undefined) return early;
    const stop = (): void => this.#answer(undefined);
    signal.addEventListener("abort", stop, { once: true });
    try {
      return await new Promise((resolve) => (this.#waiting = resolve));
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  close(): void {
    this.#readline.close();
  }

  #answer(line: string | undefined): void {
    this.#waiting?.(line);
    this.#waiting = undefined;
  }

  #prompt(text: string): void {
    if (this.#isTerminal) {
      this.#readline.setPrompt(text);
      this.#readline.prompt();
    } else {
      this.#output.write(`${text}\n`);
    }
  }
}
