import { ToolError } from "@toolweave/core";
import type { McpStdioServer } from "../../options/mcp-options.ts";
import type { Channel, ChannelReceiver, OutgoingMessage } from "../messages/channel.ts";
import { ServerProcess } from "./server-process.ts";
import { LineReader } from "./line-reader.ts";
import { readMessage } from "../messages/read-message.ts";
import { ServerEnded } from "../messages/transport-errors.ts";

/** Characters and bytes that wait for a server that does not read: beyond them it is overloaded. */
const mostWaiting = 16 * 1024 * 1024;

/** Milliseconds after a server has closed its input or output in which it should end: nobody can speak with it any more. */
const farewellMs = 500;

/** Milliseconds that a server gets to end that could not be connected to. */
const briefMs = 250;

/** A server as a child process: one JSON-RPC message per line. */
export class StdioChannel implements Channel {
  readonly hasOwnStreams = false;
  readonly isProcess = true;
  readonly #server: McpStdioServer;
  #child: ServerProcess | undefined;
  #isClosed = false;
  #isConnected = false;
  /** Lines of this moment: they are written together. */
  #outgoing = "";

  constructor(server: McpStdioServer) {
    this.#server = server;
  }

  async open(receiver: ChannelReceiver): Promise<void> {
    const child = await ServerProcess.start(this.#server);
    this.#child = child;
    const reader = new LineReader({
      onLine: (line) => void readMessage(line, receiver),
      onInvalidText: (line) => receiver.invalidText(line),
      onCut: (line) => {
        const id = line.answeredId;
        if (id === undefined) receiver.skip(line.beginning);
        else receiver.cut(id);
      },
    });
    child.stdout.on("data", (chunk: Buffer) => {
      if (this.#isClosed || reader.read(chunk)) return;
      receiver.end(new ServerEnded("the server wrote a line without end", child.said));
      void this.close();
    });
    const closed = (): void => {
      const timer = setTimeout(() => {
        receiver.end(new ServerEnded("the server has closed its input or its output", child.said));
        void this.close();
      }, farewellMs);
      timer.unref();
    };
    child.stdout.once("end", closed);
    child.stdin.once("close", closed);
    void child.ended.then(() =>
      receiver.end(new ServerEnded(child.fate ?? "the server has ended", child.said)),
    );
    // It was closed while it started.
    if (this.#isClosed) await this.close();
  }

  send(message: OutgoingMessage): undefined {
    const stdin = this.#child?.stdin;
    if (stdin === undefined || !stdin.writable || this.#isClosed) {
      throw new ServerEnded("the server has ended", this.said);
    }
    if (stdin.writableLength + this.#outgoing.length > mostWaiting) {
      throw new ToolError(
        "unavailable",
        `The MCP server ${this.#server.name} does not read what it is sent: ${mostWaiting} bytes are waiting for it.`,
      );
    }
    if (this.#outgoing === "") process.nextTick(flush, this);
    this.#outgoing += `${JSON.stringify(message)}\n`;
    return undefined;
  }

  /** Writes what has come together. */
  flush(): void {
    const text = this.#outgoing;
    this.#outgoing = "";
    const stdin = this.#child?.stdin;
    if (stdin?.writable === true) stdin.write(text);
  }

  setProtocolVersion(): void {
    this.#isConnected = true;
  }

  /** What the server has written to its standard error last. */
  get said(): string {
    return this.#child?.said ?? "";
  }

  get fate(): string | undefined {
    return this.#child?.fate;
  }

  async close(): Promise<void> {
    this.flush();
    this.#isClosed = true;
    // One that was never spoken to has nothing to put away.
    await this.#child?.end(this.#isConnected ? undefined : briefMs);
  }
}

function flush(channel: StdioChannel): void {
  channel.flush();
}
