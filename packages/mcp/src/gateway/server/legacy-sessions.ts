import {
  isInitializeRequest,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { Caller } from "@toolweave/core";
import { isObject } from "@toolweave/core/adapter";
import { errorCode } from "../clients/request-port.ts";
import { describeLimit } from "../clients/caller-budgets.ts";
import { toCallerKey, type GatewayClient } from "../clients/gateway-client.ts";
import type { GatewayServer } from "./gateway-server.ts";
import { isEventStream, toErrorResponse } from "../http/http-exchange.ts";
import { markIdleStream, withStreamEnd } from "../http/idle-streams.ts";
import type { ClientLimits } from "../clients/serve-options.ts";
import type { GatewayMetrics } from "../telemetry/gateway-metrics.ts";

/** Maximum number of sessions of all callers. */
const maxSessions = 10_000;

/** Code that the SDK's own servers use. */
const sessionNotFound = -32001;

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly server: GatewayServer;
  readonly client: GatewayClient;
  /** Key of the caller that has started it, and may use it. */
  readonly owner: string;
  /** Key of the caller for the limits, whatever its roles. */
  readonly counted: string;
  /** Time when a request or a stream last started or ended. */
  lastUsed: number;
  /** Number of open streams for notifications. */
  streams: number;
  /** True after its first stream: without an open one, its client has disconnected. */
  hadStream: boolean;
}

/** Creates the parts of a session. */
export interface SessionFactory {
  /** Returns the id of a new session, which clients send with each request. */
  id(caller: Caller | undefined): Promise<string>;
  client(caller: Caller | undefined, sessionId: string): GatewayClient;
  server(client: GatewayClient): GatewayServer;
  ended(client: GatewayClient): void;
}

/**
 * Sessions over Streamable HTTP, up to 2025-11-25: each has its own server and transport, so that no response can
 * reach another client. A session belongs to its caller: others receive 404.
 */
export class LegacySessions {
  readonly #make: SessionFactory;
  readonly #limits: Required<ClientLimits>;
  readonly #metrics: GatewayMetrics;
  readonly #sessions = new Map<string, Session>();
  /** Number of sessions that each caller is starting: they count from the beginning. */
  readonly #starting = new Map<string, number>();
  #draining = false;

  constructor(make: SessionFactory, limits: Required<ClientLimits>, metrics: GatewayMetrics) {
    this.#make = make;
    this.#limits = limits;
    this.#metrics = metrics;
  }

  async fetch(given: Request, body: unknown, caller: Caller | undefined): Promise<Response> {
    const request = withAcceptedTypes(given);
    const id = request.headers.get("mcp-session-id");
    if (id !== null) {
      const session = this.#sessions.get(id);
      if (session?.owner !== toCallerKey(caller)) return sessionNotFoundResponse();
      session.lastUsed = Date.now();
      if (request.method === "GET") return this.#stream(session, request);
      return session.transport.handleRequest(request, { parsedBody: body });
    }
    const missing = findMissingMember(body);
    if (missing !== undefined) {
      const message = `Invalid params: initialize needs ${missing.member}`;
      return toErrorResponse(400, message, {}, errorCode.invalidParams, missing.id);
    }
    if (request.method !== "POST" || !startsSession(body)) {
      return toErrorResponse(400, "Bad Request: Mcp-Session-Id header is required");
    }
    return this.#start(request, body, caller);
  }

  /** True if this process holds the session. */
  has(id: string): boolean {
    return this.#sessions.has(id);
  }

  /** Rejects new sessions from now on. */
  drain(): void {
    this.#draining = true;
  }

  async close(): Promise<void> {
    await Promise.allSettled(Array.from(this.#sessions.values(), ({ server }) => server.close()));
    this.#sessions.clear();
  }

  /** Opens the stream for notifications of a session. */
  async #stream(session: Session, request: Request): Promise<Response> {
    const { budget } = session.client;
    if (!budget.openStream()) {
      const message = `This caller has reached its limit of open streams: close one of them first. ${describeLimit("streams")}`;
      return toErrorResponse(429, message, { "retry-after": "5" });
    }
    session.streams += 1;
    const end = (): void => {
      budget.closeStream();
      session.streams -= 1;
      session.lastUsed = Date.now();
    };
    let response: Response | undefined;
    try {
      response = await session.transport.handleRequest(request);
    } finally {
      if (response === undefined || !isEventStream(response)) end();
    }
    if (!isEventStream(response)) return response;
    session.hadStream = true;
    return markIdleStream(withStreamEnd(response, request.signal, end));
  }

  async #start(request: Request, body: unknown, caller: Caller | undefined): Promise<Response> {
    if (this.#draining) {
      const message = "The gateway is shutting down: it starts no session.";
      return toErrorResponse(503, message, { "retry-after": "1" });
    }
    const counted = JSON.stringify(caller?.id ?? null);
    const starting = this.#starting.get(counted) ?? 0;
    if (!this.#hasRoom(counted, starting)) {
      const message = `This caller has reached its limit of sessions, and none of them is idle: end one of them first. ${describeLimit("sessions")}`;
      return toErrorResponse(429, message, { "retry-after": "5" });
    }
    this.#starting.set(counted, starting + 1);
    try {
      return await this.#connect(request, body, caller, counted);
    } finally {
      const remaining = (this.#starting.get(counted) ?? 1) - 1;
      if (remaining > 0) this.#starting.set(counted, remaining);
      else this.#starting.delete(counted);
    }
  }

  async #connect(
    request: Request,
    body: unknown,
    caller: Caller | undefined,
    counted: string,
  ): Promise<Response> {
    const id = await this.#make.id(caller);
    const client = this.#make.client(caller, crypto.randomUUID());
    const server = this.#make.server(client);
    let startedAt: number | undefined;
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessioninitialized: () => {
        const owner = toCallerKey(caller);
        const unused = { lastUsed: Date.now(), streams: 0, hadStream: false };
        startedAt = performance.now();
        this.#metrics.sessionStarted();
        this.#sessions.set(id, { transport, server, client, owner, counted, ...unused });
      },
    });
    server.onEnd(() => {
      this.#sessions.delete(id);
      if (startedAt !== undefined) this.#metrics.sessionEnded(performance.now() - startedAt);
      this.#make.ended(client);
    });
    await server.connect(transport);
    const response = await transport.handleRequest(request, { parsedBody: body });
    if (!this.#sessions.has(id)) await server.close();
    return response;
  }

  /**
   * True if the caller may start another session. Clients seldom end their sessions: when the limit is reached, a
   * session whose client has disconnected is closed. A connected client's session is closed only for a caller with
   * fewer sessions than that client's, when the limit of all callers is reached.
   */
  #hasRoom(counted: string, starting: number): boolean {
    const all = [...this.#sessions.entries()];
    const sameCaller = all.filter(([, session]) => session.counted === counted);
    if (sameCaller.length + starting >= this.#limits.sessions)
      return this.#endOne(sameCaller, this.#isDisconnected);
    if (all.length < maxSessions || this.#endOne(all, this.#isDisconnected)) return true;
    const counts = new Map<string, number>();
    for (const [, session] of all) {
      counts.set(session.counted, (counts.get(session.counted) ?? 0) + 1);
    }
    const maxCount = Math.max(...counts.values());
    if (sameCaller.length >= maxCount) return false;
    return this.#endOne(
      all,
      ({ counted: other, client }) =>
        counts.get(other) === maxCount && client.callsInProgress === 0,
    );
  }

  readonly #isDisconnected = ({ client, streams, hadStream, lastUsed }: Session): boolean =>
    client.callsInProgress === 0 &&
    streams === 0 &&
    (hadStream || Date.now() - lastUsed >= this.#limits.sessionIdleMs);

  /** Closes the least recently used session of those that may be closed; `false`: there is none. */
  #endOne(
    candidates: readonly (readonly [string, Session])[],
    mayEnd: (one: Session) => boolean,
  ): boolean {
    let ended: readonly [string, Session] | undefined;
    for (const entry of candidates) {
      if (ended !== undefined && entry[1].lastUsed >= ended[1].lastUsed) continue;
      if (mayEnd(entry[1])) ended = entry;
    }
    if (ended === undefined) return false;
    this.#sessions.delete(ended[0]);
    void ended[1].server.close();
    return true;
  }
}

/** The response to a request of a session that has ended: its client starts a new one. */
export function sessionNotFoundResponse(): Response {
  return toErrorResponse(404, "Session not found", {}, sessionNotFound);
}

/** The types of responses that the SDK requires in `accept`. */
const acceptedTypes = ["application/json", "text/event-stream"];

/** Accepts what `accept` covers: a range, or anything if it is absent (RFC 9110, section 12.5.1). */
function withAcceptedTypes(request: Request): Request {
  if (request.method !== "POST") return request;
  const accept = request.headers.get("accept");
  const ranges = (accept ?? "*/*").split(",").flatMap((range) => {
    const [type = "", ...parameters] = range
      .toLowerCase()
      .split(";")
      .map((part) => part.trim());
    return parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)) ? [] : [type];
  });
  const isCovered = (type: string): boolean =>
    ranges.some((range) => [type, `${type.split("/", 1)[0] ?? ""}/*`, "*/*"].includes(range));
  if (!acceptedTypes.every(isCovered)) return request;
  const headers = new Headers(request.headers);
  headers.set("accept", acceptedTypes.join(", "));
  return new Request(request.url, { method: "POST", headers, signal: request.signal });
}

/** The member that an `initialize` request lacks; `undefined`: none, or it is another message. */
function findMissingMember(body: unknown): MissingMember | undefined {
  if (!isObject(body) || body["method"] !== "initialize" || isInitializeRequest(body))
    return undefined;
  const params = isObject(body["params"]) ? body["params"] : {};
  const { protocolVersion, capabilities, clientInfo } = params;
  const info = isObject(clientInfo) ? clientInfo : undefined;
  const member =
    typeof protocolVersion !== "string"
      ? "protocolVersion, a text"
      : !isObject(capabilities)
        ? "capabilities, an object"
        : typeof info?.["name"] === "string" && typeof info["version"] === "string"
          ? undefined
          : "clientInfo, an object with name and version";
  return member === undefined ? undefined : { member, id: body["id"] ?? null };
}

interface MissingMember {
  readonly member: string;
  readonly id: unknown;
}

function startsSession(body: unknown): boolean {
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
  return messages.some((message) => isInitializeRequest(message));
}
