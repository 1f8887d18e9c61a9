import type { Awaitable, Caller } from "@toolweave/core";
import type { CertificateCredential, Credential, CredentialStore } from "@toolweave/core/stores";

/** The request for a credential. */
export interface CredentialRequest {
  /** The `id` of the source. */
  readonly source: string;
  /** The security scheme's name in the document; `bearer` where an operation declares none. */
  readonly scheme: string;
  /** The scopes that the operation asks for, or roles since OpenAPI 3.1. May be empty. */
  readonly scopes: readonly string[];
  /**
   * The caller on whose behalf the call is made. Absent: there is no caller, or the document itself is being fetched.
   */
  readonly caller?: Caller;
  /** Aborted when the call is cancelled. */
  readonly signal?: AbortSignal;
}

/**
 * A secret, or a function that is called before each request, so that the secret can expire, be renewed, or differ for
 * each caller. The function may return the text that is sent, a `Credential` of the kind that the scheme takes, or
 * `undefined`: there is none for this request, as if none were configured.
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

/** The flow that obtains a token, by its name in the OAuth Flows Object (OpenAPI 3.2 section 4.28). */
export type OAuthFlow = "clientCredentials" | "authorizationCode" | "deviceAuthorization";

/**
 * The host's registration with the authorization server of an `oauth2` or `openIdConnect` scheme. Tokens are then
 * obtained and renewed; if a person has to sign in, the call is interrupted with an `auth` request. URLs that are
 * configured here take precedence over those of the document, and need no further trust.
 */
export interface OAuthRegistration {
  readonly clientId: string;
  /** Absent: a public client. */
  readonly clientSecret?: string;
  /**
   * Default: of the flows that the document declares, `authorizationCode` if there is a `redirectUri`, else
   * `clientCredentials` if there is a `clientSecret`, else `deviceAuthorization`.
   */
  readonly flow?: OAuthFlow;
  /** The URL to which the server redirects a person; exactly as it is registered there. */
  readonly redirectUri?: string;
  /** Scopes that are requested in addition to those of the operation. */
  readonly scopes?: readonly string[];
  readonly tokenUrl?: string;
  readonly authorizationUrl?: string;
  readonly deviceAuthorizationUrl?: string;
  /**
   * The URL of an OpenID Connect discovery document or of RFC 8414 metadata. If it is set, no URL of the document is
   * used.
   */
  readonly discoveryUrl?: string;
  /** The client authentication method. Default: one that the server supports, `basic` first. */
  readonly clientAuthentication?: "basic" | "post" | "none";
  /** The API for which the tokens are issued (RFC 8707). */
  readonly resource?: string;
}

/** The credential of a single scheme. */
export type SchemeCredential = Secret | BasicCredential | OAuthRegistration | ClientCertificate;

/**
 * The credentials of an API. Each operation gets those that its `security` asks for: of several alternatives the first
 * whose credentials are all available, else the first that a person can sign in for. An operation that declares nothing
 * gets `bearer` or `basic`.
 *
 * The credentials here belong to the host and serve every caller. The credentials of one caller come from `store` or
 * from a function, and never serve another caller.
 */
export interface OpenApiAuth {
  /** For `http` `bearer`, `oauth2` and `openIdConnect` schemes. */
  readonly bearer?: Secret;
  /** For `http` `basic` and `digest` schemes. */
  readonly basic?: BasicCredential;
  /** For `apiKey` schemes; the document defines where the key is sent. */
  readonly apiKey?: Secret;
  /**
   * For single schemes, by their names in the document. Takes precedence over the others. For an `http` scheme of any
   * other name, a string is the text that follows that name in the `authorization` header.
   */
  readonly schemes?: Readonly<Record<string, SchemeCredential>>;
  /**
   * Read first, by source, scheme and caller; another caller's credential is never used. With a caller, the caller's
   * own credential is read; without one, the host's. Tokens that are obtained or renewed are stored in it: those of
   * client credentials as the host's, for all callers, others as those of the caller who signed in. An operation that
   * declares no `security` has no scheme to read with, so it never gets a credential that only the store has. Default:
   * in memory, tokens only.
   */
  readonly store?: CredentialStore;
}
