import { ToolError, type Cancellation, type CertificateCredential } from "@toolweave/core";
import { ActiveExchanges } from "./active-exchanges.ts";
import { Circuits } from "./circuit.ts";
import { parseUrl } from "./origin.ts";
import type { HttpResponse } from "./http-response.ts";
import type { ClientState } from "./client-state.ts";

/** What a client may do. Everything has a safe default. */
export interface HttpClientOptions {
  /** Milliseconds for a whole request: connecting, every redirect and the body. Default 30,000; 0: no limit. */
  readonly timeoutMs?: number | undefined;
  /** The most bytes a body may have once it is decompressed. Default 10 MiB. */
  readonly maxBytes?: number | undefined;
  /** How many redirects a request follows. Default 5. */
  readonly maxRedirects?: number | undefined;
  /**
   * Origins that the host gave itself, such as those of the document's URL and of `baseUrl`. They may be
   * private or loopback; what they redirect to may not.
   */
  readonly givenOrigins?: readonly string[] | undefined;
  /**
   * Origins that requests and redirects may reach although they are private. A cloud metadata address
   * is reached only when it stands here itself.
   */
  readonly allowOrigins?: readonly string[] | undefined;
  /** Certificates (PEM) of authorities that are believed beside those of the system: a company's own. */
  readonly certificateAuthorities?: string | undefined;
}

/** What a request carries: text (sent as UTF-8), bytes, or a stream of bytes. */
export type RequestBody = string | Uint8Array | AsyncIterable<Uint8Array>;

/** Which answers are read piece by piece, and how long a silence may last. */
export interface Streaming {
  /** Asked when the head of an answer has come; `mediaType` in lower case, without parameters. */
  accepts(status: number, mediaType: string | undefined): boolean;
  /**
   * Milliseconds without a byte after which such an answer fails with `timeout`; takes the place of the client's
   * `timeoutMs` from its head on. Absent: `timeoutMs` goes on. 0: as long as the signal lets it.
   */
  readonly idleMs?: number | undefined;
  /** The most bytes of such an answer, in place of the client's. `Infinity`: its reader counts. */
  readonly maxBytes?: number | undefined;
}

/** One HTTP request. */
export interface HttpRequest {
  readonly method: string;
  /** An absolute `http:` or `https:` URL without user name and password. */
  readonly url: string | URL;
  /** Hop-by-hop headers, `host` and `content-length` belong to the client and are refused. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A stream is sent as it comes, and only once: neither a redirect nor a stale connection repeats it. */
  readonly body?: RequestBody | undefined;
  /** Bytes of a `body` that is a stream, where they are known; the other side hears of them first. */
  readonly bodyLength?: number | undefined;
  /** Ends the request with `cancelled` and closes its socket. */
  readonly signal?: Cancellation | undefined;
  /**
   * Names of headers and query parameters that carry credentials: a redirect to another origin goes
   * without them. All headers but `accept`, `accept-encoding`, `accept-language`, `content-type` and
   * `user-agent` are dropped there anyway.
   */
  readonly credentials?: readonly string[] | undefined;
  /**
   * What the connection shows when the server asks for it (mutual TLS). For https only. A redirect to another
   * origin goes without it, and so does every request that does not name it.
   */
  readonly certificate?: CertificateCredential | undefined;
  /** Answers that are given as soon as their head is there, with `stream` in place of `body`. Default: none. */
  readonly streaming?: Streaming | undefined;
  /**
   * Goes out at once, however many are under way: for an answer that stays open as long as it is wanted, and for what
   * another request waits for. Default: `false`; beyond 128 to one origin, requests wait for each other.
   */
  readonly unqueued?: boolean | undefined;
  /** What becomes of a body over `maxBytes`: an error, or its beginning with `truncated`. Default: `fail`. */
  readonly whenTooLarge?: "fail" | "cut" | undefined;
}

/** A guarded HTTP client. Clients are cheap: connections belong to the process and are shared. */
export interface HttpClient {
  /**
   * Sends a request and reads the whole answer, whatever its status is.
   *
   * Rejects with a `ToolError`: `invalid_arguments` (a URL, method or header that cannot be sent),
   * `permission_denied` (an address that the host has not allowed), `unavailable` (name resolution, connection
   * or TLS failed, or the connection ended before an answer), `timeout`, `cancelled` (the signal or `close`), `upstream`
   * (a malformed, truncated or undecodable answer, one over `maxBytes`, or a redirect that cannot be followed).
   */
  request(request: HttpRequest): Promise<HttpResponse>;
  /** Cancels what is under way and refuses new requests. Idempotent. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

type Engine = typeof import("./exchange.ts");

// undici costs tens of milliseconds to load: whoever never sends a request never pays for it.
let engine: Engine | undefined;

const longestTimer = 2_147_483_647;

/** Makes a guarded HTTP client. Throws `internal` for options that cannot be meant. */
export function httpClient(options: HttpClientOptions = {}): HttpClient {
  return new GuardedHttpClient(options);
}

/** @internal The client behind `httpClient`; tests give it dispatchers of their own. */
export class GuardedHttpClient implements HttpClient {
  readonly #state: ClientState;

  constructor(options: HttpClientOptions, dispatcherFor?: ClientState["dispatcherFor"]) {
    const origins: ClientState["origins"] = new Map();
    for (const origin of options.givenOrigins ?? []) {
      origins.set(listedOrigin("givenOrigins", origin), "given");
    }
    for (const origin of options.allowOrigins ?? []) {
      origins.set(listedOrigin("allowOrigins", origin), "allowed");
    }
    this.#state = {
      timeoutMs: inRange("timeoutMs", options.timeoutMs ?? 30_000, longestTimer),
      maxBytes: inRange("maxBytes", options.maxBytes ?? 10 * 1024 * 1024, Infinity),
      maxRedirects: inRange("maxRedirects", options.maxRedirects ?? 5, Infinity),
      certificateAuthorities: options.certificateAuthorities,
      origins,
      dispatcherFor,
      active: new ActiveExchanges(),
      circuits: new Circuits(),
      closed: false,
    };
  }

  request(request: HttpRequest): Promise<HttpResponse> {
    if (engine !== undefined) return engine.exchange(this.#state, request);
    return import("./exchange.ts").then((loaded) => {
      engine = loaded;
      return loaded.exchange(this.#state, request);
    });
  }

  async close(): Promise<void> {
    this.#state.closed = true;
    this.#state.active.cancelAll("the HTTP client was closed");
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function inRange(name: string, value: number, most: number): number {
  if (value >= 0 && value <= most) return value;
  throw new ToolError(
    "internal",
    `httpClient: ${name} must be a number from 0 to ${most}, not ${value}.`,
  );
}

function listedOrigin(option: string, text: string): string {
  const url = parseUrl(text);
  const isOrigin =
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    url.href === `${url.origin}/` &&
    !text.endsWith("?") &&
    !text.endsWith("#");
  if (isOrigin) return url.origin;
  throw new ToolError(
    "internal",
    `httpClient: ${option} takes origins such as "https://api.example.com:8443" (scheme, host and port, no path and no user name); one entry is not an origin.`,
  );
}
