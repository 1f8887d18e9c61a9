import { once } from "node:events";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { onTestFinished } from "vitest";
import { startBin } from "./run-bin.ts";

/** A message of JSON-RPC, as the server sends it. */
export interface Message {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** The client of a process `toolweave lsp`. */
export class LspClient {
  readonly process: ChildProcessWithoutNullStreams;
  readonly messages: Message[] = [];
  #buffer = Buffer.alloc(0);
  #notify: () => void = () => {};
  #id = 0;

  constructor(args: readonly string[] = []) {
    this.process = startBin(["lsp", ...args]);
    onTestFinished(() => void this.process.kill());
    this.process.stdout.on("data", (data: Buffer) => {
      this.#buffer = Buffer.concat([this.#buffer, data]);
      for (let message = this.#take(); message !== undefined; message = this.#take())
        this.messages.push(message);
      this.#notify();
    });
  }

  /** Writes bytes as they are. */
  write(text: string): void {
    this.process.stdin.write(text);
  }

  send(message: object): void {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    this.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  notify(method: string, params: object = {}): void {
    this.send({ method, params });
  }

  /** Sends a request and returns the whole answer. */
  async ask(method: string, params?: object): Promise<Message> {
    const id = ++this.#id;
    this.send({ id, method, ...(params !== undefined && { params }) });
    return await this.find((message) => message.id === id);
  }

  async request(method: string, params?: object): Promise<unknown> {
    return (await this.ask(method, params)).result;
  }

  /** The first message that matches, once it has arrived. */
  async find(matches: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const found = this.messages.find(matches);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => (this.#notify = resolve));
    }
  }

  /** The exit code. */
  async exit(): Promise<number | null> {
    if (this.process.exitCode !== null) return this.process.exitCode;
    const [code] = (await once(this.process, "close")) as [number | null];
    return code;
  }

  #take(): Message | undefined {
    const header = this.#buffer.indexOf("\r\n\r\n");
    if (header === -1) return undefined;
    const length = Number(/Content-Length: (\d+)/i.exec(this.#buffer.toString("latin1"))?.[1]);
    const start = header + 4;
    if (this.#buffer.length < start + length) return undefined;
    const body = this.#buffer.subarray(start, start + length).toString("utf8");
    this.#buffer = this.#buffer.subarray(start + length);
    return JSON.parse(body) as Message;
  }
}
