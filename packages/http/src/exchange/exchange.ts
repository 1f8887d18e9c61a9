import { ToolError } from "@toolweave/core";
import type { Dispatcher } from "undici";
import { getAgent, type ConnectingClient, type PendingConnection } from "../connection/agents.ts";
import type { ActiveExchange, ClientState } from "./client-state.ts";
import {
  createBodyDecoder,
  describeDecodingFault,
  parseCodings,
  type BodyDecoder,
  type BodySink,
} from "../message/content-decoder.ts";
import { ResponseStream, type StreamFeed } from "../message/response-stream.ts";
import { firstHop, isRedirect, nextHop, redirectUrl, type Hop } from "./hop.ts";
import { isBuffered, type HttpRequest } from "../message/http-request.ts";
import {
  getMediaType,
  ReceivedResponse,
  type HttpResponse,
  type RawHeaders,
} from "../message/http-response.ts";
import { toDispatchBody } from "./request-body.ts";
import { idempotentMethods, isStale, moment } from "../connection/guarded-connector.ts";
import { isRedirected, sideEffectWarning, transportError } from "./transport-error.ts";

type Controller = Dispatcher.DispatchController;

/** Sends one request through the process's connections. */
export function exchange(state: ClientState, request: HttpRequest): Promise<HttpResponse> {
  return new Promise((resolve, reject) => new Exchange(state, request, resolve, reject).start());
}

const nothing = Buffer.alloc(0);
const maxInformational = 100;
const minTimeoutMs = 1_000;

/**
 * One request from its first hop to its last byte. undici's handler, the abort listener and the deadline are one
 * object, so that a request costs one promise and no closures. It settles once, and its resources are released then.
 */
class Exchange
  implements Dispatcher.DispatchHandler, ActiveExchange, PendingConnection, StreamFeed, BodySink
{
  readonly #state: ClientState;
  readonly #request: HttpRequest;
  readonly #resolve: (response: HttpResponse) => void;
  readonly #reject: (error: ToolError) => void;
  #hop: Hop;
  #hops = 0;
  previous: ActiveExchange | undefined = undefined;
  next: ActiveExchange | undefined = undefined;
  connectingClient: ConnectingClient | undefined = undefined;
  #timer: NodeJS.Timeout | undefined;
  #maxBytes: number;
  isSettled = false;
  #repeated = false;
  /** Set once the head of a streamed answer has been returned: from then on errors are reported through the stream. */
  #stream: ResponseStream | undefined;

  // State of the current hop.
  #sent = 0;
  #sentAt = 0;
  #probes = false;
  #controller: Controller | undefined;
  #next: Hop | undefined;
  #status = 0;
  #statusText = "";
  #headers: RawHeaders = {};
  #informational = 0;
  #received = 0;
  /** Set by the first bytes of a body that has a content coding. */
  #decoder: BodyDecoder | undefined;
  #chunks: Buffer[] = [];
  #size = 0;

  constructor(
    state: ClientState,
    request: HttpRequest,
    resolve: (response: HttpResponse) => void,
    reject: (error: ToolError) => void,
  ) {
    this.#state = state;
    this.#maxBytes = state.maxBytes;
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#hop = firstHop(request, state);
  }

  start(): void {
    const { timeoutMs, active, closed } = this.#state;
    const { signal } = this.#request;
    if (closed) return this.cancel("the HTTP client is closed");
    if (signal?.aborted) return this.handleEvent();
    active.add(this);
    signal?.addEventListener("abort", this);
    if (timeoutMs !== 0) this.#timer = setTimeout(onDeadline, timeoutMs, this);
    this.#dispatch();
  }

  /** Cancels the request when the caller's signal is aborted. */
  handleEvent(): void {
    const reason: unknown = this.#request.signal?.reason;
    if (ToolError.is(reason) && reason.code === "timeout") this.#countTimeout();
    this.cancel("the caller aborted it", reason);
  }

  cancel(why: string, cause?: unknown): void {
    const { method, origin } = this.#hop;
    this.fail(
      new ToolError("cancelled", `${method} ${origin} was cancelled: ${why}.${this.#warning()}`, {
        cause,
      }),
    );
  }

  expire(): void {
    const { method, origin } = this.#hop;
    const { timeoutMs } = this.#state;
    this.#countTimeout();
    this.fail(
      new ToolError(
        "timeout",
        `${method} ${origin} took longer than ${timeoutMs} ms (timeoutMs).${this.#warning()}`,
      ),
    );
  }

  /** Fails the request when a stream has been silent for too long, unless its reader is slow. */
  expireIdle(): void {
    if (this.#stream?.isFull === true) return void this.#timer?.refresh();
    const { method, origin } = this.#hop;
    const idleMs = this.#request.streaming?.idleMs;
    this.fail(new ToolError("timeout", `${method} ${origin} sent nothing more for ${idleMs} ms.`));
  }

  fail(error: ToolError): void {
    if (!this.#settle()) return;
    if (this.#stream === undefined) this.#reject(error);
    else this.#stream.end(error);
    if (this.#controller === undefined) this.connectingClient?.abortConnecting();
    else this.#controller.abort(error);
  }

  pause(): void {
    if (this.#decoder === undefined) this.#controller?.pause();
    else this.#decoder.pause();
  }

  resume(): void {
    if (this.#decoder === undefined) this.#controller?.resume();
    else this.#decoder.resume();
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    // The request was aborted while it waited for a connection.
    if (this.isSettled) controller.abort(new Error("the request was aborted"));
  }

  onResponseStart(
    _controller: Controller,
    status: number,
    headers: RawHeaders,
    statusText?: string,
  ): void {
    if (status < 200) {
      if (++this.#informational > maxInformational) {
        this.#failUpstream("sent no answer but endless informational responses");
      }
      return;
    }
    this.#status = status;
    this.#statusText = statusText ?? "";
    this.#headers = headers;
    if (!this.#state.circuits.isEmpty) this.#countAnswer();
    if (isRedirect(status)) this.#redirect(status, headers.location);
    else if (this.#request.streaming?.accepts(status, getMediaType(headers)) === true) {
      this.#beginStream();
    }
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    if (this.isSettled) return;
    if (this.#next !== undefined) {
      if ((this.#received += chunk.length) > this.#maxBytes) this.tooLarge();
      return;
    }
    if (this.#received === 0) this.#decoder = this.#createDecoder();
    this.#received += chunk.length;
    if (this.#decoder === undefined) return this.push(chunk);
    const isReady = this.#decoder.first.push(chunk);
    if (isReady === false && this.#stream !== undefined) this.#controller?.pause();
  }

  onResponseEnd(): void {
    if (this.isSettled) return;
    if (this.#next !== undefined) {
      this.#hop = this.#next;
      this.#dispatch();
    } else if (this.#decoder === undefined) this.end();
    else this.#decoder.first.end();
  }

  onResponseError(_controller: Controller | null, error: Error): void {
    if (this.isSettled) return;
    if (this.#mayRepeat(error)) {
      this.#repeated = true;
      return this.#dispatch();
    }
    const progress = { sent: this.#controller !== undefined, answered: this.#status !== 0 };
    const failure = transportError(error, this.#hop, progress);
    if (failure.code === "unavailable" && failure.retryable) this.#countFailure();
    this.fail(failure);
  }

  /** Returns true once, when the server closed a kept-alive connection before it started to answer. */
  #mayRepeat(error: Error): boolean {
    const { method, body } = this.#hop;
    return (
      !this.#repeated &&
      this.#status === 0 &&
      this.#informational === 0 &&
      isStale(error, this.#sent) &&
      idempotentMethods.has(method) &&
      (body === undefined || isBuffered(body))
    );
  }

  #dispatch(): void {
    this.#controller = undefined;
    this.connectingClient = undefined;
    this.#next = undefined;
    this.#status = 0;
    this.#informational = 0;
    this.#received = 0;
    const { origin, url, method, headers, body, reach, identity } = this.#hop;
    this.#sent = moment();
    this.#sentAt = performance.now();
    const { circuits } = this.#state;
    if (!this.#probes && !circuits.isEmpty) {
      try {
        this.#probes = circuits.enter(this.#hop) === "probe";
      } catch (error) {
        return this.fail(error as ToolError);
      }
    }
    const { unqueued } = this.#request;
    const dispatcher = (this.#state.dispatcherFor ?? getAgent)(reach, identity, unqueued);
    dispatcher.dispatch(
      {
        origin,
        path: url.pathname + url.search,
        method,
        headers,
        body: toDispatchBody(body, origin, (error) => this.fail(error)),
      },
      this,
    );
  }

  #redirect(status: number, location: string | string[] | undefined): void {
    const { maxRedirects } = this.#state;
    const { follows } = this.#request;
    try {
      if (follows?.(redirectUrl(this.#hop, status, location)) === false) return;
      if (this.#hops === maxRedirects) {
        return this.#failUpstream(`redirected more than ${maxRedirects} times (maxRedirects)`);
      }
      this.#hops++;
      this.#next = nextHop(this.#hop, status, location, this.#request, this.#state);
    } catch (error) {
      this.fail(error as ToolError);
    }
  }

  #createDecoder(): BodyDecoder | undefined {
    const codings = parseCodings(this.#headers["content-encoding"]);
    if (codings === undefined) return undefined;
    return createBodyDecoder(codings, this.#maxBytes, this, {
      pause: () => this.#controller?.pause(),
      resume: () => {
        if (this.#stream !== undefined) this.#controller?.resume();
      },
    });
  }

  /** Takes a part of the decoded body. */
  push(chunk: Buffer): void {
    if (this.isSettled) return;
    const before = this.#size;
    this.#size += chunk.length;
    if (this.#size > this.#maxBytes) {
      if (this.#cuts) {
        this.#size = this.#maxBytes;
        this.#chunks.push(chunk.subarray(0, this.#maxBytes - before));
      }
      return this.tooLarge();
    }
    const stream = this.#stream;
    if (stream === undefined) return void this.#chunks.push(chunk);
    if (this.#request.streaming?.idleMs !== undefined) this.#timer?.refresh();
    stream.push(chunk);
  }

  /** Ends the decoded body. */
  end(truncated = false): void {
    if (!this.#settle()) return;
    if (this.#stream !== undefined) return this.#stream.end();
    const chunks = this.#chunks;
    const body = chunks.length > 1 ? Buffer.concat(chunks, this.#size) : (chunks[0] ?? nothing);
    this.#resolve(this.#response(body, truncated));
  }

  failDecoding(cause?: Error): void {
    this.#failUpstream(describeDecodingFault(this.#headers["content-encoding"], cause), cause);
  }

  #response(body: Buffer, truncated = false): ReceivedResponse {
    const { method, url } = this.#hop;
    return new ReceivedResponse(
      this.#status,
      this.#statusText,
      method,
      url,
      this.#headers,
      body,
      this.#stream,
      truncated,
    );
  }

  /** Returns the response when its head has arrived: the caller can start to read the stream. */
  #beginStream(): void {
    const { idleMs, maxBytes = this.#maxBytes } = this.#request.streaming ?? {};
    this.#maxBytes = maxBytes;
    if (idleMs !== undefined) {
      clearTimeout(this.#timer);
      this.#timer = idleMs === 0 ? undefined : setTimeout(onIdle, idleMs, this);
    }
    this.#stream = new ResponseStream(this);
    this.#resolve(this.#response(nothing));
  }

  /** A body that is too large is truncated. */
  get #cuts(): boolean {
    return this.#request.whenTooLarge === "cut" && this.#stream === undefined;
  }

  tooLarge(): void {
    if (this.#cuts && this.#next === undefined) {
      this.end(true);
      return this.#controller?.abort(new Error("the rest is too large"));
    }
    this.#failUpstream(`sent more than ${this.#maxBytes} bytes (maxBytes). Ask it for less`);
  }

  #countFailure(): void {
    this.#probes = false;
    this.#state.circuits.fail(this.#hop);
  }

  /** Counts a timeout as a failure of the origin, unless the caller's deadline was very short. */
  #countTimeout(): void {
    if (this.#sent === 0 || this.#status !== 0) return;
    if (performance.now() - this.#sentAt >= minTimeoutMs) this.#countFailure();
  }

  #countAnswer(): void {
    this.#probes = false;
    this.#state.circuits.pass(this.#hop);
  }

  #failUpstream(what: string, cause?: unknown): void {
    const status = this.#status;
    const warning = status >= 300 && status < 400 ? "" : sideEffectWarning(this.#hop);
    const options = { cause, ...(status === 0 ? {} : { status }) };
    this.fail(new ToolError("upstream", `${this.#hop.origin} ${what}.${warning}`, options));
  }

  #warning(): string {
    return this.#controller !== undefined || isRedirected(this.#hop)
      ? sideEffectWarning(this.#hop)
      : "";
  }

  /** Returns false when the request had already settled. */
  #settle(): boolean {
    if (this.isSettled) return false;
    this.isSettled = true;
    if (this.#probes) this.#state.circuits.release(this.#hop);
    clearTimeout(this.#timer);
    this.#request.signal?.removeEventListener("abort", this);
    this.#state.active.delete(this);
    this.#decoder?.destroy();
    return true;
  }
}

const onDeadline = (exchange: Exchange): void => exchange.expire();
const onIdle = (exchange: Exchange): void => exchange.expireIdle();
