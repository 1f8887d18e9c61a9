import { ToolError, visibleText } from "@toolweave/core";
import type { HttpHeaders } from "@toolweave/http";
import type { HttpClientOptions } from "@toolweave/http";
import { displayUrl } from "./document/loading/display-url.ts";
import type { DocumentFetcher, Revision } from "./document/loading/load-document.ts";
import type { OpenApiAuth } from "./auth/openapi-auth.ts";
import { generalCredential } from "./auth/general-credential.ts";
import type { SourceSecrets } from "./auth/source-secrets.ts";

/** How documents are fetched. */
export interface FetchOptions {
  /** The main document's URL, when it is on the web. */
  readonly documentUrl: string | undefined;
  /** What the host lets requests reach. */
  readonly reach: HttpClientOptions;
  /** Milliseconds for all files together. 0: no limit. Default: 60,000. */
  readonly timeoutMs: number | undefined;
  /** Gives the load up. */
  readonly signal: AbortSignal;
  /** The source's `id`. */
  readonly source: string;
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
  const { reach, signal, timeoutMs = defaultTimeoutMs } = options;
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
  return async (url, known) => {
    const { httpClient, retryAfterMs } = await import("@toolweave/http");
    const isReference = url !== options.documentUrl;
    if (bytesLeft <= 0) throw tooLarge();
    const client = httpClient({
      ...reach,
      timeoutMs: timeLeft(),
      maxBytes: isReference ? Math.min(bytesLeft, maxReferenceBytes) : bytesLeft,
    });
    const { origin, search } = new URL(url);
    const authorized = options.mayAuthorize(origin) && !(isReference && search !== "");
    const own = authorized ? await documentHeaders(options) : {};
    const headers: Record<string, string> = {
      accept: "application/json, application/yaml, text/yaml, */*;q=0.5",
      ...own,
      ...(known?.etag === undefined ? {} : { "if-none-match": known.etag }),
      ...(known?.lastModified === undefined ? {} : { "if-modified-since": known.lastModified }),
    };
    const response = await client.request({
      method: "GET",
      url,
      headers,
      signal,
      credentials: Object.keys(own),
    });
    const { status, statusText, mediaType } = response;
    bytesLeft -= response.body.length;
    if (bytesLeft < 0) throw tooLarge();
    const revision = readRevision(response.headers);
    if (status === 304 && known !== undefined) {
      return { unchanged: true, ...(revision === undefined ? {} : { revision }) };
    }
    if (status >= 200 && status < 300) {
      return {
        text: response.text(),
        url: response.url,
        ...(mediaType === undefined ? {} : { mediaType }),
        ...(revision === undefined ? {} : { revision }),
      };
    }
    const retryAfter = retryAfterMs(response.headers);
    const refused = status === 401 || status === 403;
    const advice = !refused
      ? "Check the address."
      : authorized
        ? "Check `auth` or `headers`; an API key goes with the document only as one of `headers`."
        : "Pass `auth` or `headers`, and the same origin in `baseUrl` or `credentialOrigins`.";
    throw new ToolError(
      refused ? "auth_required" : "unavailable",
      `Cannot load ${displayUrl(url)}: it answered ${status} ${visibleText(statusText.slice(0, 100))}`.trimEnd() +
        `. ${advice}`,
      {
        status,
        retryable: status === 429 || status >= 500,
        audience: refused ? "user" : "host",
        ...(retryAfter === undefined ? {} : { retryAfterMs: retryAfter }),
      },
    );
  };
}

/** What a server says of the version that it gave, as far as it says anything. */
function readRevision(headers: HttpHeaders): Revision | undefined {
  const header = (name: string): string | undefined => {
    const value = headers[name];
    return typeof value === "string" ? value : value?.[0];
  };
  const etag = header("etag");
  const lastModified = header("last-modified");
  const cacheControl = header("cache-control") ?? "";
  const maxAge = /(?:^|[\s,])max-age="?(\d{1,10})/i.exec(cacheControl)?.[1];
  const isFresh = maxAge !== undefined && !/\bno-(?:cache|store)\b/i.test(cacheControl);
  const age = Number(header("age") ?? 0) || 0;
  if (etag === undefined && lastModified === undefined && !isFresh) return undefined;
  return {
    ...(etag === undefined ? {} : { etag }),
    ...(lastModified === undefined ? {} : { lastModified }),
    ...(isFresh ? { freshForMs: Math.max(0, Number(maxAge) - age) * 1_000 } : {}),
  };
}

function tooLarge(): ToolError {
  return new ToolError(
    "upstream",
    `The document and the files it refers to have more than ${maxBytes / 1024 / 1024} MiB together.`,
    { audience: "host" },
  );
}

async function documentHeaders(options: FetchOptions): Promise<Record<string, string>> {
  const { source, auth, headers, secrets, signal } = options;
  return { ...(await generalCredential(source, auth, secrets, signal)), ...headers };
}
