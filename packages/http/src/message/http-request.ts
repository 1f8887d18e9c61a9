import type { Cancellation } from "@toolweave/core/adapter";
import type { CertificateCredential } from "@toolweave/core/stores";
import type { HttpResponse } from "./http-response.ts";

/** The body of a request: text (sent as UTF-8), bytes, or a stream of bytes. */
export type RequestBody = string | Uint8Array | AsyncIterable<Uint8Array>;

/** Selects the answers that are streamed, and limits how long a stream may be silent. */
export interface Streaming {
  /** Called when the head of an answer has arrived; `mediaType` is in lower case, without parameters. */
  accepts(status: number, mediaType: string | undefined): boolean;
  /**
   * Milliseconds without a byte after which a streamed answer fails with `timeout`; replaces the client's `timeoutMs`
   * once the head has arrived. Absent: `timeoutMs` continues to apply. 0: no limit other than the signal.
   */
  readonly idleMs?: number | undefined;
  /** Maximum number of bytes of a streamed answer, in place of the client's. `Infinity`: the reader limits it. */
  readonly maxBytes?: number | undefined;
}

/** One HTTP request. */
export interface HttpRequest {
  /** Sent as it is: methods are case-sensitive (RFC 9110 section 9.1). */
  readonly method: string;
  /** An absolute `http:` or `https:` URL without user name and password. */
  readonly url: string | URL;
  /** Hop-by-hop headers, `host` and `content-length` are set by the client and refused here. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A stream is sent as it is produced, and only once: neither a redirect nor a stale connection repeats it. */
  readonly body?: RequestBody | undefined;
  /** Number of bytes of a `body` that is a stream, if known; sent as `content-length`. */
  readonly bodyLength?: number | undefined;
  /** Ends the request with `cancelled` and closes its socket. */
  readonly signal?: Cancellation | undefined;
  /**
   * Names of headers and query parameters that carry credentials: a redirect to another origin does not get them. All
   * headers except `accept`, `accept-encoding`, `accept-language`, `content-type` and `user-agent` are dropped there
   * anyway.
   */
  readonly credentials?: readonly string[] | undefined;
  /**
   * The client certificate for servers that ask for one (mutual TLS). For https only. Neither a redirect to another
   * origin nor any request that does not name the certificate uses it.
   */
  readonly certificate?: CertificateCredential | undefined;
  /** Answers that are returned as soon as their head has arrived, with `stream` in place of `body`. Default: none. */
  readonly streaming?: Streaming | undefined;
  /**
   * Sends the request at once, however many are in progress: for an answer that stays open, and for a request on which
   * another request waits. Default: `false`; beyond 128 to one origin, requests wait for each other.
   */
  readonly unqueued?: boolean | undefined;
  /**
   * Called before each redirect is followed, with its target. False: the redirect itself is the answer. Default: all
   * are followed, up to the client's `maxRedirects`.
   */
  readonly follows?: ((target: URL) => boolean) | undefined;
  /** Handling of a body over `maxBytes`: an error, or the beginning of the body with `truncated`. Default: `fail`. */
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
  /** Cancels all requests in progress and refuses new ones. Idempotent. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Returns false for a stream, which can be read only once. */
export function isBuffered(body: RequestBody | undefined): body is string | Uint8Array {
  return typeof body === "string" || body instanceof Uint8Array;
}
