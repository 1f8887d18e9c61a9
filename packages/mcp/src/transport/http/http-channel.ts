import { ToolError } from "@toolweave/core";
import { pause, stringifyExact } from "@toolweave/core/adapter";
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
  markLostSession,
  markRejection,
} from "../messages/transport-errors.ts";
import type { HttpAuthorization } from "../messages/mcp-connection.ts";
import { invalidChunkListener, isInvalidText, readMessage } from "../messages/read-message.ts";
import { discardBody, getHeader, HttpEndpoint, statusError } from "./http-endpoint.ts";
import { isSessionError } from "../messages/session-refusal.ts";
import { messageHeaders, getVersion } from "./message-headers.ts";
import {
  changing,
  includesResponse,
  incompleteResponseError,
  isOlderServer,
  notJsonRpcError,
  parseBody,
  refusesSession,
  toUnknownMethod,
} from "./read-response.ts";

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
    if (message.method !== "server/discover") return this.#post(message, options);
    try {
      await this.#post(message, options);
    } catch (error) {
      if (this.#closing.aborted || !isOlderServer(error)) throw error;
      const { id } = message;
      this.#receiver?.receive({ jsonrpc: "2.0", id, error: toUnknownMethod(error) });
    }
  }

  async #post(message: OutgoingMessage, options: SendOptions): Promise<void> {
    const { id, method } = message;
    const isHandshake = method === "initialize";
    const isNotRequest = id === undefined || method === undefined;
    if (isHandshake) this.#session = undefined;
    // A request that carries its version belongs to no session.
    const state = getVersion(message) === undefined ? this.#stateHeaders() : {};
    const hadSession = state["mcp-session-id"] !== undefined;
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
      isOtherRejection: (refused) => refusesSession(message, refused, hadSession),
    });
    const { status } = answer;
    if (status < 200 || status > 299) {
      return this.#onErrorStatus(message, answer, hadSession);
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
    const error = statusError(answer);
    throw refusesSession(message, answer, hadSession) ? markLostSession(error) : error;
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
      this.#receiver?.receive(body, options.streamOwner);
      if (includesResponse(body, message.id)) return;
      throw this.#incompleteResponse(body);
    }
    if (answer.stream === undefined) throw notJsonRpcError(message, answer);
    const reading = new StreamState(message.id, options.streamOwner);
    await this.#read(answer, reading);
    for (let tries = 0; !reading.isAnswered; tries++) {
      const canResume = reading.lastId !== undefined && getVersion(message) === undefined;
      if (!canResume || tries === maxResumptions)
        throw this.#incompleteResponse(reading.invalid, reading.failure);
      await pause(reading.pauseMs, { signal: options.stop ?? this.#closing });
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
      reading.failure = statusError(answer, "GET");
    } else if (changing.has(method)) {
      throw new ResponseLostError(
        `refuses to return its response (status ${status})`,
        statusError(answer, "GET"),
      );
    } else {
      // A request without side effects may be sent again.
      throw markLostSession(statusError(answer, "GET"));
    }
  }

  markErrorResponse(message: object): void {
    if (this.#session !== undefined && isSessionError(message)) markLostSession(message);
  }

  #incompleteResponse(body: unknown, cause?: unknown): Error {
    const error = incompleteResponseError(cause);
    return this.#session !== undefined && isSessionError(body) ? markLostSession(error) : error;
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
        const message = readMessage(data, this.#receiver, reading.owner);
        if (includesResponse(message, reading.id)) reading.isAnswered = true;
        else if (isSessionError(message)) reading.invalid = message;
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
    await pause(streamWaitMs, { signal: this.#closing, wake: settled });
    this.#isLate = true;
  }

  /** @param settled Called when the server has responded. */
  async #readOwnStream(settled: () => void): Promise<void> {
    const reading = new StreamState(undefined, undefined);
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
        const isLost = [400, 404, 410].includes(answer.status);
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
  readonly owner: object | undefined;
  isAnswered = false;
  lastId: string | undefined = undefined;
  retryMs: number | undefined = undefined;
  failure: unknown = undefined;
  /** An error that is no JSON-RPC message. */
  invalid: unknown = undefined;

  constructor(id: string | number | undefined, owner: object | undefined) {
    this.id = id;
    this.owner = owner;
  }

  /** Milliseconds before it is reopened. */
  get pauseMs(): number {
    return Math.max(this.retryMs ?? firstPauseMs, minPauseMs);
  }
}
