import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { isIP, type AddressInfo } from "node:net";
import { Readable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { pipeline } from "node:stream/promises";
import { ToolError } from "@toolweave/core";
import { consoleHandler, type ConsoleHandler } from "./console-handler.ts";
import type { ConsoleOptions } from "./console-options.ts";
import { checks } from "@toolweave/core/adapter";

/** Options of `listenConsole`. */
export interface ListenConsoleOptions extends Omit<ConsoleOptions, "origins" | "path"> {
  /** The address to listen on. Default: `127.0.0.1`. */
  readonly host?: string;
  /** Default: a free port, which is part of the listener's `url`. */
  readonly port?: number;
  /** The origin that clients use if there is a proxy: `https://agents.example.com`. Default: the listener's. */
  readonly publicUrl?: string;
}

/** A listening API. */
export interface ConsoleListener {
  /** The local address: `http://127.0.0.1:8138`. */
  readonly url: string;
  /** Stops listening; requests in progress get `graceMs` (default 10,000) to end. Idempotent. */
  close(graceMs?: number): Promise<void>;
}

const timeouts = {
  headersTimeout: 15_000,
  // For the whole body of a request. A response may take as long as the call that was approved.
  requestTimeout: 60_000,
  keepAliveTimeout: 65_000,
};

const maxConnections = 1_024;

/**
 * Serves the API of `consoleHandler` over HTTP, on loopback by default. There is no TLS: for other machines use a
 * reverse proxy with TLS, and set `publicUrl`.
 *
 * @throws ToolError `invalid_configuration` when an option is invalid, `unavailable` when it cannot listen.
 */
export async function listenConsole(options: ListenConsoleOptions): Promise<ConsoleListener> {
  checks.object.check("listenConsole: options", options);
  const { host = "127.0.0.1", port = 0, publicUrl, ...handlerOptions } = options;
  if (publicUrl === undefined && (host === "0.0.0.0" || host === "::")) {
    throw new ToolError(
      "invalid_configuration",
      `listenConsole: ${host} is every address of this machine: set publicUrl to the origin that clients use, such as "https://agents.example.com".`,
    );
  }
  const server = createServer({ ...timeouts, maxHeaderSize: 32 * 1024 });
  server.maxConnections = maxConnections;
  try {
    await once(server.listen(port, host), "listening");
  } catch (cause) {
    const { code = "" } = cause as NodeJS.ErrnoException;
    const message = `The console cannot listen on ${host}, port ${port} (${code}): use another address or port.`;
    throw new ToolError("unavailable", message, { retryable: false, audience: "host", cause });
  }
  const hostInUrl = isIP(host) === 6 ? `[${host}]` : host;
  const url = `http://${hostInUrl}:${(server.address() as AddressInfo).port}`;
  const streams = new Set<ServerResponse>();
  try {
    const origins = publicUrl === undefined ? [url] : [publicUrl, url];
    const handler = consoleHandler({ ...handlerOptions, origins });
    server.on("request", (incoming, outgoing) => {
      void exchange(handler, url, incoming, outgoing, streams);
    });
  } catch (error) {
    server.close();
    throw error;
  }
  let closed: Promise<void> | undefined;
  return { url, close: (graceMs = 10_000) => (closed ??= close(server, streams, graceMs)) };
}

/** @param streams the responses that would not end on their own. */
async function close(
  server: Server,
  streams: ReadonlySet<ServerResponse>,
  graceMs: number,
): Promise<void> {
  const closed = once(server, "close");
  server.close();
  for (const stream of streams) stream.destroy();
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(timer);
}

async function exchange(
  handler: ConsoleHandler,
  base: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  streams: Set<ServerResponse>,
): Promise<void> {
  // An error of the connection ends only this exchange.
  incoming.on("error", () => {});
  outgoing.on("error", () => {});
  try {
    const request = toRequest(incoming, base);
    const response =
      request === undefined ? new Response(null, { status: 400 }) : await handler(request);
    // The rest of a body that was refused is not read.
    if (!incoming.complete) outgoing.setHeader("connection", "close");
    outgoing.statusCode = response.status;
    for (const [name, value] of response.headers) outgoing.setHeader(name, value);
    if (response.headers.get("content-type") === "text/event-stream") {
      streams.add(outgoing);
      // The client knows that the stream has begun before there is an event.
      outgoing.flushHeaders();
    }
    await send(response, outgoing);
  } catch {
    outgoing.destroy();
  } finally {
    streams.delete(outgoing);
  }
}

/** Sends the body as it comes. If the client disconnects, the body is cancelled. */
async function send({ body }: Response, outgoing: ServerResponse): Promise<void> {
  if (body === null) outgoing.end();
  else await pipeline(Readable.fromWeb(body as NodeReadableStream), outgoing);
}

/** Converts a request; `undefined`: its target or its method is invalid, or it is of HTTP/1.0 and names no host. Repeated headers keep all their values. */
function toRequest(incoming: IncomingMessage, base: string): Request | undefined {
  const { method = "GET", url: target = "/", rawHeaders } = incoming;
  // Absolute targets name another server than the Host header does.
  if (incoming.headers.host === undefined) return undefined;
  if (!target.startsWith("/") || !URL.canParse(`${base}${target}`)) return undefined;
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] as string, rawHeaders[index + 1] as string);
  }
  const hasBody = method !== "GET" && method !== "HEAD";
  try {
    return new Request(`${base}${target}`, {
      method,
      headers,
      ...(hasBody ? { body: Readable.toWeb(incoming) as ReadableStream, duplex: "half" } : {}),
    });
  } catch {
    return undefined;
  }
}
