import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { createMcpHandler, type McpHttpHandler } from "@modelcontextprotocol/server";
import { listenPausable, type PausableServer } from "./pausable-server.ts";
import { SessionLibrary } from "./session-library.ts";
import { library, type LibraryWorld } from "./library.ts";

/** Libraries on loopback: another one at each path. */
export interface HttpLibrary extends PausableServer {
  /** The headers of all requests. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>[];
  /** Answers every further request with this status. */
  refuseWith: number | undefined;
  /** Those at `${url}/sessions`. */
  readonly sessions: SessionLibrary;
  close(): Promise<void>;
}

/** Starts it. Both protocol generations; the older one without sessions. */
export async function httpLibrary(): Promise<HttpLibrary> {
  const sessions = new SessionLibrary();
  const handlers = new Map<string, McpHttpHandler>();
  const getHandler = (path: string): McpHttpHandler => {
    const handler = handlers.get(path) ?? libraryHandler();
    handlers.set(path, handler);
    return handler;
  };
  const server = createServer((request, response) => {
    started.headers.push(request.headers);
    if (started.refuseWith !== undefined) {
      response.writeHead(started.refuseWith).end();
      return;
    }
    const { url = "/" } = request;
    const fetch = url.endsWith("/sessions")
      ? (asked: Request) => sessions.fetch(asked)
      : getHandler(url).fetch;
    void answer(fetch, request, response);
  });
  const listening = await listenPausable(server);
  const started: HttpLibrary = {
    ...listening,
    headers: [],
    refuseWith: undefined,
    sessions,
    close: async () => {
      await Promise.all(Array.from(handlers.values(), (handler) => handler.close()));
      await listening.pause();
    },
  };
  return started;
}

function libraryHandler(): McpHttpHandler {
  const world: LibraryWorld = { edition: 0 };
  const handler = createMcpHandler(() => library(world));
  world.announce = () => handler.notify.toolsChanged();
  return handler;
}

/** Answers a Node.js request with the response of a `fetch`-shaped handler. */
export async function answer(
  fetch: (request: Request) => Promise<Response>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  outgoing.once("close", () => gone.abort());
  const { method = "GET", url = "/", headers } = incoming;
  const hasBody = method === "POST";
  const request = new Request(new URL(url, "http://127.0.0.1"), {
    method,
    headers: Object.entries(headers).map(([name, value]) => [name, String(value)]),
    signal: gone.signal,
    ...(hasBody
      ? { body: Readable.toWeb(incoming) as RequestInit["body"] & object, duplex: "half" }
      : {}),
  });
  const response = await fetch(request);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) return void outgoing.end();
  outgoing.flushHeaders();
  Readable.fromWeb(response.body as ReadableStream)
    .on("error", () => outgoing.destroy())
    .pipe(outgoing);
}
