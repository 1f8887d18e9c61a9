import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, isIP } from "node:net";
import { ToolError, type Caller } from "@toolweave/core";
import {
  checkHttpOptions,
  type GatewayFetch,
  type GatewayRequest,
  type HttpOptions,
} from "./http-options.ts";
import {
  CallerCheck,
  tokenCallers,
  isMetadataPath,
  metadataResponse,
  toMetadataUrl,
} from "./http-callers.ts";
import {
  readBody,
  isEventStream,
  toRequest,
  send,
  withBody,
  toErrorResponse,
} from "./http-exchange.ts";
import { healthPath, healthResponse, readyPath } from "./health.ts";
import { OriginGuard } from "./origin-guard.ts";
import { isIdleStream } from "./idle-streams.ts";

const defaultBodyBytes = 4 * 1024 * 1024;
const defaultConnections = 4_096;
const defaultRequests = 1_000;

/** Timeouts of the server (`node:http`, in milliseconds). */
const timeouts = {
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  // Longer than the idle time of a busy client's connections: a connection that is closed while it is reused
  // breaks a request.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
};

/** Created once: its stack would cost more than the rest of the end of a response. */
const exchangeEnded = new DOMException("The exchange is over.", "AbortError");

/** A listening gateway. */
export interface HttpListener {
  /** Local URL for clients: `http://127.0.0.1:8137/mcp`. */
  readonly url: string;
  /**
   * Streams of the gateway are closed, and calls in progress get `graceMs` (default 10,000); other requests are
   * answered with 503 meanwhile. Then it stops listening, and closes all connections. The gateway stays open; closing
   * both at once lets its subscriptions end first. Idempotent.
   */
  close(graceMs?: number): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Serves a gateway over HTTP, on loopback by default. Rejects requests for other hosts and from other web pages (DNS
 * rebinding), authenticates the caller, and limits the size and number of requests. There is no TLS: for other
 * machines use a reverse proxy with TLS, and set `publicUrl`. `GET /healthz` is answered with 200 as long as the process
 * listens, and `GET /readyz` with 503 when no further requests should be sent to it; both without authentication.
 *
 * @throws ToolError `invalid_configuration` when an option is invalid, or others could use the gateway without a token;
 * `unavailable` when it cannot listen on the address.
 * @example
 * ```ts
 * const listener = await listenHttp(serveMcp(registry, executor), { port: 8137 });
 * console.error(listener.url);
 * ```
 */
export async function listenHttp(
  gateway: GatewayFetch,
  options: HttpOptions = {},
): Promise<HttpListener> {
  checkHttpOptions(options);
  const { host = "127.0.0.1", port = 0, path = "/mcp" } = options;
  const server = createServer({
    ...timeouts,
    maxHeaderSize: 32 * 1024,
    // The stream of a client whose machine has disappeared is closed, so that its slot is free again.
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
  });
  server.maxConnections = options.maxConnections ?? defaultConnections;
  try {
    await once(server.listen(port, host), "listening");
  } catch (cause) {
    const { code = "" } = cause as NodeJS.ErrnoException;
    const message = `Cannot listen on ${host}, port ${port} (${code})${listenRemedies[code] ?? ""}.`;
    throw new ToolError("unavailable", message, { retryable: false, audience: "host", cause });
  }
  const hostInUrl = isIP(host) === 6 ? `[${host}]` : host;
  const url = new URL(`http://${hostInUrl}:${(server.address() as AddressInfo).port}${path}`);
  return new Listener(gateway, options, server, url);
}

const listenRemedies: Readonly<Record<string, string>> = {
  EACCES: ": a port below 1024 needs special rights. Use another one, or 0 for a free one",
  EADDRINUSE: ": another program uses it. End that program, or use another port; 0 is a free one",
  EADDRNOTAVAIL: ": this machine does not have that address. Use one of its own, such as 127.0.0.1",
};

class Listener implements HttpListener {
  readonly url: string;
  readonly #gateway: GatewayFetch;
  readonly #server: Server;
  readonly #path: string;
  readonly #publicUrl: URL;
  readonly #options: HttpOptions;
  readonly #originGuard: OriginGuard;
  readonly #callers: CallerCheck | undefined;
  /** Number of requests in progress, by caller. */
  readonly #open = new Map<string, number>();
  /** Controllers of the responses in progress; `true`: a stream that is closed with the listener. */
  readonly #exchanges = new Map<AbortController, boolean>();
  #idle: (() => void) | undefined;
  #closed: Promise<void> | undefined;

  constructor(gateway: GatewayFetch, options: HttpOptions, server: Server, url: URL) {
    const { host = "127.0.0.1", path = "/mcp", publicUrl, token } = options;
    this.url = url.href;
    this.#gateway = gateway;
    this.#server = server;
    this.#path = path;
    this.#options = options;
    this.#publicUrl = new URL(publicUrl ?? url);
    this.#originGuard = new OriginGuard({
      host,
      hosts: [
        ...(publicUrl === undefined ? [] : [this.#publicUrl.hostname]),
        ...(options.allowedHosts ?? []),
      ],
      origins: options.allowedOrigins ?? [],
    });
    const authenticate = token === undefined ? options.authenticate : tokenCallers(token);
    if (authenticate !== undefined) {
      const { href } = toMetadataUrl(this.#publicUrl);
      this.#callers = new CallerCheck(authenticate, options.protectedResource, href);
    }
    server.on("request", (incoming, outgoing) => {
      // A pipelined request has no connection of its own yet, so that the end of its client would not be noticed.
      // Clients of the protocol do not pipeline; the request is sent again over another connection.
      if (outgoing.socket === null) incoming.socket.destroy();
      else void this.#exchange(incoming, outgoing);
    });
  }

  close(graceMs = 10_000): Promise<void> {
    this.#closed ??= this.#close(graceMs);
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(graceMs: number): Promise<void> {
    // Meanwhile, other clients are told that nothing has run, and replicas forward what a call in progress waits for.
    for (const [exchange, isStream] of this.#exchanges) if (isStream) exchange.abort();
    if (this.#exchanges.size > 0) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
        timer = setTimeout(resolve, graceMs);
      });
      clearTimeout(timer);
    }
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const exchange of this.#exchanges.keys()) exchange.abort();
    this.#server.closeAllConnections();
    await closed;
  }

  async #exchange(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const exchange = new AbortController();
    this.#exchanges.set(exchange, incoming.method === "GET");
    let isStream = true;
    const onClose = (): void => {
      // After a complete response there is no work to cancel, except of a stream with subscriptions.
      if (isStream || !outgoing.writableFinished) exchange.abort(exchangeEnded);
    };
    outgoing.once("close", onClose);
    // An error of the connection ends only this exchange.
    incoming.on("error", onClose);
    outgoing.on("error", onClose);
    if (this.#closed !== undefined) outgoing.setHeader("connection", "close");
    try {
      const response = await this.#handle(incoming, outgoing, exchange.signal);
      isStream = isEventStream(response);
      const corsHeaders = this.#originGuard.corsHeaders(incoming.headers.origin ?? null);
      for (const [name, value] of Object.entries(corsHeaders)) outgoing.setHeader(name, value);
      outgoing.setHeader("x-content-type-options", "nosniff");
      await send(response, outgoing, exchange.signal);
    } catch {
      // The error is not for the client.
      if (outgoing.headersSent) outgoing.destroy();
      else
        await send(
          toErrorResponse(500, "The gateway failed to handle the request."),
          outgoing,
          exchange.signal,
        );
    } finally {
      this.#exchanges.delete(exchange);
      if (this.#exchanges.size === 0) this.#idle?.();
    }
  }

  /** Handles a request. The cheap checks come first: nothing is read of a rejected request. */
  async #handle(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    signal: AbortSignal,
  ): Promise<Response> {
    const url = URL.parse(incoming.url ?? "/", this.#publicUrl.href);
    if (url === null) return toErrorResponse(400, "The URL is invalid.");
    const request = toRequest(
      incoming,
      new URL(`${url.pathname}${url.search}`, this.#publicUrl),
      signal,
    );
    // Orchestrators send them to the address of the machine, and they reveal nothing.
    if (url.pathname === healthPath) return healthResponse(request.method, true);
    if (url.pathname === readyPath) return healthResponse(request.method, await this.#isReady());
    const { replica } = this.#gateway;
    if (replica?.isForwarded(request) === true && url.pathname === this.#path) {
      const forwarded = await replica.accept(request);
      if (forwarded instanceof Response) return forwarded;
      return this.#answer(incoming, outgoing, request, signal, {
        forwarded,
        ...(forwarded.caller === undefined ? {} : { caller: forwarded.caller }),
      });
    }
    const rejection = this.#originGuard.check(request.headers);
    if (rejection !== undefined) return rejection;
    if (this.#closed !== undefined) return toErrorResponse(503, "The gateway is shutting down.");
    if (request.method === "OPTIONS") return this.#originGuard.preflight(request.headers);
    const { protectedResource } = this.#options;
    if (protectedResource !== undefined && isMetadataPath(url.pathname, this.#publicUrl.pathname)) {
      return metadataResponse(this.#publicUrl, protectedResource);
    }
    if (url.pathname !== this.#path)
      return toErrorResponse(404, `The MCP endpoint is ${this.#path}.`);
    const caller = await this.#callers?.authenticate(request);
    if (caller instanceof Response) return caller;
    return this.#answer(
      incoming,
      outgoing,
      request,
      signal,
      caller === undefined ? {} : { caller },
    );
  }

  async #isReady(): Promise<boolean> {
    if (this.#closed !== undefined) return false;
    return (await this.#gateway.ready?.()) ?? true;
  }

  /** Lets the gateway answer a request whose sender is authenticated. */
  async #answer(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    request: Request,
    signal: AbortSignal,
    from: GatewayRequest,
  ): Promise<Response> {
    // The end of the request would not be noticed.
    if (signal.aborted) return toErrorResponse(503, "The client has disconnected.");
    return this.#withinLimit(from.caller, request, outgoing, () =>
      this.#forward(request, incoming, signal, from),
    );
  }

  /**
   * Counts the request towards the caller's limit until its response has been sent, or is a stream for notifications.
   * A `GET` is always such a stream, and only counts among the gateway's streams.
   */
  async #withinLimit(
    caller: Caller | undefined,
    { method }: Request,
    outgoing: ServerResponse,
    forward: () => Promise<Response>,
  ): Promise<Response> {
    if (method === "GET") return forward();
    const { maxRequestsPerCaller = defaultRequests } = this.#options;
    const key = JSON.stringify(caller?.id ?? null);
    const open = this.#open.get(key) ?? 0;
    if (open >= maxRequestsPerCaller) {
      const message = `This caller has reached its limit of ${open} concurrent requests: wait for one to end. The limit is maxRequestsPerCaller of the listener (toolweave serve --max-requests).`;
      return toErrorResponse(429, message, { "retry-after": "1" });
    }
    this.#open.set(key, open + 1);
    let isCounted = true;
    const end = (): void => {
      if (!isCounted) return;
      isCounted = false;
      const remaining = (this.#open.get(key) ?? 1) - 1;
      if (remaining > 0) this.#open.set(key, remaining);
      else this.#open.delete(key);
    };
    outgoing.once("close", end);
    const response = await forward();
    if (isIdleStream(response)) end();
    return response;
  }

  async #forward(
    request: Request,
    incoming: IncomingMessage,
    signal: AbortSignal,
    from: GatewayRequest,
  ): Promise<Response> {
    const { maxBodyBytes = defaultBodyBytes } = this.#options;
    const body = request.method === "POST" ? await readBody(incoming, maxBodyBytes) : undefined;
    if (request.method === "POST" && body === undefined) {
      const message = `The request is larger than ${maxBodyBytes} bytes.`;
      return toErrorResponse(413, message, { connection: "close" });
    }
    const complete = body === undefined ? request : withBody(request, body, signal);
    return this.#gateway.fetch(complete, { maxBodyBytes, ...from });
  }
}
