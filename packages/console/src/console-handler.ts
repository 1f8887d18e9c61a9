import { ToolError } from "@toolweave/core";
import { checkOptions, formatValue } from "@toolweave/core/adapter";
import { createParts } from "./api-parts.ts";
import { storeProblem } from "./approvals/answer-approval.ts";
import { hasScope } from "./authentication/console-caller.ts";
import { optionNames, type ConsoleOptions } from "./console-options.ts";
import { Problem } from "./http/problem.ts";
import { RequestGuard } from "./http/request-guard.ts";
import { createDocument } from "./openapi/document.ts";
import { matchPath, type Route } from "./openapi/route.ts";

/** Handles one request of the API. Never rejects. */
export type ConsoleHandler = (request: Request) => Promise<Response>;

/** Requests that may be under way at once. */
const maxRequests = 100;

/** Headers of every response. */
const securityHeaders: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/**
 * Creates a handler for the HTTP API of approvals and grants, to be mounted in any server that uses `Request` and
 * `Response`: `GET /api/approvals`, `GET /api/approvals/{id}`, `POST /api/approvals/{id}/answers`, `GET /api/grants`,
 * `DELETE /api/grants/{id}`, and their description `GET /api/openapi.json`. Errors are problem documents (RFC 9457).
 *
 * Every reader sees every approval of the store. No response permits pages of other origins to read it (CORS).
 *
 * @throws ToolError `invalid_configuration` when an option is invalid.
 * @example
 * ```ts
 * const handler = consoleHandler({ executor, stores: { pendingCalls }, authenticate, origins });
 * const response = await handler(request);
 * ```
 */
export function consoleHandler(options: ConsoleOptions): ConsoleHandler {
  checkOptions("consoleHandler", options, optionNames);
  const { authenticate, origins, path = "" } = options;
  if (typeof authenticate !== "function") {
    throw invalidOption("authenticate must be a function, such as that of bearerTokens");
  }
  if (typeof path !== "string" || !/^(?:\/[\w.~-]+)*$/.test(path)) {
    throw invalidOption(`path is ${formatValue(path)}; use a path such as "/console", or none`);
  }
  const guard = new RequestGuard(origins);
  const parts = createParts(options);
  const document = createDocument(`${origins[0]}${path}`, parts);
  const routes = parts.flatMap((part) => part.routes);
  let active = 0;

  const respond = async (request: Request): Promise<Response> => {
    guard.check(request);
    if (active > maxRequests) {
      const detail = "Too many requests are under way: try again later.";
      throw new Problem("too_many_requests", detail, {}, { "retry-after": "1" });
    }
    const { method } = request;
    // A preflight asks for permission that no page gets.
    if (method === "OPTIONS") {
      throw new Problem("origin_not_allowed", "Pages of other origins cannot use this API.");
    }
    const url = new URL(request.url);
    const below = url.pathname.startsWith(`${path}/`) ? url.pathname.slice(path.length) : "";
    if (below === "/api/openapi.json") {
      if (method !== "GET") throw methodProblem(["GET"]);
      return Response.json(document);
    }
    // Before the path is looked at: without a token nothing is learnt about the API's contents.
    const sender = await authenticate(new Request(request.url, { headers: request.headers }));
    if (sender === undefined) {
      const detail = "Send a valid token: Authorization: Bearer …";
      throw new Problem("unauthenticated", detail, {}, { "www-authenticate": "Bearer" });
    }
    const { route, parameters } = findRoute(routes, method, below);
    const { scope } = route;
    if (!hasScope(sender, scope)) {
      throw new Problem(
        "insufficient_scope",
        `This operation needs the scope "${scope}", which the token does not have.`,
        { scope },
        { "www-authenticate": `Bearer error="insufficient_scope", scope="${scope}"` },
      );
    }
    const query = url.searchParams;
    const body = await route.handle({ request, query, parameters, sender });
    if (body === undefined) return new Response(null, { status: 204 });
    return body instanceof Response ? body : Response.json(body);
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

/** @throws Problem for an unknown path, and for a method that the path does not have. */
function findRoute(
  routes: readonly Route[],
  method: string,
  path: string,
): { readonly route: Route; readonly parameters: Readonly<Record<string, string>> } {
  const matching = routes.flatMap((route) => {
    const parameters = matchPath(route.path, path);
    return parameters === undefined ? [] : [{ route, parameters }];
  });
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
  for (const [name, value] of Object.entries(securityHeaders)) response.headers.set(name, value);
  return response;
}

function invalidOption(fault: string): ToolError {
  return new ToolError("invalid_configuration", `consoleHandler: ${fault}.`);
}
