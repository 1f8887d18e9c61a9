import { ApiError, readProblem } from "./problem.ts";
import { endSession, sessionToken } from "./session.ts";

/** A request to the API. */
export interface ApiRequest {
  /** Default: `GET`. */
  readonly method?: "GET" | "POST" | "DELETE";
  /** Sent as JSON. */
  readonly body?: unknown;
  /** JSON text that is sent as it is, in place of `body`: its numbers keep all their digits. */
  readonly text?: string;
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Sends a request with the token of the session. A status of 401 ends the session.
 *
 * @param path Such as `/api/status`, with the query.
 * @throws ApiError if the server refuses the request or does not answer.
 */
export async function send(path: string, request: ApiRequest = {}): Promise<Response> {
  const { method = "GET", body, signal, headers = {} } = request;
  const text = request.text ?? (body === undefined ? undefined : JSON.stringify(body));
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      headers: {
        authorization: `Bearer ${sessionToken() ?? ""}`,
        ...(text === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(text === undefined ? {} : { body: text }),
      ...(signal === undefined ? {} : { signal }),
      credentials: "omit",
      cache: "no-store",
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw new ApiError(
      0,
      "unreachable",
      "The server does not answer: is `toolweave studio` running?",
    );
  }
  if (response.ok || response.status === 304) return response;
  const problem = await readProblem(response);
  if (response.status === 401) endSession(problem.message);
  throw problem;
}

/**
 * Sends a request and reads the JSON of the response.
 *
 * @throws ApiError as `send`.
 */
export async function requestJson<Body>(path: string, request?: ApiRequest): Promise<Body> {
  const response = await send(path, request);
  return (response.status === 204 ? undefined : await response.json()) as Body;
}

/** Makes the query of a path; members that are `undefined` or empty are omitted. */
export function withQuery(
  path: string,
  query: Readonly<Record<string, string | number | boolean | undefined>>,
): string {
  const entries = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === "" || value === false ? [] : [[name, String(value)]],
  );
  const text = new URLSearchParams(entries as [string, string][]).toString();
  return text === "" ? path : `${path}?${text}`;
}
