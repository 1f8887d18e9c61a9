import { ToolError } from "@toolweave/core";
import { stringifyExact } from "@toolweave/core/adapter";
import { SseParser, type HttpResponse, type SseEvent } from "@toolweave/http";
import type { McpHttpServer } from "../../options/mcp-options.ts";
import {
  Stop,
  maxMessageBytes,
  type Channel,
  type ChannelReceiver,
  type OutgoingMessage,
  type SendOptions,
} from "../messages/channel.ts";
import type { HttpAuthorization } from "../messages/mcp-connection.ts";
import { HttpEndpoint, statusError } from "./http-endpoint.ts";
import { invalidChunkListener, readMessage } from "../messages/read-message.ts";
import { ConnectionClosedError, markLostSession } from "../messages/transport-errors.ts";
import { refusesSession } from "./read-response.ts";

/**
 * HTTP with SSE (2024-11-05, Transports): one stream with all messages of the server, and a URL that messages are
 * posted to.
 */
export class SseChannel implements Channel {
  readonly hasRequestStreams = false;
  readonly isProcess = false;
  readonly output = "";
  readonly exitReason = undefined;
  readonly #endpoint: HttpEndpoint;
  readonly #closing = new Stop();
  #target: URL | undefined;
  #version: string | undefined;

  constructor(server: McpHttpServer, authorization: HttpAuthorization | undefined) {
    this.#endpoint = new HttpEndpoint(server, authorization);
  }

  async open(receiver: ChannelReceiver): Promise<void> {
    const answer = await this.#endpoint.request({
      method: "GET",
      headers: { accept: "text/event-stream" },
      stop: this.#closing,
    });
    if (answer.stream === undefined) throw statusError(answer, "GET");
    await new Promise<void>((resolve, reject) => {
      void this.#read(answer, receiver, resolve).then((why) => {
        reject(why);
        receiver.end(why);
      });
    });
  }

  async send(message: OutgoingMessage, { headers }: SendOptions = {}): Promise<void> {
    const answer = await this.#endpoint.request({
      method: "POST",
      url: this.#target,
      headers: {
        ...headers,
        ...(this.#version === undefined ? {} : { "mcp-protocol-version": this.#version }),
        "content-type": "application/json",
      },
      body: stringifyExact(message as never),
      stop: this.#closing,
    });
    const { status } = answer;
    if (status >= 200 && status <= 299) return;
    // A posted message belongs to the stream's session; after a redirect it may have been accepted all the same.
    const isUnknown = answer.method === "POST" && refusesSession(message, answer, true);
    throw isUnknown ? markLostSession(statusError(answer)) : statusError(answer);
  }

  setProtocolVersion(version: string): void {
    this.#version = version;
  }

  close(): Promise<void> {
    this.#closing.abort(new Error("the connection was closed"));
    return this.#endpoint.close();
  }

  /** Reads the stream to its end and returns the reason of its end. */
  async #read(answer: HttpResponse, receiver: ChannelReceiver, ready: () => void): Promise<Error> {
    const events = new SseParser({
      onEvent: (event) => {
        if (event.data === "") return;
        if (event.type === "endpoint") {
          this.#target ??= this.#toTarget(event);
          ready();
        } else if (event.type === "message") {
          readMessage(event.data, receiver);
        }
      },
      onText: invalidChunkListener((text) => receiver.onInvalidText(text)),
      maxSize: maxMessageBytes,
    });
    try {
      for await (const chunk of answer.stream ?? []) events.push(chunk);
      return new ConnectionClosedError("the server ended its stream", "");
    } catch (error) {
      return ToolError.is(error)
        ? error
        : new ConnectionClosedError("the stream was interrupted", "", error);
    }
  }

  /** Only the server's own origin is accepted: messages may contain secrets. */
  #toTarget({ data }: SseEvent): URL {
    const { url } = this.#endpoint;
    const target = URL.parse(data, url.href);
    if (target?.origin === url.origin) return target;
    throw new ToolError(
      "permission_denied",
      `The server at ${url.origin} requests that its messages are sent to another origin, which is not allowed.`,
    );
  }
}
