import type { Awaitable } from "@toolweave/core";
import type { CredentialStore } from "@toolweave/core/stores";

/** The purpose of a token. */
export interface TokenRequest {
  /** Name of the source. */
  readonly source: string;
  /**
   * Id of the caller on whose behalf the server is called. Absent: there is no caller, for instance while the tools
   * are listed.
   */
  readonly caller?: string;
}

/**
 * A token, or a function that is called before each request, so that tokens can expire, be renewed, or differ by
 * caller. `undefined`: there is none for this request.
 */
export type BearerToken = string | ((request: TokenRequest) => Awaitable<string | undefined>);

/** A key that authenticates the host at an authorization server (`private_key_jwt`, RFC 7523). */
export interface McpPrivateKey {
  /** PKCS #8 in PEM. */
  readonly key: string;
  /** Algorithm of JSON Web Signatures: `ES256`, `RS256`. */
  readonly algorithm: string;
}

/**
 * Sign-in of the host at the authorization server of an MCP server (OAuth 2.1, MCP specification, "Authorization").
 * Everything that the server publishes is discovered; start with `{}`. The client id is `clientId` if it is set; else
 * `clientMetadataUrl`, if the server supports it; else the host registers itself (RFC 7591), and the registration is
 * stored.
 */
export interface McpOAuth {
  /** Client id of the host, if it was registered by hand. */
  readonly clientId?: string;
  /** Absent: a public client. Requires `issuer`, so that it is sent to no other server. */
  readonly clientSecret?: string;
  /** Used instead of a secret. Requires `issuer` too. */
  readonly privateKey?: McpPrivateKey;
  /** An https URL with the metadata of the host, which is also its client id (Client ID Metadata Documents). */
  readonly clientMetadataUrl?: string;
  /**
   * The authorization server. Default: the first one that the MCP server names. Others than those it names are
   * rejected.
   */
  readonly issuer?: string;
  /**
   * `authorizationCode`: a person signs in. `clientCredentials`: the host signs in as itself. Default:
   * `authorizationCode`.
   */
  readonly flow?: "authorizationCode" | "clientCredentials";
  /**
   * URL that the authorization server redirects a person to. The full URL of that redirect is the answer to the
   * sign-in. Default: `http://127.0.0.1:8976/callback`; no server has to listen there, since the URL can be copied.
   */
  readonly redirectUri?: string;
  /** Scopes that are requested in addition to those of the server. */
  readonly scopes?: readonly string[];
}

/**
 * The credentials of a server over HTTP. A string is used for every caller, and so is the token of
 * `clientCredentials`. A token for which a person has signed in belongs to that caller; without a caller (a list of
 * tools, a program of its own) to the host. No token is used for another caller, and each caller has a separate
 * connection.
 */
export interface McpAuth {
  /** Sent as `authorization: Bearer …`. Takes precedence over `oauth`. */
  readonly bearer?: BearerToken;
  readonly oauth?: McpOAuth;
  /**
   * Store of tokens, under the source's name, the scheme `oauth` and the caller; and of the host's registration under
   * the scheme `oauth-client`. Default: in memory.
   */
  readonly store?: CredentialStore;
}
