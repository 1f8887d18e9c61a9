import type { Transform } from "node:stream";
import { ToolError } from "@toolweave/core";
import type { Dispatcher } from "undici";
import { agentFor } from "./agents.ts";
import type { ActiveExchange, ClientState } from "./client-state.ts";
import { contentDecoder } from "./content-decoder.ts";
import { firstHop, isRedirect, nextHop, type Hop } from "./hop.ts";
import type { HttpRequest } from "./http-client.ts";
import { ReceivedResponse, type HttpResponse, type RawHeaders } from "./http-response.ts";
import { maybeDone, transportError } from "./transport-error.ts";

type Controller = Dispatcher.DispatchController;

/** Sends one request through the process's connections. */
export function exchange(state: ClientState, request: HttpRequest): Promise<HttpResponse> {
  return new Promise((resolve, reject) => new Exchange(state, request, resolve, reject).start());
}

const nothing = Buffer.alloc(0);
const informationalLimit = 100;

/**
 * One request from its first hop to its last byte: undici's handler, the abort listener and the deadline in one
 * object, so that a request costs one promise and no closures. It settles once, and what it holds is released there.
 */
class Exchange implements Dispatcher.DispatchHandler, ActiveExchange {
  readonly #state: ClientState;
  readonly #request: HttpRequest;
  readonly #resolve: (response: HttpResponse) => void;
  readonly #reject: (error: ToolError) => void;
  #hop: Hop;
  #hops = 0;
  #timer: NodeJS.Timeout | undefined;
  #settled = false;

  // Of the current hop.
  #controller: Controller | undefined;
  #next: Hop | undefined;
  #status = 0;
  #statusText = "";
  #headers: RawHeaders = {};
  #informational = 0;
  #received = 0;
  #decoder: Transform | "none" | undefined;
  #chunks: Buffer[] = [];
  #size = 0;

  constructor(
    state: ClientState,
    request: HttpRequest,
    resolve: (response: HttpResponse) => void,
    reject: (error: ToolError) => void,
  ) {
    this.#state = state;
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

  /** The caller's signal fired. */
  handleEvent(): void {
    this.cancel("the caller aborted it", this.#request.signal?.reason);
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
    this.fail(
      new ToolError(
        "timeout",
        `${method} ${origin} took longer than ${timeoutMs} ms (timeoutMs).${this.#warning()}`,
      ),
    );
  }

  fail(error: ToolError): void {
    if (!this.#settle()) return;
    this.#reject(error);
    this.#controller?.abort(error);
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    // It was given up while it waited for a connection.
    if (this.#settled) controller.abort(new Error("given up"));
  }

  onResponseStart(
    _controller: Controller,
    status: number,
    headers: RawHeaders,
    statusText?: string,
  ): void {
    if (status < 200) {
      if (++this.#informational > informationalLimit) {
        this.#failUpstream("sent no answer but endless informational responses");
      }
      return;
    }
    this.#status = status;
    this.#statusText = statusText ?? "";
    this.#headers = headers;
    if (isRedirect(status)) this.#redirect(status, headers.location);
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    if (this.#settled) return;
    this.#received += chunk.length;
    const { maxBytes } = this.#state;
    // Compressed data can be a little longer than what it holds; more than that is no compression.
    if (this.#received > maxBytes * 1.02 + 1024) return this.#failTooLarge();
    if (this.#next !== undefined) return;
    this.#decoder ??= this.#makeDecoder(chunk);
    if (this.#decoder === "none") this.#collect(chunk);
    else this.#decoder?.write(chunk);
  }

  onResponseEnd(): void {
    if (this.#settled) return;
    if (this.#next !== undefined) {
      this.#hop = this.#next;
      this.#dispatch();
    } else if (this.#decoder === undefined || this.#decoder === "none") {
      this.#succeed();
    } else {
      this.#decoder.end();
    }
  }

  onResponseError(_controller: Controller | null, error: Error): void {
    if (this.#settled) return;
    const progress = { sent: this.#controller !== undefined, answered: this.#status !== 0 };
    this.fail(transportError(error, this.#hop, progress));
  }

  #dispatch(): void {
    this.#controller = undefined;
    this.#next = undefined;
    this.#status = 0;
    this.#informational = 0;
    this.#received = 0;
    const { origin, url, method, headers, body, reach } = this.#hop;
    const dispatcher = (this.#state.dispatcherFor ?? agentFor)(reach);
    dispatcher.dispatch(
      { origin, path: url.pathname + url.search, method, headers, body: body ?? null },
      this,
    );
  }

  #redirect(status: number, location: string | string[] | undefined): void {
    const { maxRedirects } = this.#state;
    if (this.#hops === maxRedirects) {
      return this.#failUpstream(`redirected more than ${maxRedirects} times (maxRedirects)`);
    }
    this.#hops++;
    try {
      this.#next = nextHop(this.#hop, status, location, this.#request, this.#state);
    } catch (error) {
      this.fail(error as ToolError);
    }
  }

  #makeDecoder(firstChunk: Buffer): Transform | "none" | undefined {
    const encoding = this.#headers["content-encoding"];
    const decoder = contentDecoder(encoding, firstChunk);
    if (decoder === undefined) {
      const name = JSON.stringify(String(encoding).slice(0, 64));
      this.#failUpstream(`encoded its answer as ${name}, which cannot be decoded`);
    } else if (decoder !== "none") {
      decoder.on("data", (chunk: Buffer) => this.#collect(chunk));
      decoder.on("end", () => this.#succeed());
      decoder.on("error", (cause) =>
        this.#failUpstream(`sent a body that is not what its content-encoding says`, cause),
      );
    }
    return decoder;
  }

  #collect(chunk: Buffer): void {
    if (this.#settled) return;
    this.#size += chunk.length;
    if (this.#size > this.#state.maxBytes) return this.#failTooLarge();
    this.#chunks.push(chunk);
  }

  #succeed(): void {
    if (!this.#settle()) return;
    const chunks = this.#chunks;
    const body = chunks.length > 1 ? Buffer.concat(chunks, this.#size) : (chunks[0] ?? nothing);
    this.#resolve(
      new ReceivedResponse(this.#status, this.#statusText, this.#hop.url, this.#headers, body),
    );
  }

  #failTooLarge(): void {
    const { maxBytes } = this.#state;
    this.#failUpstream(`sent more than ${maxBytes} bytes (maxBytes). Ask it for less`);
  }

  #failUpstream(what: string, cause?: unknown): void {
    const options = { cause, ...(this.#status === 0 ? {} : { status: this.#status }) };
    this.fail(new ToolError("upstream", `${this.#hop.origin} ${what}.`, options));
  }

  #warning(): string {
    return this.#controller === undefined ? "" : maybeDone(this.#hop);
  }

  /** False when it had settled before. */
  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    clearTimeout(this.#timer);
    this.#request.signal?.removeEventListener("abort", this);
    this.#state.active.delete(this);
    const decoder = this.#decoder;
    if (decoder !== undefined && decoder !== "none") decoder.destroy();
    return true;
  }
}

function onDeadline(exchange: Exchange): void {
  exchange.expire();
}
