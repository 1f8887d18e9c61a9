import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import type { McpStdioServer } from "../../options/mcp-options.ts";
import { detachedProcesses, isAlive, type StartedProcess } from "./detached-processes.ts";
import { findProgram } from "./find-program.ts";
import { serverEnvironment } from "./server-environment.ts";
import { ServerEnded } from "../messages/transport-errors.ts";
import { TextTail } from "./text-tail.ts";
import { watchdog } from "./watchdog.ts";

/** Characters of what a server writes to its standard error that are kept. */
const keptOfStderr = 4_000;

/** Milliseconds that a server gets to end by itself, and again after it was told to. */
const patienceMs = 2_000;

/** Milliseconds in which what an ended server has written is read. Whoever has detached itself may hold the pipe open. */
const remainderMs = 50;

/** Milliseconds that the platform gets to end a process, and those that have detached themselves to follow it. */
const lastMs = 250;

const ownGroup = process.platform !== "win32";

/**
 * A server as a child process, in a process group of its own: what it has started ends with it, and with the host,
 * however that ends. On Windows only the server itself does. What has detached itself from the group is named in a
 * warning of the process (`TOOLWEAVE_DETACHED`), where the platform tells, and left alone.
 *
 * Its streams are for whoever speaks with it; its standard error is read here.
 */
export class ServerProcess {
  /** Resolves when it has ended and all that it wrote has been read. */
  readonly ended: Promise<void>;
  readonly #name: string;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #exited: Promise<void>;
  readonly #tail = new TextTail(keptOfStderr);
  #hasExited = false;
  #isToldToEnd = false;
  #fate: string | undefined;
  #ending: Promise<void> | undefined;

  private constructor(name: string, child: ChildProcessWithoutNullStreams) {
    this.#name = name;
    this.#child = child;
    child.stderr.setEncoding("utf8").on("data", (text: string) => this.#tail.add(text));
    this.#exited = new Promise((resolve) => {
      child.once("exit", (code, signal) => {
        this.#hasExited = true;
        if (!this.#isToldToEnd) this.#fate = fateOf(code, signal);
        // Others that it has started may hold its output open: nobody would hear that it has ended.
        this.#signal("SIGKILL");
        watchdog.ended(this.pid);
        setTimeout(() => this.#letGo(), remainderMs);
        resolve();
      });
    });
    this.ended = new Promise((resolve) => void child.once("close", () => resolve()));
    // What the streams say is for whoever reads and writes them; that it has ended is said above.
    for (const part of [child, child.stdin, child.stdout, child.stderr]) part.on("error", () => {});
  }

  /** Starts it. @throws ServerEnded when it cannot be started. */
  static async start(server: McpStdioServer): Promise<ServerProcess> {
    const { name, command, args = [], env: given, cwd } = server;
    const env = serverEnvironment(given);
    const options = { cwd, env, detached: ownGroup, windowsHide: true };
    try {
      if (ownGroup) await findProgram(command, cwd, env["PATH"]);
      const watched = watchdog.start(command, args);
      if (watched === undefined) {
        const child = spawn(command, args, { ...options, stdio: "pipe" });
        const started = new ServerProcess(name, child);
        await once(child, "spawn");
        return started;
      }
      const child = spawn(watched.command, watched.args, {
        ...options,
        stdio: ["pipe", "pipe", "pipe", watched.channel],
      }) as ChildProcessWithoutNullStreams;
      const started = new ServerProcess(name, child);
      watchdog.started(child.pid);
      if (child.pid === undefined) await once(child, "spawn");
      return started;
    } catch (error) {
      throw new ServerEnded((error as Error).message, "", error);
    }
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  get stdin(): Writable {
    return this.#child.stdin;
  }

  get stdout(): Readable {
    return this.#child.stdout;
  }

  /** What it has written to its standard error last. */
  get said(): string {
    return this.#tail.text;
  }

  /** How it came to its end; `undefined`: it has not, or was told to. */
  get fate(): string | undefined {
    return this.#fate;
  }

  /**
   * Ends it and what it has started, by force when it does not end by itself. Idempotent; never rejects.
   *
   * @param withinMs milliseconds that it gets, and again after it was told to.
   */
  end(withinMs: number = patienceMs): Promise<void> {
    return (this.#ending ??= this.#end(withinMs));
  }

  async #end(withinMs: number): Promise<void> {
    const detached = this.#hasExited ? [] : detachedProcesses(this.pid);
    // It is ending already when it no longer reads.
    this.#isToldToEnd = this.#child.stdin.writable;
    this.#child.stdin.end();
    if (!(await this.#exits(withinMs))) {
      this.#signal("SIGTERM");
      if (!(await this.#exits(withinMs))) {
        this.#signal("SIGKILL");
        await this.#exits(lastMs);
      }
    }
    this.#letGo();
    await this.#report(detached);
  }

  async #exits(withinMs: number): Promise<boolean> {
    if (this.#hasExited) return true;
    const patience = new AbortController();
    const { signal } = patience;
    const late = pause(withinMs, undefined, { signal }).catch(() => {});
    await Promise.race([this.#exited, late]);
    patience.abort();
    return this.#hasExited;
  }

  async #report(detached: readonly StartedProcess[]): Promise<void> {
    if (!detached.some(isAlive)) return;
    // Many of them end when they see that nobody is there any more.
    await pause(lastMs);
    const left = detached.filter(isAlive);
    if (left.length === 0) return;
    const names = left.map(({ pid, name }) => `${name} (${pid})`).join(", ");
    process.emitWarning(`The MCP server ${this.#name} has left processes behind: ${names}.`, {
      code: "TOOLWEAVE_DETACHED",
    });
  }

  #signal(signal: NodeJS.Signals): void {
    try {
      if (ownGroup) process.kill(-this.pid, signal);
      else this.#child.kill(signal);
    } catch {
      // There is nobody left in it.
    }
  }

  #letGo(): void {
    const { stdin, stdout, stderr } = this.#child;
    for (const stream of [stdin, stdout, stderr]) stream.destroy();
  }
}

function fateOf(code: number | null, signal: NodeJS.Signals | null): string {
  return signal === null
    ? `the server has ended with the exit code ${code}`
    : `the server was ended by ${signal}`;
}
