import type { CliIo, TerminalOutput } from "./cli-io.ts";
import { hasColors, toStyle, type Style } from "./terminal.ts";

/** The reader of the output has closed it (`| head`): there is nothing left to do, and nothing is wrong. */
export class OutputClosed extends Error {
  override readonly name: string = "OutputClosed";
}

/** A bound, since a gateway prints messages for as long as it runs. */
const maxMessages = 20;

const guardedStreams = new WeakSet<TerminalOutput>();

/** The output of the command: results go to stdout, messages about them to stderr. */
export class Output {
  readonly #stdout: TerminalOutput;
  readonly #stderr: TerminalOutput;
  readonly #secrets: string[] = [];
  readonly #messages: string[] = [];
  #hasResult = false;
  #style: Style;

  constructor(io: CliIo) {
    this.#style = toStyle(hasColors(io.stdout, io.env));
    this.#stdout = io.stdout;
    this.#stderr = io.stderr;
    // A failed write is reported to its callback; as an unhandled event it would end the process.
    for (const stream of [io.stdout, io.stderr]) {
      if (!guardedStreams.has(stream)) stream.on("error", () => {});
      guardedStreams.add(stream);
    }
  }

  /** A person reads the results. */
  get isTerminal(): boolean {
    return this.#stdout.isTTY === true;
  }

  /** The width of the terminal; undefined: it is none, or has no width. */
  get columns(): number | undefined {
    return this.isTerminal ? this.#stdout.columns : undefined;
  }

  /** Formats results: with colours, if stdout gets them. */
  get style(): Style {
    return this.#style;
  }

  /** `--no-color` */
  disableColors(): void {
    this.#style = toStyle(false);
  }

  /** Something was written to stdout. */
  get hasResult(): boolean {
    return this.#hasResult;
  }

  /** The first messages on stderr, as they were printed there. */
  get messages(): readonly string[] {
    return this.#messages;
  }

  /** Never to be written to stderr. */
  addSecrets(...secrets: readonly string[]): void {
    this.#secrets.push(...secrets.filter((secret) => secret.length > 3));
  }

  /**
   * Writes a result; resolves when more can be taken.
   *
   * @throws OutputClosed
   */
  write(text: string): Promise<void> {
    this.#hasResult = true;
    return new Promise((resolve, reject) => {
      this.#stdout.write(text, (error) => {
        if (error === null || error === undefined) resolve();
        else if (isClosed(error)) reject(new OutputClosed());
        else reject(error);
      });
    });
  }

  /** Prints a message about the result to stderr, on a line of its own. */
  printMessage(text: string): void {
    let clean = text;
    for (const secret of this.#secrets) clean = clean.replaceAll(secret, "[redacted]");
    if (this.#messages.length < maxMessages) this.#messages.push(clean);
    this.#stderr.write(`${clean}\n`);
  }
}

function isClosed(error: Error): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return (
    code === "EPIPE" || code === "ERR_STREAM_DESTROYED" || code === "ERR_STREAM_WRITE_AFTER_END"
  );
}

/** The context of a command; `end` takes its exit code. */
export interface CommandContext {
  readonly io: CliIo;
  readonly output: Output;
  readonly end: (code: number) => void;
}
