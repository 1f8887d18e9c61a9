import {
  isInitializeRequest,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { Caller } from "@toolweave/core";
import { callerKey } from "./caller-key.ts";
import type { GatewayClient } from "./gateway-client.ts";
import type { GatewayServer } from "./gateway-server.ts";
import { refusal } from "./http-refusal.ts";

/** Sessions of everybody together. */
const mostSessions = 10_000;

/** As the SDK's own servers say it. */
const sessionNotFound = -32001;

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly server: GatewayServer;
  readonly client: GatewayClient;
  /** Who may use it: the caller that has begun it. */
  readonly owner: string;
  lastUsed: number;
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
  readonly #mostOfOne: number;
  readonly #sessions = new Map<string, Session>();
  /** How many each caller is beginning: they count from the start. */
  readonly #beginning = new Map<string, number>();

  constructor(make: SessionMaker, mostOfOne: number) {
    this.#make = make;
    this.#mostOfOne = mostOfOne;
  }

  async fetch(request: Request, body: unknown, caller: Caller | undefined): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    if (id !== null) {
      const session = this.#sessions.get(id);
      if (session?.owner !== callerKey(caller))
        return refusal(404, "Session not found", {}, sessionNotFound);
      session.lastUsed = Date.now();
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

  async #begin(request: Request, body: unknown, caller: Caller | undefined): Promise<Response> {
    const owner = callerKey(caller);
    const begun = this.#beginning.get(owner) ?? 0;
    const all = Array.from(this.#sessions);
    const own = all.filter(([, session]) => session.owner === owner);
    const hasMost = own.length + begun >= this.#mostOfOne;
    // A caller with few of them must not be kept out by the many that others have left behind.
    if ((hasMost || all.length >= mostSessions) && !this.#makeRoom(hasMost ? own : all)) {
      return refusal(429, "There are as many sessions as there may be: end one of them first");
    }
    this.#beginning.set(owner, begun + 1);
    try {
      return await this.#connected(request, body, caller, owner);
    } finally {
      const left = (this.#beginning.get(owner) ?? 1) - 1;
      if (left > 0) this.#beginning.set(owner, left);
      else this.#beginning.delete(owner);
    }
  }

  async #connected(
    request: Request,
    body: unknown,
    caller: Caller | undefined,
    owner: string,
  ): Promise<Response> {
    const id = crypto.randomUUID();
    const client = this.#make.client(caller, id);
    const server = this.#make.server(client);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessioninitialized: () => {
        const session = { transport, server, client, owner, lastUsed: Date.now() };
        this.#sessions.set(id, session);
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

  /** Clients seldom say that they are gone. */
  #makeRoom(among: readonly (readonly [string, Session])[]): boolean {
    let idle: readonly [string, Session] | undefined;
    for (const entry of among) {
      if (entry[1].client.running > 0) continue;
      if (idle === undefined || entry[1].lastUsed < idle[1].lastUsed) idle = entry;
    }
    if (idle === undefined) return false;
    this.#sessions.delete(idle[0]);
    void idle[1].server.close();
    return true;
  }
}

function beginsSession(body: unknown): boolean {
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
  return messages.some((message) => isInitializeRequest(message));
}
