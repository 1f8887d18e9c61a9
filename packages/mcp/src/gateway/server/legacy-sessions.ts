import {
  isInitializeRequest,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { Caller } from "@toolweave/core";
import { howToRaise } from "../clients/caller-budgets.ts";
import { callerKey } from "../clients/caller-key.ts";
import type { GatewayClient } from "../clients/gateway-client.ts";
import type { GatewayServer } from "./gateway-server.ts";
import { isEventStream } from "../http/http-exchange.ts";
import { refusal } from "../http/http-refusal.ts";
import { markIdleStream, withStreamEnd } from "../http/idle-streams.ts";
import type { ClientLimits } from "../clients/serve-options.ts";

/** Sessions of all callers together. */
const maxSessions = 10_000;

/** As the SDK's own servers say it. */
const sessionNotFound = -32001;

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly server: GatewayServer;
  readonly client: GatewayClient;
  /** Who may use it: the caller that has begun it. */
  readonly owner: string;
  /** The caller that it counts as, whatever its roles. */
  readonly counted: string;
  /** When a request, or a stream, last began or ended. */
  lastUsed: number;
  /** Streams that wait for changes. */
  streams: number;
  /** It has had a stream: when it has none any more, its client is gone. */
  hadStream: boolean;
}

/** What a session is made of. */
export interface SessionMaker {
  client(caller: Caller | undefined, sessionId: string): GatewayClient;
  server(client: GatewayClient): GatewayServer;
  ended(client: GatewayClient): void;
}

/**
 * Sessions over Streamable HTTP, up to 2025-11-25: each has a server and a transport of its own, so that no answer can
 * reach another's client. A session is its caller's: for anybody else it is not there.
 */
export class LegacySessions {
  readonly #make: SessionMaker;
  readonly #limits: Required<ClientLimits>;
  readonly #sessions = new Map<string, Session>();
  /** How many each caller is beginning: they count from the start. */
  readonly #beginning = new Map<string, number>();

  constructor(make: SessionMaker, limits: Required<ClientLimits>) {
    this.#make = make;
    this.#limits = limits;
  }

  async fetch(request: Request, body: unknown, caller: Caller | undefined): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    if (id !== null) {
      const session = this.#sessions.get(id);
      if (session?.owner !== callerKey(caller))
        return refusal(404, "Session not found", {}, sessionNotFound);
      session.lastUsed = Date.now();
      if (request.method === "GET") return this.#stream(session, request);
      return session.transport.handleRequest(request, { parsedBody: body });
    }
    if (request.method !== "POST" || !beginsSession(body)) {
      return refusal(400, "Bad Request: Mcp-Session-Id header is required");
    }
    return this.#begin(request, body, caller);
  }

  async close(): Promise<void> {
    await Promise.allSettled(Array.from(this.#sessions.values(), ({ server }) => server.close()));
    this.#sessions.clear();
  }

  /** The stream on which a session's client hears of changes. */
  async #stream(session: Session, request: Request): Promise<Response> {
    const { budget } = session.client;
    if (!budget.openStream()) {
      const message = `This caller has as many streams open as it may have: end one of them first. ${howToRaise("streams")}`;
      return refusal(429, message, { "retry-after": "5" });
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

  async #begin(request: Request, body: unknown, caller: Caller | undefined): Promise<Response> {
    const counted = JSON.stringify(caller?.id ?? null);
    const begun = this.#beginning.get(counted) ?? 0;
    if (!this.#hasRoom(counted, begun)) {
      const message = `This caller has as many sessions as it may have, and none of them is idle: end one of them first. ${howToRaise("sessions")}`;
      return refusal(429, message, { "retry-after": "5" });
    }
    this.#beginning.set(counted, begun + 1);
    try {
      return await this.#connected(request, body, caller, counted);
    } finally {
      const left = (this.#beginning.get(counted) ?? 1) - 1;
      if (left > 0) this.#beginning.set(counted, left);
      else this.#beginning.delete(counted);
    }
  }

  async #connected(
    request: Request,
    body: unknown,
    caller: Caller | undefined,
    counted: string,
  ): Promise<Response> {
    const id = crypto.randomUUID();
    const client = this.#make.client(caller, id);
    const server = this.#make.server(client);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessioninitialized: () => {
        const owner = callerKey(caller);
        const unused = { lastUsed: Date.now(), streams: 0, hadStream: false };
        this.#sessions.set(id, { transport, server, client, owner, counted, ...unused });
      },
    });
    server.atEnd(() => {
      this.#sessions.delete(id);
      this.#make.ended(client);
    });
    await server.connect(transport);
    const response = await transport.handleRequest(request, { parsedBody: body });
    if (!this.#sessions.has(id)) await server.close();
    return response;
  }

  /**
   * Whether another session of the caller may begin. Clients seldom say that they are gone: where there are as many as
   * there may be, a session whose client is gone ends. A connected client is only cut off for a caller that has fewer
   * sessions than that client's, when all callers together have as many as there may be.
   */
  #hasRoom(counted: string, begun: number): boolean {
    const all = [...this.#sessions.entries()];
    const own = all.filter(([, session]) => session.counted === counted);
    if (own.length + begun >= this.#limits.sessions) return this.#endOne(own, this.#isGone);
    if (all.length < maxSessions || this.#endOne(all, this.#isGone)) return true;
    const counts = new Map<string, number>();
    for (const [, session] of all) {
      counts.set(session.counted, (counts.get(session.counted) ?? 0) + 1);
    }
    const most = Math.max(...counts.values());
    if (own.length >= most) return false;
    return this.#endOne(
      all,
      ({ counted: other, client }) => counts.get(other) === most && client.running === 0,
    );
  }

  readonly #isGone = ({ client, streams, hadStream, lastUsed }: Session): boolean =>
    client.running === 0 &&
    streams === 0 &&
    (hadStream || Date.now() - lastUsed >= this.#limits.sessionIdleMs);

  /** Ends the session that was used longest ago, of those that may end; `false`: there is none. */
  #endOne(
    among: readonly (readonly [string, Session])[],
    mayEnd: (one: Session) => boolean,
  ): boolean {
    let ended: readonly [string, Session] | undefined;
    for (const entry of among) {
      if (ended !== undefined && entry[1].lastUsed >= ended[1].lastUsed) continue;
      if (mayEnd(entry[1])) ended = entry;
    }
    if (ended === undefined) return false;
    this.#sessions.delete(ended[0]);
    void ended[1].server.close();
    return true;
  }
}

function beginsSession(body: unknown): boolean {
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
  return messages.some((message) => isInitializeRequest(message));
}
