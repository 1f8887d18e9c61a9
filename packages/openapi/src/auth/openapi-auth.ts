import type {
  Awaitable,
  Caller,
  CertificateCredential,
  Credential,
  CredentialStore,
} from "@toolweave/core";

/** What a credential is needed for. */
export interface CredentialRequest {
  /** The `id` of the source. */
  readonly source: string;
  /** The security scheme's name in the document; `bearer` where an operation declares none. */
  readonly scheme: string;
  /** What the operation asks for: scopes, or roles since OpenAPI 3.1. May be empty. */
  readonly scopes: readonly string[];
  /** On whose behalf the call is made. Absent: nobody's, or the document itself is being fetched. */
  readonly caller?: Caller;
  /** Fires when the call is cancelled. */
  readonly signal?: AbortSignal;
}

/**
 * A secret, or a function that is asked for it before each request, so that it can expire, be renewed, or be another
 * one for each caller. It may return the text that is sent, a `Credential` of the kind that the scheme takes, or
 * `undefined`: there is none for this request, which is as if nothing were given.
 */
export type Secret =
  | string
  | ((request: CredentialRequest) => Awaitable<string | Credential | undefined>);

/** A user name and a password, for the `basic` and `digest` schemes of HTTP. */
export interface BasicCredential {
  readonly username: string;
  readonly password: string;
}

/** A certificate for mutual TLS, with its key; both PEM. */
export type ClientCertificate = Omit<CertificateCredential, "type">;

/** A way to a token, by its name in the OAuth Flows Object (OpenAPI 3.2 section 4.28). */
export type OAuthFlow = "clientCredentials" | "authorizationCode" | "deviceAuthorization";

/**
 * As whom the host is registered at the authorization server of an `oauth2` or `openIdConnect` scheme. Tokens are then
 * obtained and renewed; where a person has to sign in, the call becomes an `auth` interruption. URLs that are given here
 * go before those of the document, and need no further trust.
 */
export interface OAuthRegistration {
  readonly clientId: string;
  /** Absent: a public client. */
  readonly clientSecret?: string;
  /**
   * Default: of the flows that the document declares `authorizationCode` when there is a `redirectUri`, else
   * `clientCredentials` when there is a `clientSecret`, else `deviceAuthorization`.
   */
  readonly flow?: OAuthFlow;
  /** Where the server sends a person back to; exactly as it is registered there. */
  readonly redirectUri?: string;
  /** Asked for beside the scopes of the operation. */
  readonly scopes?: readonly string[];
  readonly tokenUrl?: string;
  readonly authorizationUrl?: string;
  readonly deviceAuthorizationUrl?: string;
  /**
   * Where the server describes itself: an OpenID Connect discovery document, or RFC 8414 metadata. With it no URL of the
   * document's is used.
   */
  readonly discoveryUrl?: string;
  /** How the client proves who it is. Default: what the server takes, `basic` first. */
  readonly clientAuthentication?: "basic" | "post" | "none";
  /** The API that the tokens are for (RFC 8707). */
  readonly resource?: string;
}

/** What can be given for a single scheme. */
export type SchemeCredential = Secret | BasicCredential | OAuthRegistration | ClientCertificate;

/**
 * The credentials of an API. Each operation gets those that its `security` asks for: of several alternatives the
 * first for which everything is there, else the first that a person can sign in for. One that declares nothing gets
 * `bearer` or `basic`.
 *
 * What stands here is the host's own and serves every caller. What belongs to one caller comes from `store` or from a
 * function, and never serves another one.
 */
export interface OpenApiAuth {
  /** For `http` `bearer`, `oauth2` and `openIdConnect` schemes. */
  readonly bearer?: Secret;
  /** For `http` `basic` and `digest` schemes. */
  readonly basic?: BasicCredential;
  /** For `apiKey` schemes; the document says where it goes. */
  readonly apiKey?: Secret;
  /**
   * For single schemes, by the name they have in the document. Goes before the others. A text for an `http` scheme
   * of any other name is what stands behind that name in the `authorization` header.
   */
  readonly schemes?: Readonly<Record<string, SchemeCredential>>;
  /**
   * Asked first, by source, scheme and caller, and nobody else's credential is taken: with a caller the caller's own,
   * without one the host's. Tokens that are obtained or renewed are kept in it: those of client credentials as the
   * host's, for all callers, others as the caller's who has signed in. An operation that declares no `security` names no scheme to ask for: it
   * never gets what only the store has. Default: in memory, tokens only.
   */
  readonly store?: CredentialStore;
}
