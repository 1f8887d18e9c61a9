import type { Awaitable, Caller } from "@toolweave/core";

/** Why a request is not answered. */
export interface CallerRefusal {
  /** `insufficient_scope`: known, and not allowed (403). `unavailable`: it cannot be checked now (503). Else 401. */
  readonly refused: "invalid_token" | "insufficient_scope" | "unavailable";
  /** One sentence for the client: says nothing of the credential itself. */
  readonly reason: string;
}

/**
 * Who makes a request, from its URL and headers; it has no body. `undefined`: it shows no credential. What it throws is
 * answered with 500 and not told.
 */
export type Authenticate = (request: Request) => Awaitable<Caller | CallerRefusal | undefined>;

/** Where clients get tokens: the metadata of a protected resource (RFC 9728), which the protocol's clients read. */
export interface ProtectedResource {
  /** The issuers' URLs. */
  readonly authorizationServers: readonly string[];
  /** What a token needs. Told in the metadata, and with every refusal. */
  readonly scopes?: readonly string[];
}

/** How the registry is reached over HTTP. */
export interface HttpOptions {
  /** Default: `127.0.0.1`. Others than loopback ones need `token` or `authenticate`. */
  readonly host?: string;
  /** Default: a free one; the listener's `url` says which. */
  readonly port?: number;
  /** Where the protocol is spoken. Default: `/mcp`. */
  readonly path?: string;
  /** As clients write it when something stands in between: `https://tools.example.com/mcp`. Default: the listener's. */
  readonly publicUrl?: string | URL;
  /**
   * Host names that requests may be for, beside that of `publicUrl` and what the host is by itself (`localhost`, its
   * address). Others are refused with 403: a page on the web could otherwise reach the gateway by a name of its own.
   */
  readonly allowedHosts?: readonly string[];
  /**
   * Origins of web pages that may use the gateway from a browser, exactly: `https://inspector.example.com`. Requests of
   * other pages are refused with 403; those of pages on loopback get through to a gateway on loopback, and no further
   * than a browser lets them.
   */
  readonly allowedOrigins?: readonly string[];
  /** Every request has to carry it (`Authorization: Bearer …`). 16 characters at least. Its caller is `token`. */
  readonly token?: string;
  /** Who makes a request; `jwtCallers` gives one. In place of `token`. */
  readonly authenticate?: Authenticate;
  /** Makes the gateway a protected resource of an authorization server. `jwtCallers` gives it. */
  readonly protectedResource?: ProtectedResource;
  /** Whoever reaches the address may call the tools: for networks that let nobody else in. Default: false. */
  readonly allowUnauthenticated?: boolean;
  /** Bytes that a request's body may have. Default: 4 MiB. */
  readonly maxBodyBytes?: number;
  /** Connections of all callers at once; further ones are closed. Default: 4,096. */
  readonly maxConnections?: number;
  /**
   * Requests that one caller may have under way at once; further ones get 429. Streams that wait for changes are not
   * among them: see `limits.streams` of the gateway. Requests without a caller count as one caller's. Default: 1,000.
   */
  readonly maxRequestsPerCaller?: number;
}
