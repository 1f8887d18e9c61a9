import { createServer } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";

import { HttpProblem } from "./http-problem.ts";
import { MuseumStore } from "./museum-store.ts";
import { routes } from "./routes.ts";
import type { Route, RouteAnswer } from "./routes.ts";

/** A request that the museum received. */
export interface SeenRequest {
  readonly method: string;
  /** Path and query as they were sent. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** The body as text; empty if there was none. */
  readonly body: string;
  /**
   * Settles when the exchange is over; `disconnected` if the client disconnected before the answer.
   */
  readonly finished: Promise<"answered" | "disconnected">;
}

/** The port of the museum, and its observer. */
export interface MuseumOptions {
  /** Default: 0, any free port. */
  readonly port?: number;
  /** Called with each request before it is answered. */
  readonly onRequest?: (request: SeenRequest) => void;
}

/** A running museum. */
export interface Museum {
  /** The base URL, without a slash at its end. */
  readonly url: string;
  /** The URL of its OpenAPI document. */
  readonly documentUrl: string;
  /** Every request so far, oldest first. */
  readonly requests: readonly SeenRequest[];
  /** Disconnects all clients and frees port and database. A second call has no effect. */
  close(): Promise<void>;
}

const maxBodyBytes = 64 * 1024;

/** Opens a museum on 127.0.0.1: a small HTTP service with an OpenAPI document and its own state. */
export async function startMuseum(options: MuseumOptions = {}): Promise<Museum> {
  const store = new MuseumStore();
  const requests: SeenRequest[] = [];
  const remember = (seen: SeenRequest): void => {
    requests.push(seen);
    options.onRequest?.(seen);
  };
  const server = createServer((request, response) => {
    void serve(request, response, store, remember);
  });

  try {
    server.listen(options.port ?? 0, "127.0.0.1");
    await once(server, "listening");
  } catch (error) {
    store.close();
    throw error;
  }
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let closing: Promise<void> | undefined;

  return {
    url,
    documentUrl: `${url}/openapi.json`,
    requests,
    close: () => (closing ??= closeServer(server).finally(() => store.close())),
  };
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  store: MuseumStore,
  remember: (seen: SeenRequest) => void,
): Promise<void> {
  const hangUp = new AbortController();
  const finished = new Promise<"answered" | "disconnected">((resolve) => {
    response.once("close", () => {
      resolve(response.writableFinished ? "answered" : "disconnected");
      hangUp.abort();
    });
  });

  let answer: RouteAnswer;
  try {
    const method = request.method ?? "GET";
    const url = request.url ?? "/";
    const text = await readBody(request);
    remember({ method, url, headers: request.headers, body: text ?? "", finished });
    const [pathname, query] = splitUrl(url);
    const { route, params } = findRoute(method, pathname);
    const body = takesBody(method) ? parseBody(text, request.headers["content-type"]) : undefined;
    const { headers } = request;
    const { signal } = hangUp;
    answer = await route.handle({ params, query, headers, body, store, signal });
  } catch (error) {
    answer = toAnswer(error);
  }
  send(response, answer);
}

/** Parsed here, since `URL` refuses some valid requests, and rewrites dot segments. */
function splitUrl(url: string): [pathname: string, query: URLSearchParams] {
  const mark = url.indexOf("?");
  if (mark === -1) return [url, new URLSearchParams()];
  return [url.slice(0, mark), new URLSearchParams(url.slice(mark + 1))];
}

/** The body as text, or undefined if it is too large. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    // A body that is too large is still read to its end, so that the client receives the answer.
    if (size <= maxBodyBytes) chunks.push(chunk);
  }
  return size > maxBodyBytes ? undefined : Buffer.concat(chunks).toString("utf8");
}

function takesBody(method: string): boolean {
  return method === "POST" || method === "PATCH";
}

function parseBody(text: string | undefined, contentType: string | undefined): unknown {
  if (text === undefined) {
    throw new HttpProblem(413, "Body too large", `A body has at most ${maxBodyBytes} bytes.`);
  }
  if (contentType?.split(";")[0]?.trim().toLowerCase() !== "application/json") {
    throw new HttpProblem(415, "Not JSON", "Send the body with Content-Type: application/json.");
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpProblem(400, "Malformed JSON", "The request body is not valid JSON.");
  }
}

function findRoute(
  method: string,
  pathname: string,
): { route: Route; params: Readonly<Record<string, string>> } {
  const here = routes.flatMap((route) => {
    const params = matchPath(route.path, pathname);
    return params === undefined ? [] : [{ route, params }];
  });
  const found = here.find(({ route }) => route.method === method);
  if (found !== undefined) return found;
  if (here.length === 0) {
    throw new HttpProblem(404, "No such page", `Nothing is served at ${pathname}.`);
  }
  const allowed = here.map(({ route }) => route.method).join(", ");
  throw new HttpProblem(405, "Wrong method", `${pathname} answers ${allowed}.`, {
    headers: { Allow: allowed },
  });
}

function matchPath(template: string, pathname: string): Record<string, string> | undefined {
  const wanted = template.split("/");
  const given = pathname.split("/");
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, segment] of wanted.entries()) {
    const value = given[index] ?? "";
    if (segment.startsWith("{")) params[segment.slice(1, -1)] = decode(value);
    else if (segment !== value) return undefined;
  }
  return params;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new HttpProblem(400, "Invalid path", "The path is not valid percent-encoding.");
  }
}

function toAnswer(error: unknown): RouteAnswer {
  const problem =
    error instanceof HttpProblem
      ? error
      : new HttpProblem(500, "Internal error", "The museum could not answer this request.");
  return {
    status: problem.status,
    headers: { ...problem.headers, "Content-Type": "application/problem+json" },
    body: problem.toJSON(),
  };
}

function send(response: ServerResponse, { status, headers, body }: RouteAnswer): void {
  if (response.destroyed) return;
  if (body === undefined) {
    response.writeHead(status, headers).end();
    return;
  }
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  response
    .writeHead(status, {
      "Content-Type": "application/json",
      ...headers,
      "Content-Length": bytes.length,
    })
    .end(bytes);
}
