import { parseExact, ToolError } from "@toolweave/core";
import type { HttpResponse } from "@toolweave/http";
import type { McpHttpServer } from "../../options/mcp-options.ts";
import {
  type Channel,
  type ChannelReceiver,
  type OutgoingMessage,
  type SendOptions,
  Stop,
  pause,
} from "../messages/channel.ts";
import {
  AnswerLost,
  ServerEnded,
  markRefusal,
  unsupportedVersion,
} from "../messages/transport-errors.ts";
import type { HttpAuthorization } from "../messages/mcp-connection.ts";
import { SseParser } from "./sse-parser.ts";
import { isInvalidText } from "../messages/invalid-text.ts";
import { isTooMuch, readMessage, tooLarge } from "../messages/read-message.ts";
import { HttpEndpoint, statusError } from "./http-endpoint.ts";
import { messageHeaders, getVersion } from "./message-headers.ts";

/** Milliseconds that a server gets to end a session. */
const farewellMs = 1_000;

/** Milliseconds that a stream may stay open when all that was asked on it is answered. */
const lingerMs = 5_000;

/** Milliseconds before a stream is opened again, unless the server says when; longer each time it fails. */
const firstPauseMs = 1_000;
const longestPauseMs = 30_000;

/** Milliseconds at least, whatever the server says. */
const leastPauseMs = 100;

/** Milliseconds that whoever connects waits until the server has said whether it has a stream of its own. */
const patienceMs = 500;

/** How often in a row an answer is asked for again on a new stream. */
const mostResumptions = 5;

/** Requests that do something: once the server has accepted one, it is not sent again. The others only ask. */
const changing: ReadonlySet<string | undefined> = new Set(["tools/call", "tasks/update"]);

const accepted = "application/json, text/event-stream";

/** Streamable HTTP (2025-11-25 and 2026-07-28, Transports). */
export class HttpChannel implements Channel {
  readonly hasOwnStreams = true;
  readonly isProcess = false;
  readonly said = "";
  readonly fate = undefined;
  readonly #endpoint: HttpEndpoint;
  readonly #closing = new Stop();
  #receiver: ChannelReceiver | undefined;
  #version: string | undefined;
  #session: string | undefined;
  #hears = false;
  /** Nobody waits any more until the server's own stream is open. */
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
    const isNoCall = id === undefined || method === undefined;
    if (isHandshake) this.#session = undefined;
    // What says its version itself belongs to no session.
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
      body: JSON.stringify(message),
      // A call may wait for our answer to what it asks, or be one that we take back.
      unqueued: isNoCall || method === "subscriptions/listen",
      stop: options.stop,
    });
    const { status } = answer;
    if (status < 200 || status > 299) {
      return this.#refused(message, answer, state["mcp-session-id"] !== undefined);
    }
    if (isHandshake) this.#session = headerOf(answer, "mcp-session-id");
    if (method === "notifications/initialized") await this.#hear();
    if (id === undefined || method === undefined) return leave(answer);
    await this.#take(message as Question, answer, options);
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error("the connection was closed"));
    const session = this.#session;
    if (session !== undefined) {
      this.#session = undefined;
      const headers = { ...this.#stateHeaders(), "mcp-session-id": session };
      const patience = new Stop();
      const timer = setTimeout(() => patience.abort(new Error("no answer")), farewellMs);
      // As a courtesy: many servers do not let a client end a session.
      await this.#endpoint
        .request({ method: "DELETE", headers, stop: patience })
        .then(leave, () => {});
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

  /** @param hadSession the request named a session. */
  #refused(message: OutgoingMessage, answer: HttpResponse, hadSession: boolean): void {
    const { status } = answer;
    if (answer.method !== "POST" && changing.has(message.method)) {
      // The redirect is an answer of its own: what was posted may have been run before it.
      const what = `redirected the request, and answered there with the status ${status}`;
      throw new AnswerLost(what, statusError(answer));
    }
    // A server that speaks the newer protocol says what is wrong as JSON-RPC, too.
    if (getVersion(message) !== undefined && status < 500 && status !== 401 && status !== 403) {
      const told = jsonOf(answer) as
        | { readonly id?: unknown; readonly error?: unknown }
        | undefined;
      if (told?.id === message.id && told?.error !== undefined) {
        markRefusal(told);
        return this.#receiver?.receive(told);
      }
    }
    // Be it that the session is gone: what else is under way hears for itself whether it was run.
    throw statusError(answer, isStale(message, answer, hadSession));
  }

  /** Reads what answers a request; throws when nothing does. */
  async #take(message: Question, answer: HttpResponse, options: SendOptions): Promise<void> {
    if (answer.mediaType === "application/json") {
      const text = answer.text();
      const told = jsonOf(answer, text);
      if (isInvalidText(text, answer.body)) this.#receiver?.invalidText(text);
      this.#receiver?.receive(told);
      if (answers(told, message.id)) return;
      throw unanswered();
    }
    if (answer.stream === undefined) throw noMessage(message, answer);
    const reading = new Reading(message.id);
    await this.#read(answer, reading);
    for (let tries = 0; !reading.isAnswered; tries++) {
      const goesOn = reading.lastId !== undefined && getVersion(message) === undefined;
      if (!goesOn || tries === mostResumptions) throw unanswered(reading.failure);
      await pause(reading.pauseMs, options.stop ?? this.#closing);
      await this.#resume(message, reading, options.stop);
    }
  }

  /**
   * Asks for the rest of an answer. A server that cannot be reached may be there for the next attempt.
   *
   * @throws AnswerLost when the server refuses to give it: what it has accepted may have been run all the same.
   */
  async #resume(
    { method }: OutgoingMessage,
    reading: Reading,
    stop: Stop | undefined,
  ): Promise<void> {
    if (stop?.aborted === true || this.#closing.aborted) throw unanswered();
    let answer: HttpResponse;
    try {
      answer = await this.#get(reading.lastId, stop);
    } catch (error) {
      const { code } = error as { readonly code?: unknown };
      if (code === "cancelled" || (code !== "unavailable" && !changing.has(method))) throw error;
      if (code !== "unavailable") throw new AnswerLost("does not give its answer", error);
      reading.failure = error;
      return;
    }
    if (answer.stream !== undefined) return this.#read(answer, reading);
    const { status } = answer;
    if (status >= 500 || status === 429) {
      reading.failure = statusError(answer);
    } else if (changing.has(method)) {
      throw new AnswerLost(`refuses to give its answer (status ${status})`, statusError(answer));
    } else {
      // What only asks may be asked anew.
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

  /** Reads a stream to its end. What breaks it stands in the reading, unless nobody wants the rest. */
  async #read(answer: HttpResponse, reading: Reading): Promise<void> {
    const events = new SseParser(
      ({ type, data }) => {
        if (type !== "message" || this.#receiver === undefined) return;
        if (answers(readMessage(data, this.#receiver), reading.id)) reading.isAnswered = true;
      },
      (text) => this.#receiver?.invalidText(text),
    );
    let timer: NodeJS.Timeout | undefined;
    const chunks = answer.stream?.[Symbol.asyncIterator]();
    try {
      for (let step = await chunks?.next(); step?.done === false; step = await chunks?.next()) {
        events.read(step.value);
        if (reading.isAnswered) {
          timer ??= setTimeout(() => void chunks?.return?.(), lingerMs);
        }
      }
    } catch (error) {
      // More of it is no better.
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
   * What the server says by itself comes on a stream of its own, in the older protocol. Resolves when the server has said
   * whether it has one, or after a while: what changes before that is told to nobody.
   */
  async #hear(): Promise<void> {
    if (this.#hears) return;
    this.#hears = true;
    const said = new Promise<void>((resolve) => {
      void this.#hearOn(resolve).catch((error: unknown) => this.#receiver?.end(error));
    });
    const patience = pause(patienceMs, this.#closing).then(() => (this.#isLate = true));
    await Promise.race([said, patience]);
  }

  /** @param said is called when the server has answered. */
  async #hearOn(said: () => void): Promise<void> {
    const reading = new Reading(undefined);
    let failures = 0;
    let wasOpen = false;
    while (!this.#closing.aborted) {
      const answer = await this.#get(reading.lastId, this.#closing).catch(() => undefined);
      said();
      if (this.#closing.aborted) return;
      if (answer?.stream !== undefined) {
        // Whatever happened in between was told to nobody.
        if (wasOpen ? reading.lastId === undefined : this.#isLate) this.#receiver?.missed();
        wasOpen = true;
        failures = 0;
        await this.#read(answer, reading).catch(() => {});
      } else if (answer !== undefined && answer.status < 500) {
        // It has no such stream, unless it had one a moment ago: then it is the session that it no longer knows.
        const isLost = answer.status === 404 || answer.status === 400;
        if (wasOpen && isLost && this.#session !== undefined) {
          this.#receiver?.end(new ServerEnded("the server no longer knows the session", ""));
        }
        return;
      } else failures++;
      const grown = Math.min(firstPauseMs * 2 ** failures, longestPauseMs);
      await pause(failures === 0 ? reading.pauseMs : grown, this.#closing);
    }
  }
}

type Question = OutgoingMessage & { readonly id: string | number };

/** What is known of a stream, over all the times that it is opened. */
class Reading {
  /** The request that is to be answered on it. */
  readonly id: string | number | undefined;
  isAnswered = false;
  lastId: string | undefined = undefined;
  retryMs: number | undefined = undefined;
  failure: unknown = undefined;

  constructor(id: string | number | undefined) {
    this.id = id;
  }

  /** Milliseconds before it is opened again. */
  get pauseMs(): number {
    return Math.max(this.retryMs ?? firstPauseMs, leastPauseMs);
  }
}

/** The server has refused a request, and not run it, for what was agreed on before: the session or the version. */
function isStale(message: OutgoingMessage, answer: HttpResponse, hadSession: boolean): boolean {
  const { status } = answer;
  // 2025-11-25, Transports, Session Management.
  if (status === 404 && hadSession) return true;
  if (status !== 400 && status !== 404) return false;
  const told = jsonOf(answer) as { readonly id?: unknown; readonly error?: unknown } | undefined;
  const { code } = (told?.error ?? {}) as { readonly code?: unknown };
  if (code === unsupportedVersion) return true;
  // An error of the request itself, whatever it says.
  if (message.id !== undefined && told?.id === message.id) return false;
  // Many servers, those of the SDK's examples among them, take a session that they do not know for none.
  return /session|protocol.?version|initiali[sz]ed/i.test(answer.text());
}

/** A success without an answer in it. */
function noMessage({ method = "" }: OutgoingMessage, answer: HttpResponse): ToolError {
  const { status, url, mediaType } = answer;
  const isPage = mediaType === "text/html" || /^\s*<(?:!doctype|html)/i.test(answer.text());
  let what = mediaType === undefined ? "a body of no media type" : `${mediaType.slice(0, 100)}`;
  if (isPage) what = "an HTML page";
  else if (answer.body.length === 0) what = "no body";
  const hint = isPage
    ? "Check that the URL is that of the MCP endpoint, and that no sign-in page or proxy stands before it."
    : "Only notifications may be answered so: check that the URL is that of an MCP endpoint.";
  const warning = changing.has(method)
    ? " The call may have run: check that before it is made again."
    : "";
  return new ToolError(
    "upstream",
    `The MCP server at ${new URL(url).origin} answered ${method} with the status ${status} and ${what}, in place of a JSON-RPC answer. ${hint}${warning}`,
    { audience: "host", status },
  );
}

function unanswered(cause?: unknown): Error {
  if (ToolError.is(cause) && cause.code === "cancelled") return cause;
  return new ServerEnded("the server ended its answer before it was whole", "", cause);
}

/** True: the answer to this request is among it. */
function answers(message: unknown, id: string | number | undefined): boolean {
  if (id === undefined) return false;
  return (Array.isArray(message) ? message : [message]).some(
    (one: { readonly id?: unknown; readonly method?: unknown } | null) =>
      one?.method === undefined && (one?.id === id || one?.id === String(id)),
  );
}

/** @throws ToolError `upstream` when it is none, or too much. */
function jsonOf(answer: HttpResponse, text: string = answer.text()): unknown {
  if (isTooMuch(text)) {
    if (answer.status > 299) return undefined;
    throw new ToolError("upstream", tooLarge);
  }
  try {
    return parseExact(text);
  } catch (cause) {
    if (answer.status > 299) return undefined;
    throw new ToolError("upstream", "The server answered with what is no JSON.", { cause });
  }
}

function headerOf(answer: HttpResponse, name: string): string | undefined {
  const value = answer.headers[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Nobody wants its body. */
function leave(answer: HttpResponse): void {
  void answer.stream?.[Symbol.asyncIterator]().return?.();
}
