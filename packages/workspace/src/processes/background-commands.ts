import { randomBytes } from "node:crypto";
import { OutputFile } from "./output-file.ts";

/** How a command in the background has ended. */
export interface BackgroundEnd {
  /** In a few words, such as `exit 0`. */
  readonly text: string;
  readonly exitCode: number | null;
}

/** A command that runs in the background, or has run. */
export class BackgroundCommand {
  readonly id: string;
  readonly owner: string;
  readonly output: OutputFile;
  /** The place up to which the model has read. */
  cursor = 0;
  #end: BackgroundEnd | undefined;
  readonly #stop: AbortController;
  readonly #ended: Promise<void>;
  /** Called at the next output, and at the end. */
  readonly #listeners = new Set<() => void>();

  constructor(owner: string, start: (command: BackgroundStart) => Promise<BackgroundEnd>) {
    this.id = `bg_${randomBytes(4).toString("hex")}`;
    this.owner = owner;
    this.output = new OutputFile(maxOutputBytes);
    this.#stop = new AbortController();
    const onOutput = (chunk: Buffer): void => {
      this.output.add(chunk);
      this.#wake();
    };
    this.#ended = start({ onOutput, signal: this.#stop.signal })
      .catch((error: unknown) => ({ text: (error as Error).message, exitCode: null }))
      .then((end) => {
        this.#end = end;
        this.#wake();
      });
  }

  /** Undefined: it still runs. */
  get end(): BackgroundEnd | undefined {
    return this.#end;
  }

  /** Stops it, and waits for its end. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error("killed"));
    await this.#ended;
  }

  /** Waits until there is output after a place, or it has ended, or the signal fires. */
  async waitForOutput(from: number, signal: AbortSignal): Promise<void> {
    while (this.#end === undefined && this.output.length <= from && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          this.#listeners.delete(wake);
          signal.removeEventListener("abort", wake);
          resolve();
        };
        this.#listeners.add(wake);
        signal.addEventListener("abort", wake, { once: true });
      });
    }
  }

  #wake(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

/** The means of a command in the background. */
export interface BackgroundStart {
  readonly onOutput: (chunk: Buffer) => void;
  readonly signal: AbortSignal;
}

const maxOutputBytes = 64 * 1024 * 1024;
/** Commands of one owner that run at one time, and commands that are remembered after their end. */
const maxRunning = 16;
const maxEnded = 64;

/** The commands of a workspace that run in the background. */
export class BackgroundCommands {
  readonly #commands = new Map<string, BackgroundCommand>();

  /** @returns undefined if the owner has too many of them already. */
  start(
    owner: string,
    start: (command: BackgroundStart) => Promise<BackgroundEnd>,
  ): BackgroundCommand | undefined {
    const all = [...this.#commands.values()];
    const running = all.filter((one) => one.owner === owner && one.end === undefined);
    if (running.length >= maxRunning) return undefined;
    for (const { id, output } of all.filter(({ end }) => end !== undefined).slice(0, -maxEnded)) {
      output.close();
      this.#commands.delete(id);
    }
    const command = new BackgroundCommand(owner, start);
    this.#commands.set(command.id, command);
    return command;
  }

  /** A command of this owner. */
  get(id: string, owner: string): BackgroundCommand | undefined {
    const command = this.#commands.get(id);
    return command?.owner === owner ? command : undefined;
  }

  /** Stops all of them. */
  async close(): Promise<void> {
    const all = [...this.#commands.values()];
    this.#commands.clear();
    await Promise.all(all.map((command) => command.stop()));
    for (const { output } of all) output.close();
  }
}
