import { Agent as HttpAgent, request as requestHttp, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import type { ForwardedParts } from "../http/forwarded-requests.ts";
import { ReplicaHealth, type HealthIntervals } from "./replica-health.ts";

/** Milliseconds until a connection to another replica is established. */
const connectMs = 2_000;

const agentOptions = { keepAlive: true, keepAliveMsecs: 10_000, maxFreeSockets: 64 };

/** Errors before anything was sent. */
const notConnected: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "EHOSTDOWN",
  "ENETUNREACH",
  "ENETDOWN",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EADDRNOTAVAIL",
]);

/** Headers of a response that are passed on. */
const responseHeaders = [
  "content-type",
  "cache-control",
  "mcp-session-id",
  "mcp-protocol-version",
  "retry-after",
  "allow",
] as const;

/**
 * Result of a hop. `unreachable`: the replica does not exist any more, and has not received the request. `interrupted`:
 * it may have received the request, and the connection has ended without a response.
 */
export type HopResult = Response | "unreachable" | "interrupted";

/** Sends requests to other replicas, over connections that stay open. */
export class ReplicaConnections {
  readonly #health: ReplicaHealth;
  readonly #http = new HttpAgent(agentOptions);
  readonly #https = new HttpsAgent(agentOptions);

  constructor(intervals?: HealthIntervals) {
    this.#health = new ReplicaHealth(intervals);
  }

  /**
   * Sends one request; the body of its response is passed on as it arrives. Redirects are not followed. If the replica
   * does not respond to checks any more, the exchange ends.
   *
   * @param signal Ends the exchange, also while the response is being passed on.
   */
  send(
    url: string,
    { method, headers, body }: ForwardedParts,
    authorization: string,
    signal: AbortSignal,
  ): Promise<HopResult> {
    return new Promise((resolve) => {
      let isConnected = false;
      let timer: NodeJS.Timeout | undefined;
      const target = new URL(url);
      const isTls = target.protocol === "https:";
      const bytes = body === undefined ? undefined : Buffer.from(body);
      const sent = (isTls ? requestHttps : requestHttp)(target, {
        method,
        agent: isTls ? this.#https : this.#http,
        headers: {
          ...Object.fromEntries(headers),
          authorization,
          ...(bytes === undefined ? {} : { "content-length": bytes.length }),
        },
      });
      const abort = (): void => void sent.destroy();
      if (signal.aborted) abort();
      else signal.addEventListener("abort", abort, { once: true });
      const endWatch = this.#health.watch(target, abort);
      // After the response has been passed on, or when the exchange has failed.
      sent.on("close", () => {
        signal.removeEventListener("abort", abort);
        endWatch();
      });
      sent.on("socket", (socket) => {
        const connected = (): void => {
          isConnected = true;
          clearTimeout(timer);
        };
        if (!socket.connecting) return connected();
        timer = setTimeout(abort, connectMs);
        socket.once(isTls ? "secureConnect" : "connect", connected);
      });
      sent.on("error", ({ code = "" }: NodeJS.ErrnoException) => {
        clearTimeout(timer);
        resolve(!isConnected || notConnected.has(code) ? "unreachable" : "interrupted");
      });
      sent.on("response", (incoming) => resolve(toResponse(incoming)));
      sent.end(bytes);
    });
  }
}

function toResponse(incoming: IncomingMessage): Response {
  const status = incoming.statusCode ?? 502;
  const headers = new Headers();
  for (const name of responseHeaders) {
    const value = incoming.headers[name];
    if (value !== undefined) headers.set(name, String(value));
  }
  if (status < 200 || status > 599) {
    incoming.destroy();
    return new Response(null, { status: 502 });
  }
  if (status === 204 || status === 205 || status === 304) {
    incoming.resume();
    return new Response(null, { status, headers });
  }
  // If the connection ends early, the body has an error: an incomplete response must not look complete.
  const body = Readable.toWeb(incoming) as ReadableStream<Uint8Array>;
  return new Response(body as never, { status, headers });
}
