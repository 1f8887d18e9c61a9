import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { isIP } from "node:net";
import { ToolError, type Caller } from "@toolweave/core";
import type { GatewayFetch } from "./gateway-fetch.ts";
import { CallerCheck, tokenCallers } from "./http-callers.ts";
import { checkHttpOptions } from "./check-http-options.ts";
import { readBody, isEventStream, toRequest, send, withBody } from "./http-exchange.ts";
import { isMetadataPath, metadataAnswer, toMetadataUrl } from "./resource-metadata.ts";
import { OriginGuard } from "./origin-guard.ts";
import type { HttpOptions } from "./http-options.ts";
import { refusal } from "./http-refusal.ts";
import { isIdleStream } from "./idle-streams.ts";

const defaultBodyBytes = 4 * 1024 * 1024;
const defaultConnections = 4_096;
const defaultRequests = 1_000;

/** Who is slower than that at sending a request is cut off (`node:http`, in milliseconds). */
const patience = {
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  // Longer than a busy client leaves a connection idle: one that is closed just as it is used again breaks a request.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
};

/** Made once: its stack would cost more than the rest of an answer's end. */
const over = new DOMException("The exchange is over.", "AbortError");

/** A gateway that listens. */
export interface HttpListener {
  /** Where clients reach it on this machine: `http://127.0.0.1:8137/mcp`. */
  readonly url: string;
  /**
   * Listens no longer: streams of the gateway's own end, calls have `graceMs` (default 10,000) to, then everything is
   * cut off. The gateway stays open; closing both at once lets its subscriptions end first. Idempotent.
   */
  close(graceMs?: number): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Serves a gateway over HTTP: to this machine unless told otherwise. Refuses requests for other hosts and of other
 * pages (DNS rebinding), asks who a request is from, and bounds what one may send and keep open. There is no TLS in it:
 * for other machines put it behind something that has it, and say so with `publicUrl`.
 *
 * @throws ToolError `internal` when an option cannot be meant, or others could use the gateway without a token;
 *   `unavailable` when it cannot listen there.
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
    ...patience,
    maxHeaderSize: 32 * 1024,
    // The stream of a client whose machine is gone ends, and its place is free again.
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
  });
  server.maxConnections = options.maxConnections ?? defaultConnections;
  try {
    await once(server.listen(port, host), "listening");
  } catch (cause) {
    const { code = "" } = cause as NodeJS.ErrnoException;
    const message = `Cannot listen on ${host}, port ${port} (${code}).`;
    throw new ToolError("unavailable", message, { retryable: false, audience: "host", cause });
  }
  const shown = isIP(host) === 6 ? `[${host}]` : host;
  const url = new URL(`http://${shown}:${(server.address() as AddressInfo).port}${path}`);
  return new Listener(gateway, options, server, url);
}

class Listener implements HttpListener {
  readonly url: string;
  readonly #gateway: GatewayFetch;
  readonly #server: Server;
  readonly #path: string;
  readonly #publicUrl: URL;
  readonly #options: HttpOptions;
  readonly #neighbours: OriginGuard;
  readonly #callers: CallerCheck | undefined;
  /** How many requests of each caller are under way. */
  readonly #open = new Map<string, number>();
  /** What each answer under way ends with; `true`: a stream that ends with the listener. */
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
    this.#neighbours = new OriginGuard({
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
      // Sent before the answer to the one before (pipelining), it has no connection of its own yet, and nobody would hear
      // that its client has gone. No client of the protocol does that: it sends it again over another connection.
      if (outgoing.socket === null) incoming.socket.destroy();
      else void this.#answer(incoming, outgoing);
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
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const [exchange, isStream] of this.#exchanges) if (isStream) exchange.abort();
    if (this.#exchanges.size > 0) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
        timer = setTimeout(resolve, graceMs);
      });
      clearTimeout(timer);
    }
    for (const exchange of this.#exchanges.keys()) exchange.abort();
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const exchange = new AbortController();
    this.#exchanges.set(exchange, incoming.method === "GET");
    let isStream = true;
    const gone = (): void => {
      // Nobody is left who would have to hear of an answer that has been sent whole; a stream may be subscribed to.
      if (isStream || !outgoing.writableFinished) exchange.abort(over);
    };
    outgoing.once("close", gone);
    // What was sent too early, or breaks off, ends the exchange and nothing else.
    incoming.on("error", gone);
    outgoing.on("error", gone);
    if (this.#closed !== undefined) outgoing.setHeader("connection", "close");
    try {
      const response = await this.#responseTo(incoming, outgoing, exchange.signal);
      isStream = isEventStream(response);
      const readable = this.#neighbours.readableBy(incoming.headers.origin ?? null);
      for (const [name, value] of Object.entries(readable)) outgoing.setHeader(name, value);
      outgoing.setHeader("x-content-type-options", "nosniff");
      await send(response, outgoing, exchange.signal);
    } catch {
      // Nothing of it is for whoever asked.
      if (outgoing.headersSent) outgoing.destroy();
      else await send(refusal(500, "The gateway cannot answer this."), outgoing, exchange.signal);
    } finally {
      this.#exchanges.delete(exchange);
      if (this.#exchanges.size === 0) this.#idle?.();
    }
  }

  /** The cheap checks first: nothing is read for whoever is refused. */
  async #responseTo(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    signal: AbortSignal,
  ): Promise<Response> {
    const url = URL.parse(incoming.url ?? "/", this.#publicUrl.href);
    if (url === null) return refusal(400, "This is no URL.");
    const request = toRequest(
      incoming,
      new URL(`${url.pathname}${url.search}`, this.#publicUrl),
      signal,
    );
    const misled = this.#neighbours.refusalOf(request.headers);
    if (misled !== undefined) return misled;
    if (this.#closed !== undefined) return refusal(503, "The gateway is shutting down.");
    if (request.method === "OPTIONS") return this.#neighbours.preflight(request.headers);
    const { protectedResource } = this.#options;
    if (protectedResource !== undefined && isMetadataPath(url.pathname, this.#publicUrl.pathname)) {
      return metadataAnswer(this.#publicUrl, protectedResource);
    }
    if (url.pathname !== this.#path)
      return refusal(404, `The protocol is spoken at ${this.#path}.`);
    const caller = await this.#callers?.callerOf(request);
    if (caller instanceof Response) return caller;
    // Nothing would tell that its request has ended.
    if (signal.aborted) return refusal(503, "The client has gone.");
    return this.#counted(caller, request, outgoing, () =>
      this.#forwarded(request, incoming, signal, caller),
    );
  }

  /**
   * One of the requests that the caller may have under way: until the answer has been sent, or is a stream that waits for
   * changes. A `GET` is nothing else, and counts among the gateway's streams alone.
   */
  async #counted(
    caller: Caller | undefined,
    { method }: Request,
    outgoing: ServerResponse,
    go: () => Promise<Response>,
  ): Promise<Response> {
    if (method === "GET") return go();
    const { maxRequestsPerCaller = defaultRequests } = this.#options;
    const key = JSON.stringify(caller?.id ?? null);
    const open = this.#open.get(key) ?? 0;
    if (open >= maxRequestsPerCaller) {
      const message = `This caller has ${open} requests under way, and may have no more: wait for one to end. The limit is maxRequestsPerCaller of the listener (toolweave serve --max-requests).`;
      return refusal(429, message, { "retry-after": "1" });
    }
    this.#open.set(key, open + 1);
    let isCounted = true;
    const end = (): void => {
      if (!isCounted) return;
      isCounted = false;
      const left = (this.#open.get(key) ?? 1) - 1;
      if (left > 0) this.#open.set(key, left);
      else this.#open.delete(key);
    };
    outgoing.once("close", end);
    const response = await go();
    if (isIdleStream(response)) end();
    return response;
  }

  async #forwarded(
    request: Request,
    incoming: IncomingMessage,
    signal: AbortSignal,
    caller: Caller | undefined,
  ): Promise<Response> {
    const { maxBodyBytes = defaultBodyBytes } = this.#options;
    const body = request.method === "POST" ? await readBody(incoming, maxBodyBytes) : undefined;
    if (request.method === "POST" && body === undefined) {
      const message = `A request has ${maxBodyBytes} bytes at most.`;
      return refusal(413, message, { connection: "close" });
    }
    const whole = body === undefined ? request : withBody(request, body, signal);
    return this.#gateway.fetch(whole, {
      maxBodyBytes,
      ...(caller === undefined ? {} : { caller }),
    });
  }
}
