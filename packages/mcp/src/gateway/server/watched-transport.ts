import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import type { Readable, Writable } from "node:stream";

/** A connection over standard input and output that reports its messages and its end. */
export class WatchedTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Resolves when the connection has ended, on either side. */
  readonly closed: Promise<void>;
  readonly #inner: StdioServerTransport;
  readonly #watch: (message: JSONRPCMessage) => Promise<unknown> | undefined;
  #resolve: () => void = () => {};

  /**
   * @param watch Called first with each message; if it returns a promise, the message is delivered when it has
   * resolved.
   */
  constructor(
    input: Readable,
    output: Writable,
    watch: (message: JSONRPCMessage) => Promise<unknown> | undefined,
  ) {
    this.#inner = new StdioServerTransport(input, output);
    this.#watch = watch;
    this.closed = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  async start(): Promise<void> {
    Object.assign(this.#inner, {
      onmessage: (message: JSONRPCMessage) => {
        const wait = this.#watch(message);
        if (wait === undefined) this.onmessage?.(message);
        else void wait.then(() => this.onmessage?.(message));
      },
      onerror: (error: Error) => this.onerror?.(error),
      onclose: () => {
        this.onclose?.();
        this.#resolve();
      },
    } satisfies Pick<Transport, "onmessage" | "onerror" | "onclose">);
    await this.#inner.start();
  }

  send(message: JSONRPCMessage): Promise<void> {
    return this.#inner.send(message);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}
