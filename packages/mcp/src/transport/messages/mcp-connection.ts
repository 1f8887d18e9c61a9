import type { Awaitable, Cancellation, JsonObject, JsonValue } from "@toolweave/core";

/**
 * The protocol as everything else here sees it: requests, notifications and their answers, unchecked. Only this folder
 * knows the SDK, so that the next version of the protocol changes one room.
 */

/** `legacy`: a connection with `initialize`, up to 2025-11-25. `modern`: every request stands alone, from 2026-07-28 on. */
export type ProtocolEra = "legacy" | "modern";

/** What a server says of itself. */
export interface ServerIdentity {
  readonly name?: string;
  readonly version?: string;
  readonly instructions?: string;
  readonly capabilities: JsonObject;
}

/** A tool as a server lists it: nothing of it is checked yet but that it has a name. */
export interface McpDefinition {
  readonly name: string;
  readonly [member: string]: unknown;
}

/** How far the server is with a call, in its own words. */
export interface McpProgress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** How one request is made. */
export interface RequestOptions {
  /** Tells the server that nobody waits any more; what it answers later is dropped. `cancellationOf(ctx)` costs the least. */
  readonly signal: Cancellation;
  readonly onProgress?: ((progress: McpProgress) => void) | undefined;
  /** Sent with it over HTTP in the newer protocol, which has some arguments in headers: see `parameterHeaders`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A connection to a server. */
export interface McpConnection {
  readonly era: ProtocolEra;
  /** `2025-11-25` */
  readonly protocolVersion: string;
  readonly server: ServerIdentity;
  /**
   * Sends a request and gives what the server answered, unchecked and not copied: of the older protocol any JSON, of the
   * newer one an object, without a `resultType` if it is complete. `input_required`, or a type that nobody knows, is an answer like any other:
   * whoever asked goes on with it. Rejects when the connection ends: nobody has to watch both.
   */
  request(method: string, params: JsonObject, options: RequestOptions): Promise<unknown>;
  notify(method: string, params: JsonObject): Promise<void>;
  /**
   * Whether a server that is spoken to in the older protocol speaks the newer one by now. Asked beside the session, and
   * only over HTTP: a process that has begun stays what it is. Absent: nobody can ask. Never rejects.
   */
  speaksNewer?(signal: AbortSignal): Promise<boolean>;
  /** What the server has sent that is no message of the protocol, or answers nothing that was asked. */
  readonly faults: ConnectionFaults;
  /** Resolves when the connection is gone, whoever ended it, with why where that is known. Never rejects. */
  readonly closed: Promise<unknown>;
  /** Ends it, and with it the server where it is a process of ours. Idempotent; never rejects. */
  close(): Promise<void>;
}

/** What came over a connection and was skipped. */
export interface ConnectionFaults {
  /** Lines or events that are no message. */
  readonly skipped: number;
  /** Answers to nothing that was asked, or that came twice or too late. */
  readonly unmatched: number;
  /** The beginning of the first thing that was skipped. */
  readonly sample?: string;
  /** Part of the first text that was not valid UTF-8, with U+FFFD in place of its bytes; it was not skipped. */
  readonly invalidText?: string;
}

/** Credentials of a server over HTTP: what is sent, and what is done when they are refused. */
export interface HttpAuthorization {
  /** Headers for the next request, `authorization` above all; asked before each. */
  headers(): Awaitable<Readonly<Record<string, string>>>;
  /**
   * The server refused a request with 401, or with 403 and a `www-authenticate` header. True: there are new
   * credentials, and the request is sent again, at most twice. What is thrown here is what the request fails with.
   */
  refused(refusal: HttpRefusal): Awaitable<boolean>;
}

/** How a server refuses a request for its credentials. */
export interface HttpRefusal {
  readonly status: 401 | 403;
  readonly wwwAuthenticate: string | undefined;
  /** What `headers` gave for the request. */
  readonly sent: Readonly<Record<string, string>>;
  /** How often the same request was refused before. */
  readonly attempt: number;
  /** Fires when nobody waits for the request any more. */
  readonly signal: AbortSignal | undefined;
}

/** A request that the server makes of us. */
export interface ServerRequest {
  /** `elicitation/create`, `sampling/createMessage`, `roots/list` */
  readonly method: string;
  readonly params: JsonObject;
  /** Fires when the server takes it back, or the connection ends. */
  readonly signal: AbortSignal;
}

/** What a connection is made with. */
export interface ConnectOptions {
  /** Milliseconds for connecting; `Infinity`: no limit. */
  readonly timeoutMs: number;
  /** Ends a connection that is still being made. */
  readonly signal: AbortSignal;
  /** Finds out which version the server speaks, whatever was found out of it before. Default: `false`. */
  readonly negotiateAnew?: boolean;
  /** What we tell the server that we can do: `elicitation`, `sampling`, `roots`, extensions. */
  readonly capabilities: JsonObject;
  /** For a server over HTTP. */
  readonly authorization?: HttpAuthorization | undefined;
  /** Every notification of the server's but progress; a storm of `list_changed` comes coalesced. */
  readonly onNotification: (method: string, params: JsonObject) => void;
  /** Called once, with part of the first text that is not valid UTF-8. */
  readonly onInvalidText?: (excerpt: string) => void;
  /** Answers requests of the server's; what it throws is the error that the server gets. */
  readonly onRequest: (request: ServerRequest) => Awaitable<JsonValue>;
}
