import type { Approval, ConsoleFile, ToolRow } from "@toolweave/console";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { matchRoute } from "../../src/navigation/routes.ts";
import { createFakeRoutes, Refused } from "./fake-routes.ts";
import * as data from "./fake-data.ts";

/** The headers with which a server sends the page (design of Studio, section 3). */
const pageHeaders: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
};

/** A server with the page and made-up data, for tests of the page alone. */
export interface FakeServer {
  /** Such as `http://127.0.0.1:4000`. */
  readonly url: string;
  /** The start link, which works once. */
  startLink(): string;
  /** The bodies of the answers to approvals, in order. */
  readonly answers: readonly { readonly id: string; readonly body: unknown }[];
  /** Adds an approval, and emits the event of it. */
  addApproval(approval: Approval): void;
  /** Replaces an approval, and emits an event. */
  changeApproval(id: string, changes: Partial<Approval>): void;
  emit(event: Readonly<Record<string, unknown>>): void;
  /** Ends all sessions. */
  endSessions(): void;
  close(): Promise<void>;
}

/** Settings of the made-up data. */
export interface FakeOptions {
  readonly files: ReadonlyMap<string, ConsoleFile>;
  /** Default: 10,000 tools. */
  readonly tools?: readonly ToolRow[];
  /** The number of spans of each run. Default: 120. */
  readonly spans?: number;
  /** Default: the system chooses. */
  readonly port?: number;
  /** Changes each body before it is sent, for texts of an attacker. */
  readonly transform?: (path: string, body: unknown) => unknown;
}

/** Starts the server on 127.0.0.1. */
export async function startFakeServer(options: FakeOptions): Promise<FakeServer> {
  const tools = options.tools ?? data.makeTools(10_000);
  const approvals = [...data.makeApprovals(tools)];
  const grants = [...data.makeGrants(tools)];
  const answers: { id: string; body: unknown }[] = [];
  const streams = new Set<ServerResponse>();
  const codes = new Set<string>();
  const tokens = new Set<string>();
  let seq = 0;

  const emit = (event: Readonly<Record<string, unknown>>): void => {
    seq += 1;
    const text = JSON.stringify({ stream: "live", seq, time: Date.now(), ...event });
    for (const stream of streams) stream.write(`id: live:${seq}\ndata: ${text}\n\n`);
  };
  const routes = createFakeRoutes({
    tools,
    approvals,
    grants,
    answers,
    spans: options.spans ?? 120,
    emit,
  });

  const handleApi = async (request: IncomingMessage, response: ServerResponse, url: URL) => {
    response.setHeader("cache-control", "no-store");
    const body = request.method === "POST" ? await readJson(request) : {};
    if (url.pathname === "/session" && request.method === "POST") {
      if (!codes.delete(String(body["code"]))) {
        throw new Refused(401, "unauthenticated", "The link was used before, or has expired.");
      }
      const token = crypto.randomUUID();
      tokens.add(token);
      return {
        token,
        scopes: ["read", "call", "decide"],
        expiresAt: Date.now() + 3_600_000,
        caller: { id: "person" },
      };
    }
    if (!tokens.has((request.headers.authorization ?? "").replace("Bearer ", ""))) {
      throw new Refused(401, "unauthenticated", "The session has ended.");
    }
    if (url.pathname === "/session" && request.method === "DELETE") {
      tokens.delete((request.headers.authorization ?? "").replace("Bearer ", ""));
      return undefined;
    }
    if (url.pathname === "/api/events") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(": connected\n\n");
      streams.add(response);
      request.once("close", () => streams.delete(response));
      return openStream;
    }
    for (const [method, path, handler] of routes) {
      const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, "([^/]+)")}$`);
      const found = request.method === method ? pattern.exec(url.pathname) : null;
      if (found === null) continue;
      const [id = "", span = ""] = found.slice(1).map(decodeURIComponent);
      return handler({ id, span, query: url.searchParams, body });
    }
    throw new Refused(404, "not_found", "There is no such resource.");
  };
  const openStream = Symbol("open stream");

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    for (const [name, value] of Object.entries(pageHeaders)) response.setHeader(name, value);
    if (url.pathname.startsWith("/api/") || url.pathname === "/session") {
      handleApi(request, response, url).then(
        (result) => {
          if (result === openStream) return;
          if (result === undefined) response.writeHead(204).end();
          else {
            const body = options.transform?.(url.pathname, result) ?? result;
            response.writeHead(200, { "content-type": "application/json" });
            response.end(JSON.stringify(body));
          }
        },
        (error: unknown) => {
          const problem =
            error instanceof Refused ? error : new Refused(500, "internal", String(error));
          response.writeHead(problem.status, { "content-type": "application/problem+json" });
          response.end(JSON.stringify(problem));
        },
      );
      return;
    }
    const isScreen = matchRoute(url.pathname) !== undefined;
    const file = options.files.get(isScreen ? "/index.html" : url.pathname);
    if (file === undefined) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, {
      "content-type": file.mediaType,
      "cache-control": file.immutable ? "public, max-age=31536000, immutable" : "no-store",
    });
    response.end(file.bytes);
  });
  await listen(server, options.port ?? 0);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    startLink() {
      const code = crypto.randomUUID();
      codes.add(code);
      return `${url}/#code=${code}`;
    },
    answers,
    addApproval(approval) {
      approvals.push(approval);
      emit({ type: "tool.interrupted", interruptionId: approval.id });
    },
    changeApproval(id, changes) {
      const index = approvals.findIndex((each) => each.id === id);
      const found = approvals[index];
      if (found !== undefined) approvals[index] = { ...found, ...changes };
      emit({ type: "tool.interrupted", interruptionId: id });
    },
    emit,
    endSessions: () => tokens.clear(),
    close() {
      for (const stream of streams) stream.destroy();
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
}

async function readJson(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString("utf8");
  return text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
}
