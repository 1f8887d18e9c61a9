import { ToolError } from "@toolweave/core";
import { visibleText } from "@toolweave/core/adapter";
import type { HttpHeaders, HttpClientOptions } from "@toolweave/http";
import { parseDirectives } from "@toolweave/http/fields";
import { displayUrl } from "./document/loading/display-url.ts";
import type { DocumentFetcher, Revision } from "./document/loading/document-files.ts";
import type { OpenApiAuth } from "./auth/openapi-auth.ts";
import type { SourceSecrets } from "./auth/source-secrets.ts";
import {
  toMaterial,
  resolveCredential,
  type ConfiguredCredential,
} from "./auth/credential-form.ts";
import { getGeneralUses } from "./auth/security.ts";

/** Options for fetching documents. */
export interface FetchOptions {
  /** The main document's URL, if it is on the web. */
  readonly documentUrl: string | undefined;
  /** The addresses that the host allows. */
  readonly reach: HttpClientOptions;
  /** Milliseconds for all files together. 0: no limit. Default: 60,000. */
  readonly timeoutMs: number | undefined;
  /** Aborts the load. */
  readonly signal: AbortSignal;
  /** The source's `id`. */
  readonly source: string;
  readonly auth: OpenApiAuth;
  /** The host's own headers, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly secrets: SourceSecrets;
  /** Returns true if credentials may be sent to this origin. */
  mayAuthorize(origin: string): boolean;
}

/** Maximum size of all files together. */
const maxBytes = 256 * 1024 * 1024;
/** Maximum size of a referenced file: several are fetched at once. */
const maxReferenceBytes = 32 * 1024 * 1024;
const defaultTimeoutMs = 60_000;

/**
 * Creates a function that fetches the text of a document and of the files that it refers to, with the guarded HTTP
 * client, which is loaded for the first one.
 *
 * The function rejects with `ToolError`: `unavailable` for a failure status, `auth_required` for 401 and 403, `timeout`
 * and `upstream` if the whole load takes too long or is too large, and the errors of the client. Credentials are not
 * sent with a reference that has a query: the document chose the URL, and the request may have side effects.
 */
export function createDocumentFetcher(options: FetchOptions): DocumentFetcher {
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
    if (bytesLeft <= 0) throw tooLargeError();
    const client = httpClient({
      ...reach,
      timeoutMs: timeLeft(),
      maxBytes: isReference ? Math.min(bytesLeft, maxReferenceBytes) : bytesLeft,
    });
    const { origin, search } = new URL(url);
    const authorized = options.mayAuthorize(origin) && !(isReference && search !== "");
    const own = authorized ? await resolveHeaders(options) : {};
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
    if (bytesLeft < 0) throw tooLargeError();
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
        ? "Check `auth` or `headers`. An API key is sent with the request for the document only if it is in `headers`."
        : "Set `auth` or `headers`, and add the origin to `credentialOrigins` or set `baseUrl`.";
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

/** Reads the cache metadata of a response. */
function readRevision(headers: HttpHeaders): Revision | undefined {
  const header = (name: string): string | undefined => {
    const value = headers[name];
    return typeof value === "string" ? value : value?.[0];
  };
  const etag = header("etag");
  const lastModified = header("last-modified");
  const cacheControl = parseDirectives(header("cache-control") ?? "");
  const maxAge = /^\d{1,10}/.exec(cacheControl.get("max-age") ?? "")?.[0];
  const isFresh =
    maxAge !== undefined && !cacheControl.has("no-cache") && !cacheControl.has("no-store");
  const age = Number(header("age") ?? 0) || 0;
  if (etag === undefined && lastModified === undefined && !isFresh) return undefined;
  return {
    ...(etag === undefined ? {} : { etag }),
    ...(lastModified === undefined ? {} : { lastModified }),
    ...(isFresh ? { freshForMs: Math.max(0, Number(maxAge) - age) * 1_000 } : {}),
  };
}

function tooLargeError(): ToolError {
  return new ToolError(
    "upstream",
    `The document and the files it refers to are larger than ${maxBytes / 1024 / 1024} MiB together.`,
    { audience: "host" },
  );
}

async function resolveHeaders(options: FetchOptions): Promise<Record<string, string>> {
  const { source, auth, headers, secrets, signal } = options;
  return { ...(await resolveGeneralHeaders(source, auth, secrets, signal)), ...headers };
}

/**
 * Creates the headers with which a document is fetched before its contents are known: all credentials except API keys,
 * whose location only the document defines, and those of a caller.
 *
 * @throws ToolError `auth_required` if the credential is not available.
 */
async function resolveGeneralHeaders(
  source: string,
  auth: OpenApiAuth,
  secrets: SourceSecrets,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const [use] = getGeneralUses(auth);
  if (use === undefined) return {};
  const { scheme, scopes, form, configured } = use;
  const request = { source, scheme, scopes, signal };
  const credential = await resolveCredential(configured as ConfiguredCredential, request);
  if (credential === undefined) return {};
  const material = toMaterial(scheme, form, credential);
  for (const secret of material.secrets) secrets.register(secret);
  return material.type === "text" ? { [material.name]: material.value } : {};
}
