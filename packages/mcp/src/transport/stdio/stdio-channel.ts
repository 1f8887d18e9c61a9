import { ToolError } from "@toolweave/core";
import { stringifyExact } from "@toolweave/core/adapter";
import type { McpStdioServer } from "../../options/mcp-options.ts";
import type { Channel, ChannelReceiver, OutgoingMessage } from "../messages/channel.ts";
import { ServerProcess } from "./server-process.ts";
import { LineReader } from "./line-reader.ts";
import { readMessage } from "../messages/read-message.ts";
import { ConnectionClosedError } from "../messages/transport-errors.ts";

/** Bytes buffered for a server that does not read its input, after which it counts as overloaded. */
const maxBufferedBytes = 16 * 1024 * 1024;

/** Milliseconds in which a server should exit after it has closed its input or output: it cannot be reached any more. */
const exitGraceMs = 500;

/** Milliseconds that a server gets to exit if the connection attempt failed. */
const failedConnectGraceMs = 250;

/** A server as a child process: one JSON-RPC message per line. */
export class StdioChannel implements Channel {
  readonly hasRequestStreams = false;
  readonly isProcess = true;
  readonly #server: McpStdioServer;
  #child: ServerProcess | undefined;
  #isClosed = false;
  #isConnected = false;
  /** Lines of this tick: they are written together. */
  #outgoing = "";

  constructor(server: McpStdioServer) {
    this.#server = server;
  }

  async open(receiver: ChannelReceiver): Promise<void> {
    const child = await ServerProcess.start(this.#server);
    this.#child = child;
    const reader = new LineReader({
      onLine: (line) => void readMessage(line, receiver),
      onInvalidText: (line) => receiver.onInvalidText(line),
      onTruncated: (line) => {
        const id = line.answeredId;
        if (id === undefined) receiver.skipInvalid(line.beginning);
        else receiver.dropResponse(id);
      },
    });
    child.stdout.on("data", (chunk: Buffer) => {
      if (this.#isClosed || reader.read(chunk)) return;
      receiver.end(
        new ConnectionClosedError("the server wrote a line of more than 256 MiB", child.output),
      );
      void this.close();
    });
    const closed = (): void => {
      const timer = setTimeout(() => {
        receiver.end(
          new ConnectionClosedError("the server has closed its input or its output", child.output),
        );
        void this.close();
      }, exitGraceMs);
      timer.unref();
    };
    child.stdout.once("end", closed);
    child.stdin.once("close", closed);
    void child.ended.then(() =>
      receiver.end(
        new ConnectionClosedError(child.exitReason ?? "the server has ended", child.output),
      ),
    );
    // It was closed while it started.
    if (this.#isClosed) await this.close();
  }

  send(message: OutgoingMessage): undefined {
    const stdin = this.#child?.stdin;
    if (stdin === undefined || !stdin.writable || this.#isClosed) {
      throw new ConnectionClosedError("the server has ended", this.output);
    }
    if (stdin.writableLength + this.#outgoing.length > maxBufferedBytes) {
      throw new ToolError(
        "unavailable",
        `The MCP server ${this.#server.name} does not read its input: ${maxBufferedBytes} bytes are buffered.`,
      );
    }
    if (this.#outgoing === "") process.nextTick(flush, this);
    this.#outgoing += `${stringifyExact(message as never)}\n`;
    return undefined;
  }

  /** Writes the buffered lines. */
  flush(): void {
    const text = this.#outgoing;
    this.#outgoing = "";
    const stdin = this.#child?.stdin;
    if (stdin?.writable === true) stdin.write(text);
  }

  setProtocolVersion(): void {
    this.#isConnected = true;
  }

  /** End of the server's standard error. */
  get output(): string {
    return this.#child?.output ?? "";
  }

  get exitReason(): string | undefined {
    return this.#child?.exitReason;
  }

  async close(): Promise<void> {
    this.flush();
    this.#isClosed = true;
    // A server that was never connected to has nothing to clean up.
    await this.#child?.end(this.#isConnected ? undefined : failedConnectGraceMs);
  }
}

function flush(channel: StdioChannel): void {
  channel.flush();
}
