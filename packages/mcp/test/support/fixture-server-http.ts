import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { fixtureServer } from "./fixture-server.ts";
import { FixtureWorld, type FixtureChange } from "./fixture-server-state.ts";
import { answer } from "./http-library.ts";
import { listenPausable, type PausableServer } from "./pausable-server.ts";

/** The fixture server on loopback. While it is paused, sessions and tasks stay. */
export interface FixtureHttp extends PausableServer {
  readonly world: FixtureWorld;
  /** Every request: its method and `mcp-session-id`. */
  readonly requests: { readonly method: string; readonly session: string | undefined }[];
  /** Answers every further request with this status. */
  refuseWith: number | undefined;
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
  const listening = await listenPausable(server);
  const started: FixtureHttp = {
    ...listening,
    world,
    requests: [],
    refuseWith: undefined,
    close: async () => {
      await Promise.all([modern.close(), ...Array.from(sessions.values(), (one) => one.close())]);
      await listening.pause();
    },
  };
  return started;
}
