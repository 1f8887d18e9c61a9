import { createInterface, type CompleterResult, type Interface } from "node:readline";
import { Interrupt, type CliIo } from "../../process/cli-io.ts";

/** One action at the prompt. */
type Typed =
  | { readonly kind: "line"; readonly text: string }
  /** Ctrl-C. */
  | { readonly kind: "interrupt" }
  /** Ctrl-D, or the end of the input. */
  | { readonly kind: "end" };

/** How lines are read. */
export interface LineOptions {
  /** A person types: lines are edited, with history and completion. */
  readonly isTerminal: boolean;
  /** Earlier lines, the last one first. */
  readonly history: readonly string[];
  /** Receives the history when it changes, the last line first. */
  readonly onHistory: (lines: readonly string[]) => void;
  readonly complete: (line: string) => CompleterResult;
}

/** The lines of stdin, one at a time. */
export class Lines {
  readonly #interface: Interface;
  readonly #isTerminal: boolean;
  readonly #signal: AbortSignal;
  readonly #waiting: Typed[] = [];
  #isClosed = false;
  #isAsking = false;
  #receive: ((typed: Typed) => void) | undefined;
  #onInterrupt: (() => void) | undefined;

  constructor({ stdin, stdout, signal }: CliIo, options: LineOptions) {
    const { isTerminal, history, onHistory, complete } = options;
    this.#isTerminal = isTerminal;
    this.#interface = createInterface({
      input: stdin,
      ...(isTerminal
        ? {
            output: stdout,
            terminal: true,
            history: [...history],
            historySize: 1000,
            removeHistoryDuplicates: true,
            completer: complete,
          }
        : { terminal: false }),
    });
    this.#interface.on("line", (text) => this.#add({ kind: "line", text }));
    this.#interface.on("close", () => {
      this.#isClosed = true;
      this.#add({ kind: "end" });
    });
    this.#interface.on("history", (lines: string[]) => {
      // An answer is no input: it is not offered again.
      if (this.#isAsking) lines.shift();
      else onHistory(lines);
    });
    this.#interface.on("SIGINT", () => {
      if (this.#onInterrupt !== undefined) {
        this.#onInterrupt();
        // A question is waiting for its answer.
        if (this.#receive !== undefined) this.#add({ kind: "interrupt" });
        return;
      }
      // Also what is typed on the line so far.
      this.#interface.write(null, { ctrl: true, name: "e" });
      this.#interface.write(null, { ctrl: true, name: "u" });
      stdout.write("\n");
      this.#add({ kind: "interrupt" });
    });
    signal.addEventListener("abort", () => this.#add({ kind: "interrupt" }), { once: true });
    this.#signal = signal;
  }

  /**
   * Waits for the next line.
   *
   * @throws Interrupt (by rejecting) when the process is to end.
   */
  async next(prompt: string): Promise<Typed> {
    if (this.#isTerminal && !this.#isClosed) {
      this.#interface.setPrompt(prompt);
      this.#interface.prompt();
    }
    const typed =
      this.#waiting.shift() ??
      (await new Promise<Typed>((resolve) => {
        this.#receive = resolve;
      }));
    if (this.#signal.aborted) throw new Interrupt();
    return typed;
  }

  /** Asks a question while an input runs; undefined: there is no answer. Lines that were typed before are no answers. */
  async ask(prompt: string): Promise<string | undefined> {
    const kept = this.#waiting.filter(({ kind }) => kind === "end");
    this.#waiting.splice(0, this.#waiting.length, ...kept);
    this.#isAsking = true;
    try {
      const typed = await this.next(prompt);
      return typed.kind === "line" ? typed.text : undefined;
    } finally {
      this.#isAsking = false;
    }
  }

  /** Calls `onInterrupt` for Ctrl-C until the work has ended. */
  async whileRunning<T>(work: () => Promise<T>, onInterrupt: () => void): Promise<T> {
    this.#onInterrupt = onInterrupt;
    this.#signal.addEventListener("abort", onInterrupt, { once: true });
    try {
      return await work();
    } finally {
      this.#onInterrupt = undefined;
      this.#signal.removeEventListener("abort", onInterrupt);
    }
  }

  close(): void {
    this.#interface.close();
  }

  #add(typed: Typed): void {
    const receive = this.#receive;
    this.#receive = undefined;
    if (receive === undefined) this.#waiting.push(typed);
    else receive(typed);
  }
}
