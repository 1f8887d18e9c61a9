import { ToolError, type JsonValue } from "@toolweave/core";
import { checkOptions, formatValue, stringifyExact } from "@toolweave/core/adapter";
import { createParts } from "./api-parts.ts";
import { storeProblem } from "./approvals/answer-approval.ts";
import {
  hasScope,
  type ConsoleAuthenticate,
  type ConsoleCaller,
} from "./authentication/console-caller.ts";
import { optionChecks, type ConsoleOptions } from "./console-options.ts";
import { checkJsonType } from "./http/json-body.ts";
import { Problem } from "./http/problem.ts";
import { RequestGuard } from "./http/request-guard.ts";
import { createDocument } from "./openapi/document.ts";
import { matchPath, type Route } from "./openapi/route.ts";
import { PageFiles, toFileResponse } from "./page/page-files.ts";

/** Handles one request of the API. Never rejects. */
export type ConsoleHandler = (request: Request) => Promise<Response>;

/** Requests that may be under way at once. */
const maxRequests = 100;

/** Headers of every response. */
const securityHeaders: Readonly<Record<string, string>> = {
  "cross-origin-embedder-policy": "require-corp",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy":
    "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), hid=(), local-fonts=(), microphone=(), midi=(), payment=(), serial=(), usb=()",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** Headers of a response that has no others: those of the API. */
const apiHeaders: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
};

const methods: readonly string[] = ["GET", "POST", "DELETE"] satisfies Route["method"][];

/** The sender of a request that needs no token. */
const anonymous: ConsoleCaller = { caller: { id: "" }, scopes: [] };

/**
 * Creates a handler for the HTTP API of the console, to be mounted in any server that uses `Request` and `Response`:
 * tools, checks and calls, events, approvals and grants, sessions of browsers, and the description of all operations at
 * `GET /api/openapi.json`. It also serves the files of a page. Errors are problem documents (RFC 9457).
 *
 * Every reader sees every tool, event and approval. No response permits pages of other origins to read it (CORS).
 *
 * @throws ToolError `invalid_configuration` when an option is invalid.
 * @example
 * ```ts
 * const handler = consoleHandler({ executor, stores: { pendingCalls }, authenticate, origins });
 * const response = await handler(request);
 * ```
 */
export function consoleHandler(options: ConsoleOptions): ConsoleHandler {
  checkOptions("consoleHandler", options, optionChecks);
  const { origins, path = "", files } = options;
  const authenticate = toAuthenticate(options);
  if (typeof path !== "string" || !/^(?:\/[\w.~-]+)*$/.test(path)) {
    throw invalidOption(`path is ${formatValue(path)}; use a path such as "/console", or none`);
  }
  const guard = new RequestGuard(origins);
  const page = files === undefined ? undefined : new PageFiles(files);
  const parts = createParts(options);
  const document = createDocument(`${origins[0]}${path}`, parts);
  const routes = parts.flatMap((part) => part.routes);
  const openRoutes = routes.filter(({ scope }) => scope === "code");
  let active = 0;

  const respond = async (request: Request): Promise<Response> => {
    const { method } = request;
    const url = new URL(request.url);
    const below = url.pathname.startsWith(`${path}/`) ? url.pathname.slice(path.length) : "";
    const file = page?.find(below);
    guard.check(request, file !== undefined && method === "GET");
    if (active > maxRequests) {
      const detail = "Too many requests are under way: try again later.";
      throw new Problem("too_many_requests", detail, {}, { "retry-after": "1" });
    }
    // A preflight asks for permission that no page gets.
    if (method === "OPTIONS") {
      throw new Problem("origin_not_allowed", "Pages of other origins cannot use this API.");
    }
    if (!methods.includes(method)) throw methodProblem(methods);
    const isDocument = below === "/api/openapi.json";
    if (isDocument || file !== undefined) {
      if (method !== "GET") throw methodProblem(["GET"]);
      return file === undefined ? Response.json(document) : toFileResponse(file);
    }
    const query = url.searchParams;
    const open = matchRoutes(openRoutes, below).find(({ route }) => route.method === method);
    if (open !== undefined) {
      checkJsonType(request);
      return answer(open, { request, query, sender: anonymous });
    }
    // Before the path is looked at: without a token nothing is learnt about the API's contents.
    const sender = await authenticate(new Request(request.url, { headers: request.headers }));
    if (sender === undefined) {
      const detail = "Send a valid token: Authorization: Bearer …";
      throw new Problem("unauthenticated", detail, {}, { "www-authenticate": "Bearer" });
    }
    const found = findRoute(routes, method, below);
    checkScope(sender, found.route.scope);
    if (method === "POST") checkJsonType(request);
    return answer(found, { request, query, sender });
  };

  return async (request) => {
    active += 1;
    try {
      return secured(await respond(request));
    } catch (error) {
      return secured(toProblem(error).toResponse());
    } finally {
      active -= 1;
    }
  };
}

/** Sessions come first: their tokens are random, so that no other token is one by accident. */
function toAuthenticate({ authenticate, sessions }: ConsoleOptions): ConsoleAuthenticate {
  if (authenticate !== undefined && typeof authenticate !== "function") {
    throw invalidOption("authenticate must be a function, such as that of bearerTokens");
  }
  if (sessions !== undefined && typeof sessions.authenticate !== "function") {
    throw invalidOption("sessions must be a ConsoleSessions");
  }
  if (authenticate === undefined && sessions === undefined) {
    throw invalidOption("no request could be authenticated: set authenticate, sessions or both");
  }
  return (request) => sessions?.authenticate(request) ?? authenticate?.(request);
}

/** A route with the parameters of a request's path. */
interface MatchedRoute {
  readonly route: Route;
  readonly parameters: Readonly<Record<string, string>>;
}

async function answer(
  { route, parameters }: MatchedRoute,
  request: Omit<Parameters<Route["handle"]>[0], "parameters">,
): Promise<Response> {
  const body = await route.handle({ ...request, parameters });
  if (body === undefined) return new Response(null, { status: 204 });
  return body instanceof Response ? body : toJsonResponse(body);
}

/** The results of calls have all digits of their integers. */
function toJsonResponse(body: unknown): Response {
  const headers = { "content-type": "application/json" };
  return new Response(stringifyExact(body as JsonValue), { headers });
}

/** @throws Problem */
function checkScope(sender: ConsoleCaller, scope: Route["scope"]): void {
  if (scope === "code" || hasScope(sender, scope)) return;
  throw new Problem(
    "insufficient_scope",
    `This operation needs the scope "${scope}", which the token does not have.`,
    { scope },
    { "www-authenticate": `Bearer error="insufficient_scope", scope="${scope}"` },
  );
}

function matchRoutes(routes: readonly Route[], path: string): readonly MatchedRoute[] {
  return routes.flatMap((route) => {
    const parameters = matchPath(route.path, path);
    return parameters === undefined ? [] : [{ route, parameters }];
  });
}

/** @throws Problem for an unknown path, and for a method that the path does not have. */
function findRoute(routes: readonly Route[], method: string, path: string): MatchedRoute {
  const matching = matchRoutes(routes, path);
  if (matching.length === 0) {
    throw new Problem("not_found", "There is nothing at this path: see /api/openapi.json.");
  }
  const found = matching.find(({ route }) => route.method === method);
  if (found === undefined) throw methodProblem(matching.map(({ route }) => route.method));
  return found;
}

function methodProblem(methods: readonly string[]): Problem {
  const allow = methods.join(", ");
  return new Problem("method_not_allowed", `This path takes ${allow}.`, {}, { allow });
}

/** Errors of the host's functions are not for the client. */
function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (ToolError.is(error) && error.code === "store_unavailable") return storeProblem();
  return new Problem("internal", "The server failed to handle the request.");
}

function secured(response: Response): Response {
  const { headers } = response;
  for (const [name, value] of Object.entries(securityHeaders)) headers.set(name, value);
  for (const [name, value] of Object.entries(apiHeaders)) {
    if (!headers.has(name)) headers.set(name, value);
  }
  return response;
}

function invalidOption(fault: string): ToolError {
  return new ToolError("invalid_configuration", `consoleHandler: ${fault}.`);
}
