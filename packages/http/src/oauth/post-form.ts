import { ToolError, type JsonObject } from "@toolweave/core";
import type { HttpClient } from "../message/http-request.ts";
import type { HttpResponse } from "../message/http-response.ts";
import { retryAfterMs } from "../message/retry-after.ts";
import { serverText } from "./server-text.ts";

/** A form for an endpoint of the server, and what in it must not come out. */
export interface FormRequest {
  readonly url: URL;
  readonly form: URLSearchParams;
  readonly headers?: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/** The server's error response (RFC 6749 section 5.2). */
export interface Refusal {
  readonly error: string;
  /** The server's description, sanitized; may be empty. */
  readonly description: string;
  /** Absent: it was said through the person's browser. */
  readonly status?: number;
}

/** The server's response: the issued token's fields, or a refusal. */
export type FormResponse =
  | { readonly issued: JsonObject; readonly refusal?: undefined }
  | { readonly refusal: Refusal };

/** Far more than any token answer has, and no burden to parse. */
const maxResponseBytes = 1024 * 1024;

/**
 * Posts a form and reads the JSON that comes back (RFC 6749 sections 5.1 and 5.2).
 *
 * @throws ToolError `unavailable` when the server cannot answer now; `upstream` for an answer that is none.
 */
export async function postForm(http: HttpClient, request: FormRequest): Promise<FormResponse> {
  const { url, form, headers, secrets, signal } = request;
  const response = await http.request({
    method: "POST",
    url,
    headers: {
      accept: "application/json",
      "content-type": "application/x-www-form-urlencoded",
      ...headers,
    },
    body: form.toString(),
    signal,
  });
  const { status } = response;
  // A server at another address could issue tokens of its own.
  if (response.url !== url.href) {
    throw invalidResponse(url, status, "redirected a request for a token, which is not followed");
  }
  if (status >= 500 || status === 429 || status === 408) throw serverBusyError(url, response);
  const body = readJsonObject(response);
  if (body === undefined) {
    throw invalidResponse(
      url,
      status,
      `answered with status ${status}, and not with a JSON object`,
    );
  }
  const { error, error_description: description } = body;
  if (error !== undefined || status >= 300 || status < 200) {
    return {
      refusal: {
        error: isErrorCode(error) ? serverText(error, secrets) : `${status}`,
        description: serverText(description, secrets),
        status,
      },
    };
  }
  return { issued: body };
}

/** RFC 6749 section 5.2, as long as any that is registered. */
function isErrorCode(error: unknown): error is string {
  return typeof error === "string" && /^[!#-[\]-~]{1,64}$/.test(error);
}

/** The body of an answer as a JSON object; `undefined` when it is none, or is too large. */
export function readJsonObject(response: HttpResponse): JsonObject | undefined {
  if (response.body.length > maxResponseBytes) return undefined;
  try {
    const value: unknown = JSON.parse(response.text());
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

/** `upstream` for an answer that no authorization server should give. `what` continues "The authorization server". */
export function invalidResponse({ origin }: URL, status: number, what: string): ToolError {
  return new ToolError("upstream", `The authorization server ${origin} ${what}.`, {
    status,
    audience: "host",
  });
}

function serverBusyError({ origin }: URL, { status, headers }: HttpResponse): ToolError {
  const wait = retryAfterMs(headers);
  return new ToolError(
    "unavailable",
    `The authorization server ${origin} cannot answer now (status ${status}). Try again later.`,
    wait === undefined ? {} : { retryAfterMs: wait },
  );
}
