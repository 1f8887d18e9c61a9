import type { CliIo, TerminalOutput } from "./cli-io.ts";

/** Whoever read the output has gone (`| head`): there is nothing left to do, and nothing is wrong. */
export class OutputClosed extends Error {
  override readonly name: string = "OutputClosed";
}

/** A gateway says things for as long as it runs. */
const maxMessages = 20;

const guardedStreams = new WeakSet<TerminalOutput>();

/** What the command writes: results to stdout, everything said about them to stderr. */
export class Output {
  readonly #stdout: TerminalOutput;
  readonly #stderr: TerminalOutput;
  readonly #secrets: string[] = [];
  readonly #said: string[] = [];
  #hasResult = false;

  constructor(io: CliIo) {
    this.#stdout = io.stdout;
    this.#stderr = io.stderr;
    // A failed write is told to its callback; as an unhandled event it would end the process.
    for (const stream of [io.stdout, io.stderr]) {
      if (!guardedStreams.has(stream)) stream.on("error", () => {});
      guardedStreams.add(stream);
    }
  }

  /** A person reads the results. */
  get isTerminal(): boolean {
    return this.#stdout.isTTY === true;
  }

  /** Something was written to stdout. */
  get hasResult(): boolean {
    return this.#hasResult;
  }

  /** What was said on stderr, as it was said there: the first of it. */
  get said(): readonly string[] {
    return this.#said;
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

  /** Says something about the result, on a line of its own. */
  printMessage(text: string): void {
    let clean = text;
    for (const secret of this.#secrets) clean = clean.replaceAll(secret, "[redacted]");
    if (this.#said.length < maxMessages) this.#said.push(clean);
    this.#stderr.write(`${clean}\n`);
  }
}

function isClosed(error: Error): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return (
    code === "EPIPE" || code === "ERR_STREAM_DESTROYED" || code === "ERR_STREAM_WRITE_AFTER_END"
  );
}
