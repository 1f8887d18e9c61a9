import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { LineReader } from "./line-reader.ts";
import type { McpStdioServer } from "./mcp-options.ts";
import { serverEnvironment } from "./server-environment.ts";
import { ServerEnded } from "./server-ended.ts";
import { TextTail } from "./text-tail.ts";

/** Characters of what a server writes to its standard error that are kept. */
const keptOfStderr = 4_000;

/** Milliseconds that a server gets to end by itself, and again after it was told to. */
const patienceMs = 2_000;

const ownGroup = process.platform !== "win32";

/**
 * A server as a child process, in a process group of its own: what it has started ends with it. One
 * JSON-RPC message per line.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  // By these two the SDK knows that this is no HTTP.
  readonly stderr = null;
  readonly #server: McpStdioServer;
  readonly #tail = new TextTail(keptOfStderr);
  #child: ChildProcess | undefined;
  #closed: Promise<void> | undefined;
  #toldClosed = false;

  constructor(server: McpStdioServer) {
    this.#server = server;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  async start(): Promise<void> {
    const { command, args = [], env, cwd } = this.#server;
    const child = spawn(command, args, {
      cwd,
      env: serverEnvironment(env),
      stdio: ["pipe", "pipe", "pipe"],
      detached: ownGroup,
      windowsHide: true,
    });
    this.#child = child;
    const reader = new LineReader((line) => this.#receive(line));
    child.stdout.on("data", (chunk: Buffer) => {
      if (reader.read(chunk)) return;
      this.onerror?.(new Error("A message of the server is larger than 64 MiB."));
      void this.close();
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => this.#tail.add(text));
    for (const stream of [child.stdin, child.stdout, child.stderr]) {
      stream.on("error", (error) => this.onerror?.(error));
    }
    // Before it has started it is an error of the start, afterwards one of a signal.
    child.on("error", (error) => this.onerror?.(error));
    // Others that it has started may hold its output open: nobody would hear that it has ended.
    child.once("exit", () => signalGroup(child, "SIGKILL"));
    child.once("close", () => this.#tellClosed());
    try {
      await once(child, "spawn");
    } catch (error) {
      throw new ServerEnded(`${command} cannot be started`, "", error);
    }
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (stdin === undefined || stdin === null || !stdin.writable || this.#closed !== undefined) {
      throw new ServerEnded("the server has ended", this.#tail.text);
    }
    if (!stdin.write(`${JSON.stringify(message)}\n`)) {
      // It may end instead of reading on.
      await Promise.race([once(stdin, "drain"), once(stdin, "close")]).catch(() => {});
    }
  }

  /** What the server has written to its standard error last. */
  get said(): string {
    return this.#tail.text;
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#end());
  }

  async #end(): Promise<void> {
    const child = this.#child;
    this.#tellClosed();
    if (child?.pid === undefined) return;
    child.stdin?.end();
    if (!(await this.#hasEnded(child))) {
      signalGroup(child, "SIGTERM");
      await this.#hasEnded(child);
    }
    signalGroup(child, "SIGKILL");
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
  }

  #tellClosed(): void {
    if (this.#toldClosed) return;
    this.#toldClosed = true;
    this.onclose?.();
  }

  #hasEnded(child: ChildProcess): Promise<boolean> {
    if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(true);
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), patienceMs);
      child.once("exit", () => {
        clearTimeout(timer);
        resolve(true);
      });
    });
  }

  #receive(line: string): void {
    let message: JSONRPCMessage;
    try {
      message = JSON.parse(line) as JSONRPCMessage;
    } catch {
      // Some servers print something that is no message.
      return;
    }
    try {
      this.onmessage?.(message);
    } catch (error) {
      this.onerror?.(error as Error);
    }
  }
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (ownGroup) process.kill(-(child.pid as number), signal);
    else child.kill(signal);
  } catch {
    // There is nobody left in it.
  }
}
