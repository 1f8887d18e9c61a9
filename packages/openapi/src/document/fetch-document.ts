import { isThenable, ToolError } from "@toolweave/core";
import { displayUrl } from "./display-url.ts";
import type { DocumentFetcher } from "./load-document.ts";
import type { OpenApiAuth } from "../openapi-options.ts";
import { credentialPlan, secretValue } from "../auth/security.ts";
import type { SourceSecrets } from "../auth/source-secrets.ts";

/** How documents are fetched. */
export interface FetchOptions {
  /** The main document's URL, when it is on the web. */
  readonly documentUrl: string | undefined;
  readonly givenOrigins: readonly string[];
  readonly allowOrigins: readonly string[];
  /** Milliseconds for all files together. 0: no limit. Default: 60,000. */
  readonly timeoutMs: number | undefined;
  /** Gives the load up. */
  readonly signal: AbortSignal;
  readonly auth: OpenApiAuth;
  /** Headers of the host's own, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly secrets: SourceSecrets;
  /** Credentials may go to this origin. */
  mayAuthorize(origin: string): boolean;
}

/** For all files together. */
const maxBytes = 256 * 1024 * 1024;
/** For one that is referred to: several are under way at once. */
const maxReferenceBytes = 32 * 1024 * 1024;
const defaultTimeoutMs = 60_000;

/**
 * Fetches the text of a document and of the files that it refers to with the guarded HTTP client, which is loaded for the first one.
 *
 * The fetcher rejects with `ToolError`: `unavailable` for an answer that is no success, `auth_required` for 401 and 403,
 * `timeout` and `upstream` when the whole load takes too long or too much, and whatever the client refuses. Credentials
 * go with no reference that has a query: the document wrote it, and it may do something.
 */
export function documentFetcher(options: FetchOptions): DocumentFetcher {
  const { givenOrigins, allowOrigins, signal, timeoutMs = defaultTimeoutMs } = options;
  const startedAt = performance.now();
  let bytesLeft = maxBytes;
  const timeLeft = (): number => {
    if (timeoutMs === 0) return 0;
    const left = Math.ceil(startedAt + timeoutMs - performance.now());
    if (left > 0) return left;
    throw new ToolError(
      "timeout",
      `Loading the document with its references took longer than ${timeoutMs} ms (timeoutMs).`,
    );
  };
  return async (url) => {
    const { httpClient } = await import("@toolweave/http");
    const isReference = url !== options.documentUrl;
    if (bytesLeft <= 0) throw tooLarge();
    const client = httpClient({
      givenOrigins,
      allowOrigins,
      timeoutMs: timeLeft(),
      maxBytes: isReference ? Math.min(bytesLeft, maxReferenceBytes) : bytesLeft,
    });
    const { origin, search } = new URL(url);
    const authorized = options.mayAuthorize(origin) && !(isReference && search !== "");
    const headers: Record<string, string> = {
      accept: "application/json, application/yaml, text/yaml, */*;q=0.5",
      ...(authorized ? await documentHeaders(options) : {}),
    };
    const response = await client.request({ method: "GET", url, headers, signal });
    const { status, statusText, mediaType } = response;
    bytesLeft -= response.body.length;
    if (bytesLeft < 0) throw tooLarge();
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

function tooLarge(): ToolError {
  return new ToolError(
    "upstream",
    `The document and the files it refers to have more than ${maxBytes / 1024 / 1024} MiB together.`,
    { audience: "host" },
  );
}

/** What a document can be fetched with before it says what it wants: everything but API keys, whose place it names. */
async function documentHeaders({
  auth,
  headers,
  secrets,
}: FetchOptions): Promise<Record<string, string>> {
  const [use] = credentialPlan([], auth).uses;
  if (use === undefined) return { ...headers };
  const pending = secretValue(use);
  const secret = isThenable(pending) ? await pending : pending;
  if (typeof use.secret === "function") secrets.renewed(secret);
  return { [use.name]: use.prefix + secret, ...headers };
}
