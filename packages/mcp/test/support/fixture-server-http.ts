import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { fixtureServer } from "./fixture-server.ts";
import { FixtureWorld, type FixtureChange } from "./fixture-server-state.ts";
import { answer } from "./http-library.ts";

/** The fixture server on loopback. */
export interface FixtureHttp {
  readonly url: string;
  readonly world: FixtureWorld;
  /** Every request: its method and `mcp-session-id`. */
  readonly requests: { readonly method: string; readonly session: string | undefined }[];
  /** Answers every further request with this status. */
  refuseWith: number | undefined;
  /** Cuts all connections, and accepts none until `resume`. Sessions and tasks stay. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  close(): Promise<void>;
}

/** The options to start the fixture server over HTTP. */
export interface FixtureHttpOptions {
  /** Default: both. */
  readonly era?: "legacy" | "modern";
}

/** Starts the fixture server: both generations at one URL, the older one with sessions. */
export async function fixtureHttp({ era }: FixtureHttpOptions = {}): Promise<FixtureHttp> {
  const world = new FixtureWorld();
  const modern = createMcpHandler(() => fixtureServer(world, false), { legacy: "reject" });
  const tell = ({ what, uri = "fixture://text" }: FixtureChange): void => {
    if (what === "tools") modern.notify.toolsChanged();
    else if (what === "prompts") modern.notify.promptsChanged();
    else if (what === "resources") modern.notify.resourcesChanged();
    else modern.notify.resourceUpdated(uri);
  };
  world.listeners.add(tell);
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const legacy = async (request: Request): Promise<Response> => {
    const id = request.headers.get("mcp-session-id");
    if (id !== null) {
      return sessions.get(id)?.handleRequest(request) ?? new Response(null, { status: 404 });
    }
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (opened) => void sessions.set(opened, transport),
      onsessionclosed: (closed) => void sessions.delete(closed),
    });
    await fixtureServer(world, true).connect(transport);
    return transport.handleRequest(request);
  };
  const fetch = async (request: Request): Promise<Response> => {
    const isLegacy = era === undefined ? await isLegacyRequest(request) : era === "legacy";
    return isLegacy ? legacy(request) : modern.fetch(request);
  };
  const server = createServer((request, response) => {
    const session = request.headers["mcp-session-id"];
    started.requests.push({ method: request.method ?? "GET", session: session?.toString() });
    if (started.refuseWith === undefined) void answer(fetch, request, response);
    else response.writeHead(started.refuseWith).end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const stop = async (): Promise<void> => {
    const closed = server.listening ? once(server.close(), "close") : undefined;
    server.closeAllConnections();
    await closed;
  };
  const started: FixtureHttp = {
    url: `http://127.0.0.1:${port}/mcp`,
    world,
    requests: [],
    refuseWith: undefined,
    pause: stop,
    resume: async () => void (await once(server.listen(port, "127.0.0.1"), "listening")),
    close: async () => {
      await Promise.all([modern.close(), ...Array.from(sessions.values(), (one) => one.close())]);
      await stop();
    },
  };
  return started;
}
