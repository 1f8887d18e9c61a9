import { ToolError, type Awaitable, type Caller } from "@toolweave/core";
import { checkOptions } from "@toolweave/core/adapter";
import type { ForwardedRequest, ForwardedRequests } from "./forwarded-requests.ts";
import { healthPath, readyPath } from "./health.ts";
import { isLoopback } from "./origin-guard.ts";

/** Reason of a rejected request. */
export interface CallerRefusal {
  /**
   * `insufficient_scope`: authenticated, but not allowed (403). `unavailable`: it cannot be checked now (503). Else
   * 401.
   */
  readonly refused: "invalid_token" | "insufficient_scope" | "unavailable";
  /** One sentence for the client, without any part of the credential. */
  readonly reason: string;
}

/**
 * Determines the caller of a request from its URL and headers; it has no body. `undefined`: it has no credential. An
 * error is answered with 500 and its message is not sent.
 */
export type Authenticate = (request: Request) => Awaitable<Caller | CallerRefusal | undefined>;

/** Metadata of a protected resource (RFC 9728), by which clients find the authorization server. */
export interface ProtectedResource {
  /** URLs of the issuers. */
  readonly authorizationServers: readonly string[];
  /** Required scopes, listed in the metadata and in every rejection. */
  readonly scopes?: readonly string[];
}

/** Options of `listenHttp`. */
export interface HttpOptions {
  /** Default: `127.0.0.1`. Addresses other than loopback require `token` or `authenticate`. */
  readonly host?: string;
  /** Default: a free port, which is part of the listener's `url`. */
  readonly port?: number;
  /** Path of the endpoint. Default: `/mcp`. */
  readonly path?: string;
  /** URL that clients use if there is a proxy: `https://tools.example.com/mcp`. Default: the listener's. */
  readonly publicUrl?: string | URL;
  /**
   * Allowed host names of requests, beside that of `publicUrl` and those of the host itself (`localhost`, its
   * address). Others are rejected with 403: otherwise a web page could reach the gateway by a name of its own.
   */
  readonly allowedHosts?: readonly string[];
  /**
   * Origins of web pages that may use the gateway from a browser, exactly: `https://inspector.example.com`. Requests
   * of other pages are rejected with 403; those of pages on loopback reach a gateway on loopback, within the limits
   * of the browser.
   */
  readonly allowedOrigins?: readonly string[];
  /**
   * Token that every request must carry (`Authorization: Bearer …`). At least 16 characters. The caller's id is
   * `token`.
   */
  readonly token?: string;
  /** Determines the caller of a request; `jwtCallers` returns one. Used instead of `token`. */
  readonly authenticate?: Authenticate;
  /** Metadata of the gateway as a protected resource of an authorization server. `jwtCallers` returns it. */
  readonly protectedResource?: ProtectedResource;
  /** Lets every client that reaches the address call the tools: for closed networks. Default: false. */
  readonly allowUnauthenticated?: boolean;
  /** Maximum size of a request's body in bytes. Default: 4 MiB. */
  readonly maxBodyBytes?: number;
  /** Maximum number of connections of all callers; further ones are closed. Default: 4,096. */
  readonly maxConnections?: number;
  /**
   * Maximum number of concurrent requests of one caller; further ones are answered with 429. Streams for
   * notifications are not counted: see `limits.streams` of the gateway. Requests without a caller count as one
   * caller. Default: 1,000.
   */
  readonly maxRequestsPerCaller?: number;
}

/** Properties of a request that its sender cannot set. */
export interface GatewayRequest {
  /** Authenticated caller of the request. Absent: there is no authentication. */
  readonly caller?: Caller;
  /** Maximum size of the body in bytes. Default: 4,194,304 (4 MiB). */
  readonly maxBodyBytes?: number;
  /**
   * The request as `replica.accept` of the gateway has accepted it: another replica has forwarded it. `caller` is its
   * caller.
   */
  readonly forwarded?: ForwardedRequest;
}

/** Handles HTTP requests of the protocol; a request whose signal is aborted is cancelled. */
export interface GatewayFetch {
  fetch(request: Request, from?: GatewayRequest): Promise<Response>;
  /** Resolves to false if no further requests should be sent to this process, for `/readyz`. Absent: always true. */
  ready?(): Promise<boolean>;
  /** Authenticates requests of other replicas. Absent: there are none. */
  readonly replica?: ForwardedRequests | undefined;
}

const known: readonly string[] = [
  "host",
  "port",
  "path",
  "publicUrl",
  "allowedHosts",
  "allowedOrigins",
  "token",
  "authenticate",
  "protectedResource",
  "allowUnauthenticated",
  "maxBodyBytes",
  "maxConnections",
  "maxRequestsPerCaller",
] satisfies readonly (keyof HttpOptions)[];

/** Minimum length of a token, in characters: a shorter one could be guessed. */
const minTokenLength = 16;

/**
 * Rejects invalid options, and a gateway that is open to other machines.
 *
 * @throws ToolError `invalid_configuration`.
 */
export function checkHttpOptions(options: HttpOptions): void {
  checkOptions("listenHttp", options, known);
  const { host = "127.0.0.1", path = "/mcp", token, authenticate, publicUrl } = options;
  const { allowedOrigins = [], allowUnauthenticated = false } = options;
  if (token !== undefined && authenticate !== undefined)
    throw invalidOption("set either token or authenticate");
  if (token !== undefined && !(typeof token === "string" && token.length >= minTokenLength)) {
    throw invalidOption(
      `token must have at least ${minTokenLength} characters: openssl rand -base64 32`,
    );
  }
  const isOpen = token === undefined && authenticate === undefined;
  if (isOpen && !isLoopback(host) && !allowUnauthenticated) {
    throw invalidOption(
      `${host} can be reached from other machines, which could call every tool: set token or ` +
        `authenticate, or allowUnauthenticated: true if no other machine is in the network`,
    );
  }
  if (!path.startsWith("/") || /[?#\s]/.test(path))
    throw invalidOption(`path is "${path}"; use a path such as "/mcp"`);
  if (path === healthPath || path === readyPath)
    throw invalidOption(`path is "${path}", which is a health check; use a path such as "/mcp"`);
  if (publicUrl !== undefined && !/^https?:$/.test(URL.parse(String(publicUrl))?.protocol ?? "")) {
    throw invalidOption('publicUrl takes an absolute URL, such as "https://tools.example.com/mcp"');
  }
  const invalid = allowedOrigins.find((origin) => URL.parse(origin)?.origin !== origin);
  if (invalid !== undefined) {
    throw invalidOption(
      `allowedOrigins takes origins such as "https://inspector.example.com", not "${invalid}"`,
    );
  }
  for (const name of ["maxBodyBytes", "maxConnections", "maxRequestsPerCaller"] as const) {
    const limit = options[name] ?? 1;
    if (!(limit >= 1)) throw invalidOption(`${name} is ${limit}; use 1 or more`);
  }
}

function invalidOption(fault: string): ToolError {
  return new ToolError("invalid_configuration", `listenHttp: ${fault}.`);
}
