import type { JsonObject } from "@toolweave/core";
import type * as oauth from "oauth4webapi";
import type { HttpClient, HttpRequest } from "../message/http-request.ts";
import type { HttpResponse } from "../message/http-response.ts";
import { invalidResponse, isBusy, serverBusyError } from "./refusal-error.ts";

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
    const response = await sendToServer(http, url, {
      method,
      headers: sent,
      body: body?.toString(),
      signal,
    });
    // RFC 6749, section 5.1, requires 200. Some frameworks answer every POST with 201.
    const status = response.status === 201 ? 200 : response.status;
    if (isBusy(status)) throw serverBusyError(url, response);
    const answer = status === 200 || status >= 400 ? readAnswer(response) : undefined;
    if (answer === undefined) {
      const { status } = response;
      const what = `answered with status ${status}, and not with a JSON object`;
      throw invalidResponse(url, status, what);
    }
    // Some servers send errors with status 200.
    const isError = answer["error"] !== undefined;
    return Response.json(answer, { status: isError ? Math.max(status, 400) : status });
  };
}

/**
 * Sends a request to an authorization server, or to a server that names one.
 *
 * @throws ToolError `upstream` when another server has answered: it could issue tokens of its own. Metadata may move
 * within its origin.
 */
export async function sendToServer(
  http: HttpClient,
  url: URL,
  request: Omit<HttpRequest, "url">,
): Promise<HttpResponse> {
  const response = await http.request({ ...request, url });
  const isSameServer =
    request.method === "GET"
      ? URL.parse(response.url)?.origin === url.origin
      : response.url === url.href;
  if (isSameServer) return response;
  throw invalidResponse(url, response.status, "redirected a request, which is not followed");
}

/**
 * Reads a JSON object; `undefined` for any other body. Common deviations are corrected: `null` for an absent member, a
 * list of scopes, the draft name of `verification_uri`.
 */
export function readAnswer(response: HttpResponse): JsonObject | undefined {
  if (response.body.length > maxResponseBytes) return undefined;
  let answer: unknown;
  try {
    answer = JSON.parse(response.text());
  } catch {
    return undefined;
  }
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) return undefined;
  const { scope, verification_url: page, ...members } = answer as JsonObject;
  const corrected = {
    ...(page === undefined ? {} : { verification_uri: page }),
    ...members,
    scope: Array.isArray(scope) ? scope.join(" ") : scope,
  };
  return Object.fromEntries(
    Object.entries(corrected).filter(([, value]) => value !== null && value !== undefined),
  ) as JsonObject;
}
