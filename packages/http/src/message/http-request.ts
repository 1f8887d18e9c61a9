import type { Cancellation, CertificateCredential } from "@toolweave/core";
import type { HttpResponse } from "./http-response.ts";

/** The body of a request: text (sent as UTF-8), bytes, or a stream of bytes. */
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
  /** Bytes of a `body` that is a stream, where they are known; sent as `content-length`. */
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
   * The client certificate for servers that ask for one (mutual TLS). For https only. A redirect to another
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
  /** Handling of a body over `maxBytes`: an error, or its beginning with `truncated`. Default: `fail`. */
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

/** False for a stream, which is there only once. */
export function isBuffered(body: RequestBody | undefined): body is string | Uint8Array {
  return typeof body === "string" || body instanceof Uint8Array;
}
