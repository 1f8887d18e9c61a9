import type { Awaitable, JsonObject, JsonValue } from "@toolweave/core";
import type { Cancellation } from "@toolweave/core/adapter";

/**
 * The protocol as the rest of the package uses it: requests, notifications and their results, not validated. Only
 * `transport/` imports the SDK's client, so that a new protocol version changes this folder only.
 */

/** `legacy`: a connection with `initialize`, up to 2025-11-25. `modern`: every request stands alone, from 2026-07-28 on. */
export type ProtocolEra = "legacy" | "modern";

/** Identity that a server reports. */
export interface ServerIdentity {
  readonly name?: string;
  readonly version?: string;
  readonly instructions?: string;
  readonly capabilities: JsonObject;
}

/** A tool as a server lists it: only its name has been checked. */
export interface McpDefinition {
  readonly name: string;
  readonly [member: string]: unknown;
}

/** Progress of a call, as the server reports it. */
export interface McpProgress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** Options of one request. */
export interface RequestOptions {
  /** Cancels the request; a later response is dropped. `cancellationOf(ctx)` costs the least. */
  readonly signal: Cancellation;
  readonly onProgress?: ((progress: McpProgress) => void) | undefined;
  /** Headers for the newer protocol over HTTP, which repeats some arguments in headers: see `parameterHeaders`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A connection to a server. */
export interface McpConnection {
  readonly era: ProtocolEra;
  /** `2025-11-25` */
  readonly protocolVersion: string;
  readonly server: ServerIdentity;
  /**
   * Sends a request and returns the result, neither validated nor copied: any JSON in the older protocol; an object
   * in the newer one, without `resultType` if it is complete. `input_required` and unknown result types are returned
   * to the caller like any other. Rejects when the connection ends.
   *
   * @param streamOwner Passed on with every request and notification of the server that arrives on the stream of the
   * response (2025-11-25, Transports, Sending Messages to the Server, 6).
   */
  request(
    method: string,
    params: JsonObject,
    options: RequestOptions,
    streamOwner?: object,
  ): Promise<unknown>;
  notify(method: string, params: JsonObject): Promise<void>;
  /**
   * Finds out whether a server of the older protocol now speaks the newer one. Asked beside the session, over HTTP
   * only: a running process does not change. Absent: it cannot be found out. Never rejects.
   */
  supportsNewerProtocol?(signal: AbortSignal): Promise<boolean>;
  /** Invalid and unmatched messages of the server. */
  readonly faults: ConnectionFaults;
  /** Resolves when the connection is closed by either side, with the reason if it is known. Never rejects. */
  readonly closed: Promise<unknown>;
  /** Closes the connection, and ends the server's process if the connection started it. Idempotent; never rejects. */
  close(): Promise<void>;
}

/** Messages that were skipped. */
export interface ConnectionFaults {
  /** Number of lines or events that are not valid messages. */
  readonly skipped: number;
  /** Number of responses without a pending request: unknown ids, duplicates, late responses. */
  readonly unmatched: number;
  /** Beginning of the first skipped message. */
  readonly sample?: string;
  /** Part of the first text that was not valid UTF-8, with U+FFFD in place of its bytes. The message was not skipped. */
  readonly invalidText?: string;
}

/** Credentials of a server over HTTP. */
export interface HttpAuthorization {
  /** Returns the headers of the next request, above all `authorization`. Called before each request. */
  headers(): Awaitable<Readonly<Record<string, string>>>;
  /**
   * Called when the server has rejected a request with 401, or with 403 and a `www-authenticate` header. True: there
   * are new credentials, and the request is sent again, at most twice. An error thrown here is the error of the
   * request.
   */
  onRejected(refusal: HttpRejection): Awaitable<boolean>;
}

/** A rejection of a request's credentials. */
export interface HttpRejection {
  readonly status: 401 | 403;
  readonly wwwAuthenticate: string | undefined;
  /** Result of `headers` for the request. */
  readonly sent: Readonly<Record<string, string>>;
  /** Number of earlier rejections of the same request. */
  readonly attempt: number;
  /** Aborted when the request is cancelled. */
  readonly signal: AbortSignal | undefined;
}

/** A request from the server to the client. */
export interface ServerRequest {
  /** `elicitation/create`, `sampling/createMessage`, `roots/list` */
  readonly method: string;
  readonly params: JsonObject;
  /** Aborted when the server cancels the request, or the connection ends. */
  readonly signal: AbortSignal;
  /** `streamOwner` of the request on whose stream it arrived. Absent: it arrived on a stream that all requests share. */
  readonly streamOwner?: object | undefined;
}

/** Options of a connection. */
export interface ConnectOptions {
  /** Milliseconds for connecting; `Infinity`: no limit. */
  readonly timeoutMs: number;
  /** Aborts the connection attempt. */
  readonly signal: AbortSignal;
  /** Negotiates the version anew, whatever is stored for the server. Default: `false`. */
  readonly negotiateAnew?: boolean;
  /** Client capabilities that are declared to the server: `elicitation`, `sampling`, `roots`, extensions. */
  readonly capabilities: JsonObject;
  /** Credentials of a server over HTTP. */
  readonly authorization?: HttpAuthorization | undefined;
  /**
   * Called with every notification of the server but progress; bursts of `list_changed` are coalesced.
   *
   * @param streamOwner As in `ServerRequest`.
   */
  readonly onNotification: (method: string, params: JsonObject, streamOwner?: object) => void;
  /** Called once, with part of the first text that is not valid UTF-8. */
  readonly onInvalidText?: (excerpt: string) => void;
  /** Handles a request of the server; an error that it throws is sent to the server. */
  readonly onRequest: (request: ServerRequest) => Awaitable<JsonValue>;
}
