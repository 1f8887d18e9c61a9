import type { Clock, JsonObject } from "@toolweave/core";
import type { TokenCredential } from "@toolweave/core/stores";
import type { AuthorizationServerMetadata } from "./discovery.ts";
import type { HttpClient } from "../message/http-request.ts";

/** A key that authenticates a client (`private_key_jwt`, RFC 7523). */
export interface OAuthPrivateKey {
  /** PKCS #8 in PEM. */
  readonly key: string;
  /** Algorithm of JSON Web Signatures: `ES256`, `RS256`. */
  readonly algorithm: string;
}

/** A client of one OAuth 2 authorization server: where the server is, and as whom the host is known there. */
export interface OAuthClientOptions {
  /** The client that sends every request to the server: its guard decides which origins may be reached. */
  readonly http: HttpClient;
  readonly clientId: string;
  /** Absent: a public client (RFC 6749 section 2.1). */
  readonly clientSecret?: string | undefined;
  /** The token endpoint. Goes before what discovery says, like the next two. */
  readonly tokenUrl?: string | undefined;
  readonly authorizationUrl?: string | undefined;
  /** RFC 8628. */
  readonly deviceAuthorizationUrl?: string | undefined;
  /** URL of the server's metadata: an OpenID Connect discovery document, or RFC 8414 metadata. Read when first needed. */
  readonly discoveryUrl?: string | undefined;
  /** The server's metadata, if it has been discovered before. Used in place of `discoveryUrl`. */
  readonly metadata?: AuthorizationServerMetadata | undefined;
  /** URL that the server redirects the person to; exactly as it is registered there. */
  readonly redirectUri?: string | undefined;
  /** Scopes to request. Default: those that the server grants by itself. */
  readonly scopes?: readonly string[] | undefined;
  /**
   * How the client proves who it is (RFC 6749 section 2.3): `basic`, in the authorization header; `post`, in the
   * body; `none`: only its id is sent. Default: `none` without a secret, else what the server says it takes, else
   * `basic`.
   */
  readonly clientAuthentication?: "basic" | "post" | "none" | undefined;
  /** Used in place of a secret. Requires the server's metadata. */
  readonly privateKey?: OAuthPrivateKey | undefined;
  /**
   * Whether a sign-in is one of OpenID Connect, which requires an ID token. `false`: ID tokens are ignored. Default:
   * whether `scopes` contain `openid`; an ID token that was not requested is checked, too.
   */
  readonly openId?: boolean | undefined;
  /** The API that the tokens are for (RFC 8707). */
  readonly resource?: string | undefined;
  /** Default: the system's. */
  readonly clock?: Clock | undefined;
}

/** The URL at which a person signs in, and the state that resumes the flow afterwards. */
export interface AuthorizationStart {
  readonly url: string;
  /** Secret: encrypt it wherever it is stored. Plain JSON, so that another process can resume the flow. */
  readonly state: JsonObject;
}

/** The URL at which a person types a code, and the state that resumes the flow afterwards. */
export interface DeviceStart extends AuthorizationStart {
  /** The code that the person types, or compares with the one on the page. */
  readonly userCode: string;
  /** Milliseconds since the epoch; afterwards the code is worth nothing. */
  readonly expiresAt: number;
  /** Milliseconds between two polls. */
  readonly intervalMs: number;
}

/**
 * Gets tokens from an OAuth 2 authorization server. Everything rejects with a `ToolError`: `auth_required` when a
 * person has to sign in (again), `unavailable` when the server cannot answer now, `upstream` when it answers what
 * it should not or refuses the client itself, `invalid_configuration` for what the options lack, and what `HttpClient.request` rejects with.
 */
export interface OAuthClient {
  /** A token for the client itself (RFC 6749 section 4.4). Calls at the same time share one request. */
  clientCredentials(signal?: AbortSignal): Promise<TokenCredential>;
  /**
   * A new token for an old one (RFC 6749 section 6). What the answer does not replace, refresh token and scopes,
   * stays. Calls for one token, at the same time or soon after, share one request: a refresh token is often good only once.
   */
  refresh(token: TokenCredential, signal?: AbortSignal): Promise<TokenCredential>;
  /** Begins the authorization code flow, always with PKCE (RFC 7636, S256). */
  beginAuthorization(signal?: AbortSignal): Promise<AuthorizationStart>;
  /**
   * Ends it with what came back.
   *
   * @param answer the whole URL to which the server has sent the person, or the bare code where the server only
   * showed one.
   * @param state from `beginAuthorization`.
   */
  finishAuthorization(
    answer: string,
    state: JsonObject,
    signal?: AbortSignal,
  ): Promise<TokenCredential>;
  /** Begins the device flow (RFC 8628). */
  beginDevice(signal?: AbortSignal): Promise<DeviceStart>;
  /**
   * Asks once whether the person has agreed, not before the server's interval since the last time has passed. It waits
   * for that for up to 20 seconds; where that is not enough, the server is not asked.
   *
   * @param state from `beginDevice`.
   * @returns `undefined` while the person has not decided, as far as is known.
   */
  finishDevice(state: JsonObject, signal?: AbortSignal): Promise<TokenCredential | undefined>;
}
