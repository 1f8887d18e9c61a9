import { isThenable, ToolError } from "@toolweave/core";
import { displayUrl } from "./display-url.ts";
import type { DocumentFetcher } from "./load-document.ts";
import type { OpenApiAuth } from "./openapi-options.ts";
import { credentialPlan, secretValue } from "./security.ts";

/** How documents are fetched. */
export interface FetchOptions {
  readonly givenOrigins: readonly string[];
  readonly allowOrigins: readonly string[];
  readonly timeoutMs: number | undefined;
  /** Gives the load up. */
  readonly signal: AbortSignal;
  readonly auth: OpenApiAuth;
  /** Headers of the host's own, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Credentials may go to this origin. */
  mayAuthorize(origin: string): boolean;
}

const maxDocumentBytes = 256 * 1024 * 1024;
const defaultTimeoutMs = 60_000;

/**
 * Fetches the text of a document with the guarded HTTP client, which is loaded for the first one.
 *
 * The fetcher rejects with `ToolError`: `unavailable` for an answer that is no success, `auth_required` for 401 and 403,
 * and whatever the client refuses.
 */
export function documentFetcher(options: FetchOptions): DocumentFetcher {
  return async (url) => {
    const { httpClient } = await import("@toolweave/http");
    const { givenOrigins, allowOrigins, signal, timeoutMs = defaultTimeoutMs } = options;
    const client = httpClient({
      givenOrigins,
      allowOrigins,
      timeoutMs,
      maxBytes: maxDocumentBytes,
    });
    const authorized = options.mayAuthorize(new URL(url).origin);
    const headers: Record<string, string> = {
      accept: "application/json, application/yaml, text/yaml, */*;q=0.5",
      ...(authorized ? await documentHeaders(options) : {}),
    };
    const response = await client.request({ method: "GET", url, headers, signal });
    const { status, statusText, mediaType } = response;
    if (status >= 200 && status < 300) {
      const found = { text: response.text(), url: response.url };
      return mediaType === undefined ? found : { ...found, mediaType };
    }
    const refused = status === 401 || status === 403;
    const advice = !refused
      ? "Check the address."
      : authorized
        ? "Check `auth` or `headers`."
        : "Pass `auth` or `headers`, and the same origin in `baseUrl` or `allowOrigins`.";
    throw new ToolError(
      refused ? "auth_required" : "unavailable",
      `Cannot load ${displayUrl(url)}: it answered ${status} ${statusText}`.trimEnd() +
        `. ${advice}`,
      { status, retryable: status === 429 || status >= 500, audience: refused ? "user" : "host" },
    );
  };
}

/** What a document can be fetched with before it says what it wants: everything but API keys, whose place it names. */
async function documentHeaders({ auth, headers }: FetchOptions): Promise<Record<string, string>> {
  const [use] = credentialPlan([], auth).uses;
  if (use === undefined) return { ...headers };
  const pending = secretValue(use);
  const secret = isThenable(pending) ? await pending : pending;
  return { [use.name]: use.prefix + secret, ...headers };
}
