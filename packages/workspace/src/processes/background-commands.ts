import { randomBytes } from "node:crypto";
import { ToolError } from "@toolweave/core";
import { OutputFile } from "./output-file.ts";

/** For whom a command runs. */
export interface CommandOwner {
  /** The session and the caller: they alone read the output. */
  readonly session: string;
  /** The caller, in all of its sessions. */
  readonly caller: string;
}

/** How a command in the background has ended. */
export interface BackgroundEnd {
  /** In a few words, such as `exit 0`. */
  readonly text: string;
  readonly exitCode: number | null;
}

/** A command that runs in the background, or has run. */
export class BackgroundCommand {
  readonly id: string;
  readonly owner: CommandOwner;
  readonly output: OutputFile;
  /** The place up to which the model has read. */
  cursor = 0;
  #end: BackgroundEnd | undefined;
  readonly #stop: AbortController;
  readonly #ended: Promise<void>;
  /** Called at the next output, and at the end. */
  readonly #listeners = new Set<() => void>();

  constructor(owner: CommandOwner, start: (command: BackgroundStart) => Promise<BackgroundEnd>) {
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
/** Commands that run at one time: of one session, and of one caller in all of its sessions. */
const maxOfSession = 16;
const maxOfCaller = 32;
/** Commands of all callers that are remembered after their end. */
const maxEnded = 64;

/** The commands of a workspace that run in the background. */
export class BackgroundCommands {
  readonly #commands = new Map<string, BackgroundCommand>();

  /** @throws ToolError `limit_exceeded` if the session or the caller has too many that run. */
  start(
    owner: CommandOwner,
    start: (command: BackgroundStart) => Promise<BackgroundEnd>,
  ): BackgroundCommand {
    const all = [...this.#commands.values()];
    const running = all.filter((one) => one.end === undefined);
    const ofCaller = running.filter((one) => one.owner.caller === owner.caller);
    const ofSession = ofCaller.filter((one) => one.owner.session === owner.session);
    if (ofSession.length >= maxOfSession) throw toLimitError(ofSession.length, "session");
    if (ofCaller.length >= maxOfCaller) throw toLimitError(ofCaller.length, "caller");
    this.#forgetEnded(all.filter(({ end }) => end !== undefined));
    const command = new BackgroundCommand(owner, start);
    this.#commands.set(command.id, command);
    return command;
  }

  /** A command of this owner. */
  get(id: string, { session }: CommandOwner): BackgroundCommand | undefined {
    const command = this.#commands.get(id);
    return command?.owner.session === session ? command : undefined;
  }

  /** Stops all of them. */
  async close(): Promise<void> {
    const all = [...this.#commands.values()];
    this.#commands.clear();
    await Promise.all(all.map((command) => command.stop()));
    for (const { output } of all) output.close();
  }

  /** Forgets the oldest of the callers that have the most, so that no caller loses its own to those of another one. */
  #forgetEnded(ended: readonly BackgroundCommand[]): void {
    const byCaller = new Map<string, BackgroundCommand[]>();
    for (const command of ended) {
      const { caller } = command.owner;
      byCaller.set(caller, [...(byCaller.get(caller) ?? []), command]);
    }
    for (let count = ended.length; count > maxEnded; count -= 1) {
      const [most = []] = [...byCaller.values()].toSorted((a, b) => b.length - a.length);
      const oldest = most.shift();
      if (oldest === undefined) return;
      oldest.output.close();
      this.#commands.delete(oldest.id);
    }
  }
}

function toLimitError(running: number, of: "session" | "caller"): ToolError {
  return new ToolError(
    "limit_exceeded",
    `${running} commands of this ${of} run in the background, which is the maximum. End one with bash_kill${of === "caller" ? " in the session that has started it" : ""}.`,
  );
}
