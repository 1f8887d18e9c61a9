import type { Awaitable, CredentialStore } from "@toolweave/core";

/** What a token is needed for. */
export interface TokenRequest {
  /** The source's name. */
  readonly source: string;
  /** The id of the caller on whose behalf the server is called. Absent: nobody's; the tools are being listed, say. */
  readonly caller?: string;
}

/**
 * A token that is sent as it is, or a function that is asked before each request, so that it can expire, be renewed, or
 * be another one for each caller. `undefined`: there is none for this request.
 */
export type BearerToken = string | ((request: TokenRequest) => Awaitable<string | undefined>);

/** A key that proves to an authorization server who the host is (`private_key_jwt`, RFC 7523). */
export interface McpPrivateKey {
  /** PKCS #8, as PEM. */
  readonly key: string;
  /** As JSON Web Signatures call it: `ES256`, `RS256`. */
  readonly algorithm: string;
}

/**
 * How the host signs in at the authorization server that an MCP server names (OAuth 2.1, as the MCP specification has
 * it under "Authorization"). Everything is found out by itself where the server offers it; `{}` is a good beginning.
 *
 * As whom: `clientId` when it is given; else `clientMetadataUrl`, where the server takes such; else the host registers
 * itself (RFC 7591), and the registration is kept in the store.
 */
export interface McpOAuth {
  /** As whom the host is registered, where a person has done that. */
  readonly clientId?: string;
  /** Absent: a public client. Needs `issuer`, so that no other server is told. */
  readonly clientSecret?: string;
  /** In place of a secret. Needs `issuer`, too. */
  readonly privateKey?: McpPrivateKey;
  /** An https URL at which the host describes itself, which is its id as well (Client ID Metadata Documents). */
  readonly clientMetadataUrl?: string;
  /** The authorization server. Default: the first one that the MCP server names. One that it does not name is refused. */
  readonly issuer?: string;
  /**
   * `authorizationCode`: a person signs in. `clientCredentials`: the host is itself who it signs in as. Default:
   * `authorizationCode`.
   */
  readonly flow?: "authorizationCode" | "clientCredentials";
  /**
   * Where the authorization server sends a person back to. What it is sent there with is the answer to the sign-in.
   * Default: `http://127.0.0.1:8976/callback`; nobody has to listen there, since the address can be copied.
   */
  readonly redirectUri?: string;
  /** Asked for beside those that the server asks for. */
  readonly scopes?: readonly string[];
}

/**
 * The credentials of a server over HTTP.
 *
 * A text serves every caller, and so does what `clientCredentials` gives. What a person has signed in for is theirs:
 * with a caller it is the caller's own, without one (a list of tools, a program of its own) the host's. Nobody's is
 * used for anybody else, and each caller has a connection of their own.
 */
export interface McpAuth {
  /** Sent as `authorization: Bearer …`. Goes before `oauth`. */
  readonly bearer?: BearerToken;
  readonly oauth?: McpOAuth;
  /**
   * Where tokens are kept, under the source's name, the scheme `oauth` and the caller; and under the scheme
   * `oauth-client` as whom the host has registered itself. Default: in memory.
   */
  readonly store?: CredentialStore;
}
