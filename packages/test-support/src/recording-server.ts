import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as it arrived. */
export interface Recorded {
  readonly method: string;
  /** Before `?`, as sent. */
  readonly path: string;
  /** After `?`, as sent. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

/** Answers a request whose body has been read. */
export type Answer = (recorded: Recorded, response: ServerResponse) => void;

/** A server on loopback that records its requests. */
export class RecordingServer implements AsyncDisposable {
  readonly requests: Recorded[] = [];
  answer: Answer = (_recorded, response) => {
    response.setHeader("content-type", "application/json");
    response.end("{}");
  };
  #port = 0;
  // Server and client share a process: while it is busy, no idle connection should be closed before
  // the next request.
  readonly #server = createServer({ keepAliveTimeout: 600_000 }, (message, response) => {
    void this.#handle(message, response);
  });

  static async start(answer?: Answer): Promise<RecordingServer> {
    const server = new RecordingServer();
    if (answer !== undefined) server.answer = answer;
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get origin(): string {
    const address = this.#server.address() as AddressInfo | null;
    return `http://127.0.0.1:${address?.port ?? this.#port}`;
  }

  get last(): Recorded {
    const last = this.requests.at(-1);
    if (last === undefined) throw new Error("nothing was requested");
    return last;
  }

  async #handle(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk as Buffer);
    const { url = "" } = message;
    const mark = url.indexOf("?");
    const recorded: Recorded = {
      method: message.method ?? "",
      path: mark === -1 ? url : url.slice(0, mark),
      query: mark === -1 ? "" : url.slice(mark + 1),
      headers: message.headers as Recorded["headers"],
      body: Buffer.concat(chunks),
    };
    this.requests.push(recorded);
    this.answer(recorded, response);
  }

  /** From here on the server does not answer, until `resume`. */
  pause(): Promise<void> {
    this.#port = (this.#server.address() as AddressInfo).port;
    return this.close();
  }

  async resume(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, "127.0.0.1", resolve));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** Answers with a status, a content type and a body. */
export function respond(status: number, contentType: string, body: string | Buffer): Answer {
  return (_recorded, response) => {
    response.writeHead(status, contentType === "" ? {} : { "content-type": contentType });
    response.end(body);
  };
}
