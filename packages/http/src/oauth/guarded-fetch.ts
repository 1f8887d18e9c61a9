import type { JsonObject } from "@toolweave/core";
import type * as oauth from "oauth4webapi";
import type { HttpClient } from "../message/http-request.ts";
import type { HttpResponse } from "../message/http-response.ts";
import { invalidResponse, serverBusyError } from "./refusal-error.ts";

/** Far more than any token answer has, and no burden to parse. */
const maxResponseBytes = 1024 * 1024;

type Fetch = (
  url: string,
  options: oauth.CustomFetchOptions<string, URLSearchParams | undefined>,
) => Promise<Response>;

/**
 * The `fetch` of oauth4webapi: sends through the guarded client and returns a JSON object with status 200 or 4xx.
 *
 * @throws ToolError `unavailable` when the server cannot answer now; `upstream` for any other answer.
 */
export function guardedFetch(http: HttpClient, signal: AbortSignal | undefined): Fetch {
  return async (address, { method, headers, body }) => {
    const url = new URL(address);
    // The client has a user agent of its own.
    const { "user-agent": _, ...sent } = headers;
    const response = await http.request({
      method,
      url,
      headers: sent,
      body: body?.toString(),
      signal,
    });
    const { status } = response;
    if (!isSameServer(response.url, url, method)) {
      throw invalidResponse(url, status, "redirected a request, which is not followed");
    }
    if (status >= 500 || status === 429 || status === 408) throw serverBusyError(url, response);
    const answer = status === 200 || status >= 400 ? readJsonObject(response) : undefined;
    if (answer === undefined) {
      const what = `answered with status ${status}, and not with a JSON object`;
      throw invalidResponse(url, status, what);
    }
    const conformed = conform(answer);
    // Some servers send errors with status 200.
    const isError = conformed["error"] !== undefined;
    return Response.json(conformed, { status: isError ? Math.max(status, 400) : status });
  };
}

/** A server at another address could issue tokens of its own. Metadata may move within its origin. */
function isSameServer(finalUrl: string, url: URL, method: string): boolean {
  return method === "GET" ? URL.parse(finalUrl)?.origin === url.origin : finalUrl === url.href;
}

function readJsonObject(response: HttpResponse): JsonObject | undefined {
  if (response.body.length > maxResponseBytes) return undefined;
  try {
    const value: unknown = JSON.parse(response.text());
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

/** Deviations that are common: `null` for an absent member, a list of scopes, the draft name of `verification_uri`. */
function conform(answer: JsonObject): JsonObject {
  const { scope, verification_url: page, ...members } = answer;
  const conformed = {
    ...(page === undefined ? {} : { verification_uri: page }),
    ...members,
    scope: Array.isArray(scope) ? scope.join(" ") : scope,
  };
  return Object.fromEntries(
    Object.entries(conformed).filter(([, value]) => value !== null && value !== undefined),
  ) as JsonObject;
}
