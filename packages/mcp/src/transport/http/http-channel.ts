import { ToolError } from "@toolweave/core";
import { parseExact, pause, stringifyExact } from "@toolweave/core/adapter";
import { SseParser, type HttpResponse } from "@toolweave/http";
import type { McpHttpServer } from "../../options/mcp-options.ts";
import {
  type Channel,
  type ChannelReceiver,
  type OutgoingMessage,
  type SendOptions,
  Stop,
  maxMessageBytes,
} from "../messages/channel.ts";
import {
  ResponseLostError,
  ConnectionClosedError,
  markRejection,
  unsupportedVersion,
} from "../messages/transport-errors.ts";
import type { HttpAuthorization } from "../messages/mcp-connection.ts";
import {
  invalidChunkListener,
  isInvalidText,
  hasTooManyValues,
  readMessage,
  tooLargeMessage,
} from "../messages/read-message.ts";
import { discardBody, getHeader, HttpEndpoint, statusError } from "./http-endpoint.ts";
import { messageHeaders, getVersion } from "./message-headers.ts";

/** Milliseconds that a server gets to respond to the end of a session. */
const sessionEndMs = 1_000;
/** Milliseconds that a stream may stay open after all its requests have been answered. */
const lingerMs = 5_000;
/** Milliseconds before a stream is reopened, unless the server sets them. They double with each failure. */
const firstPauseMs = 1_000;
const maxPauseMs = 30_000;
/** Minimum, whatever the server sets. */
const minPauseMs = 100;
/** Milliseconds that `connect` waits until it is known whether the server has a stream of its own. */
const streamWaitMs = 500;
/** Attempts in a row to resume a response on a new stream. */
const maxResumptions = 5;

/** Methods with side effects: once the server has accepted such a request, it is not sent again. All others only read. */
const changing: ReadonlySet<string | undefined> = new Set(["tools/call", "tasks/update"]);

/** Id that fits in a header and is no longer than servers accept. */
const headerId = /^[ -~\u0080-\u00ff]{0,4096}$/;

const accepted = "application/json, text/event-stream";

/** Streamable HTTP (2025-11-25 and 2026-07-28, Transports). */
export class HttpChannel implements Channel {
  readonly hasRequestStreams = true;
  readonly isProcess = false;
  readonly output = "";
  readonly exitReason = undefined;
  readonly #endpoint: HttpEndpoint;
  readonly #closing = new Stop();
  #receiver: ChannelReceiver | undefined;
  #version: string | undefined;
  #session: string | undefined;
  #hasOpenedOwnStream = false;
  /** `connect` no longer waits until the server's own stream is open. */
  #isLate = false;

  constructor(server: McpHttpServer, authorization: HttpAuthorization | undefined) {
    this.#endpoint = new HttpEndpoint(server, authorization);
  }

  async open(receiver: ChannelReceiver): Promise<void> {
    this.#receiver = receiver;
  }

  setProtocolVersion(version: string): void {
    this.#version = version;
  }

  async send(message: OutgoingMessage, options: SendOptions = {}): Promise<void> {
    const { id, method } = message;
    const isHandshake = method === "initialize";
    const isNotRequest = id === undefined || method === undefined;
    if (isHandshake) this.#session = undefined;
    // A request that carries its version belongs to no session.
    const state = getVersion(message) === undefined ? this.#stateHeaders() : {};
    const answer = await this.#endpoint.request({
      method: "POST",
      headers: {
        ...options.headers,
        ...state,
        accept: accepted,
        "content-type": "application/json",
        ...messageHeaders(message),
      },
      body: stringifyExact(message as never),
      // A call may wait for a response of the client's, or be the one that is cancelled.
      unqueued: isNotRequest || method === "subscriptions/listen",
      stop: options.stop,
    });
    const { status } = answer;
    if (status < 200 || status > 299) {
      return this.#onErrorStatus(message, answer, state["mcp-session-id"] !== undefined);
    }
    if (isHandshake) this.#session = getHeader(answer, "mcp-session-id");
    if (method === "notifications/initialized") await this.#openOwnStream();
    if (id === undefined || method === undefined) return discardBody(answer);
    await this.#readResponse(message as OutgoingRequest, answer, options);
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error("the connection was closed"));
    const session = this.#session;
    if (session !== undefined) {
      this.#session = undefined;
      const headers = { ...this.#stateHeaders(), "mcp-session-id": session };
      const timeout = new Stop();
      const timer = setTimeout(() => timeout.abort(new Error("no response")), sessionEndMs);
      // Optional: many servers do not let a client end a session.
      await this.#endpoint
        .request({ method: "DELETE", headers, stop: timeout })
        .then(discardBody, () => {});
      clearTimeout(timer);
    }
    await this.#endpoint.close();
  }

  #stateHeaders(): Record<string, string> {
    const headers: Record<string, string> = {};
    if (this.#session !== undefined) headers["mcp-session-id"] = this.#session;
    if (this.#version !== undefined) headers["mcp-protocol-version"] = this.#version;
    return headers;
  }

  /** @param hadSession The request named a session. */
  #onErrorStatus(message: OutgoingMessage, answer: HttpResponse, hadSession: boolean): void {
    const { status } = answer;
    if (answer.method !== "POST" && changing.has(message.method)) {
      // The redirect is a response of its own: the posted call may have run before it.
      const reason = `redirected the request, which was answered there with the status ${status}`;
      throw new ResponseLostError(reason, statusError(answer));
    }
    // A server of the newer protocol also sends the error as JSON-RPC.
    if (getVersion(message) !== undefined && status < 500 && status !== 401 && status !== 403) {
      const body = parseBody(answer) as
        | { readonly id?: unknown; readonly error?: unknown }
        | undefined;
      if (body?.id === message.id && body?.error !== undefined) {
        markRejection(body);
        return this.#receiver?.receive(body);
      }
    }
    // Even if the session is lost: every other pending request learns for itself whether it was run.
    throw statusError(answer, isStale(message, answer, hadSession));
  }

  /**
   * Reads the response of a request.
   *
   * @throws when there is none.
   */
  async #readResponse(
    message: OutgoingRequest,
    answer: HttpResponse,
    options: SendOptions,
  ): Promise<void> {
    if (answer.mediaType === "application/json") {
      const text = answer.text();
      const body = parseBody(answer, text);
      if (isInvalidText(text, answer.body)) this.#receiver?.onInvalidText(text);
      this.#receiver?.receive(body);
      if (includesResponse(body, message.id)) return;
      throw incompleteResponseError();
    }
    if (answer.stream === undefined) throw notJsonRpcError(message, answer);
    const reading = new StreamState(message.id);
    await this.#read(answer, reading);
    for (let tries = 0; !reading.isAnswered; tries++) {
      const canResume = reading.lastId !== undefined && getVersion(message) === undefined;
      if (!canResume || tries === maxResumptions) throw incompleteResponseError(reading.failure);
      await pause(reading.pauseMs, { signal: options.stop ?? this.#closing, unref: true });
      await this.#resume(message, reading, options.stop);
    }
  }

  /**
   * Requests the rest of a response. If the server cannot be reached, the next attempt may succeed.
   *
   * @throws ResponseLostError when the server refuses: the accepted call may have run.
   */
  async #resume(
    { method }: OutgoingMessage,
    reading: StreamState,
    stop: Stop | undefined,
  ): Promise<void> {
    if (stop?.aborted === true || this.#closing.aborted) throw incompleteResponseError();
    let answer: HttpResponse;
    try {
      answer = await this.#get(reading.lastId, stop);
    } catch (error) {
      const { code } = error as { readonly code?: unknown };
      if (code === "cancelled" || (code !== "unavailable" && !changing.has(method))) throw error;
      if (code !== "unavailable")
        throw new ResponseLostError("does not return its response", error);
      reading.failure = error;
      return;
    }
    if (answer.stream !== undefined) return this.#read(answer, reading);
    const { status } = answer;
    if (status >= 500 || status === 429) {
      reading.failure = statusError(answer);
    } else if (changing.has(method)) {
      throw new ResponseLostError(
        `refuses to return its response (status ${status})`,
        statusError(answer),
      );
    } else {
      // A request without side effects may be sent again.
      throw statusError(answer, true);
    }
  }

  #get(lastId: string | undefined, stop: Stop | undefined): Promise<HttpResponse> {
    const headers = {
      ...this.#stateHeaders(),
      accept: "text/event-stream",
      ...(lastId === undefined ? {} : { "last-event-id": lastId }),
    };
    return this.#endpoint.request({ method: "GET", headers, stop });
  }

  /** Reads a stream to its end. An error is stored in `reading`, unless the rest is no longer needed. */
  async #read(answer: HttpResponse, reading: StreamState): Promise<void> {
    const events = new SseParser({
      onEvent: ({ type, data }) => {
        // An event without data only sets the id from which a stream is resumed.
        if (type !== "message" || data === "" || this.#receiver === undefined) return;
        if (includesResponse(readMessage(data, this.#receiver), reading.id))
          reading.isAnswered = true;
      },
      onText: invalidChunkListener((text) => this.#receiver?.onInvalidText(text)),
      maxSize: maxMessageBytes,
      isValidId: (id) => headerId.test(id),
    });
    let timer: NodeJS.Timeout | undefined;
    const chunks = answer.stream?.[Symbol.asyncIterator]();
    try {
      for (let step = await chunks?.next(); step?.done === false; step = await chunks?.next()) {
        events.push(step.value);
        if (reading.isAnswered) {
          timer ??= setTimeout(() => void chunks?.return?.(), lingerMs);
        }
      }
    } catch (error) {
      // Further reading cannot help.
      void chunks?.return?.();
      if (ToolError.is(error) && error.code === "upstream" && events.isFull) throw error;
      reading.failure = error;
    } finally {
      clearTimeout(timer);
      reading.lastId = events.lastId ?? reading.lastId;
      reading.retryMs = events.retryMs ?? reading.retryMs;
    }
  }

  /**
   * Opens the stream for messages that the server sends on its own (older protocol). Resolves when it is known
   * whether the server has such a stream, or after `streamWaitMs`; earlier changes are reported as missed.
   */
  async #openOwnStream(): Promise<void> {
    if (this.#hasOpenedOwnStream) return;
    this.#hasOpenedOwnStream = true;
    const settled = new Promise<void>((resolve) => {
      void this.#readOwnStream(resolve).catch((error: unknown) => this.#receiver?.end(error));
    });
    const timeout = pause(streamWaitMs, { signal: this.#closing, unref: true }).then(
      () => (this.#isLate = true),
    );
    await Promise.race([settled, timeout]);
  }

  /** @param settled Called when the server has responded. */
  async #readOwnStream(settled: () => void): Promise<void> {
    const reading = new StreamState(undefined);
    let failures = 0;
    let wasOpen = false;
    while (!this.#closing.aborted) {
      const answer = await this.#get(reading.lastId, this.#closing).catch(() => undefined);
      settled();
      if (this.#closing.aborted) return;
      if (answer?.stream !== undefined) {
        // Changes in between were not received.
        if (wasOpen ? reading.lastId === undefined : this.#isLate)
          this.#receiver?.onMissedNotifications();
        wasOpen = true;
        failures = 0;
        await this.#read(answer, reading).catch(() => {});
      } else if (answer !== undefined && answer.status < 500) {
        // There is no such stream. If there was one before, the server has lost the session.
        const isLost = answer.status === 404 || answer.status === 400;
        if (wasOpen && isLost && this.#session !== undefined) {
          this.#receiver?.end(
            new ConnectionClosedError("the server no longer knows the session", ""),
          );
        }
        return;
      } else failures++;
      const grown = Math.min(firstPauseMs * 2 ** failures, maxPauseMs);
      await pause(failures === 0 ? reading.pauseMs : grown, { signal: this.#closing, unref: true });
    }
  }
}

type OutgoingRequest = OutgoingMessage & { readonly id: string | number };

/** State of a logical stream across all its reconnects. */
class StreamState {
  /** Id of the request that is answered on it. */
  readonly id: string | number | undefined;
  isAnswered = false;
  lastId: string | undefined = undefined;
  retryMs: number | undefined = undefined;
  failure: unknown = undefined;

  constructor(id: string | number | undefined) {
    this.id = id;
  }

  /** Milliseconds before it is reopened. */
  get pauseMs(): number {
    return Math.max(this.retryMs ?? firstPauseMs, minPauseMs);
  }
}

/** The server has rejected a request without running it because of the session or the version. */
function isStale(message: OutgoingMessage, answer: HttpResponse, hadSession: boolean): boolean {
  const { status } = answer;
  // 2025-11-25, Transports, Session Management.
  if (status === 404 && hadSession) return true;
  if (status !== 400 && status !== 404) return false;
  const body = parseBody(answer) as { readonly id?: unknown; readonly error?: unknown } | undefined;
  const { code } = (body?.error ?? {}) as { readonly code?: unknown };
  if (code === unsupportedVersion) return true;
  // An error of the request itself, whatever its message.
  if (message.id !== undefined && body?.id === message.id) return false;
  // Many servers, among them the SDK's examples, report an unknown session as a missing one.
  return /session|protocol.?version|initiali[sz]ed/i.test(answer.text());
}

/** Error of a successful status without a response in the body. */
function notJsonRpcError({ method = "" }: OutgoingMessage, answer: HttpResponse): ToolError {
  const { status, url, mediaType } = answer;
  const isPage = mediaType === "text/html" || /^\s*<(?:!doctype|html)/i.test(answer.text());
  let what = mediaType === undefined ? "a body without a media type" : `${mediaType.slice(0, 100)}`;
  if (isPage) what = "an HTML page";
  else if (answer.body.length === 0) what = "no body";
  const hint = isPage
    ? "Check that the URL is that of the MCP endpoint, and that no sign-in page or proxy is in front of it."
    : "Only notifications may be answered this way: check that the URL is that of an MCP endpoint.";
  const warning = changing.has(method)
    ? " The call may have run: check that before it is made again."
    : "";
  return new ToolError(
    "upstream",
    `The MCP server at ${new URL(url).origin} answered ${method} with the status ${status} and ${what}, instead of a JSON-RPC response. ${hint}${warning}`,
    { audience: "host", status },
  );
}

function incompleteResponseError(cause?: unknown): Error {
  if (ToolError.is(cause) && cause.code === "cancelled") return cause;
  return new ConnectionClosedError(
    "the server ended its response before it was complete",
    "",
    cause,
  );
}

/** True if the response to this request is among the messages. */
function includesResponse(message: unknown, id: string | number | undefined): boolean {
  if (id === undefined) return false;
  return (Array.isArray(message) ? message : [message]).some(
    (one: { readonly id?: unknown; readonly method?: unknown } | null) =>
      one?.method === undefined && (one?.id === id || one?.id === String(id)),
  );
}

/** @throws ToolError `upstream` when the body is not JSON, or too large. */
function parseBody(answer: HttpResponse, text: string = answer.text()): unknown {
  if (hasTooManyValues(text)) {
    if (answer.status > 299) return undefined;
    throw new ToolError("upstream", tooLargeMessage);
  }
  try {
    return parseExact(text);
  } catch (cause) {
    if (answer.status > 299) return undefined;
    throw new ToolError("upstream", "The server's response is not valid JSON.", { cause });
  }
}
