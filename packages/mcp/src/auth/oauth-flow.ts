import type { TokenSecrets } from "@toolweave/core/adapter";
import { ToolError, type JsonObject } from "@toolweave/core";
import type { ClientCredential, TokenCredential } from "@toolweave/core/stores";
import {
  OAuthRefusal,
  oauthClient,
  registerClient,
  type AuthorizationServerMetadata,
  type HttpClient,
  type OAuthClient,
  type OAuthClientOptions,
} from "@toolweave/http";
import { findAuthority, lists, type Authority } from "./authority.ts";
import { isSameIssuer, type StoredCredentials, type Owner } from "./stored-credentials.ts";
import type { McpOAuth } from "../options/auth-options.ts";
import type { Challenge } from "./sign-in-required.ts";

/** By default, no program listens there; a person can copy the address. */
const defaultRedirectUri = "http://127.0.0.1:8976/callback";

/** A sign-in that has begun. Plain JSON: another process may continue it. */
export interface BegunSignIn {
  /** Where the person goes. */
  readonly url: string;
  /** The requested scopes. */
  readonly scopes: readonly string[];
  /** Secret: the verifier, the state, the client. */
  readonly state: JsonObject;
}

/** The state from which a begun sign-in continues. */
interface SignInState {
  readonly authority: Authority;
  readonly client: ClientCredential;
  readonly scopes: readonly string[];
  /** State of `beginAuthorization`. */
  readonly state: JsonObject;
}

/** The parts of its source that a flow uses. */
export interface OAuthFlowOptions {
  readonly server: URL;
  readonly oauth: McpOAuth;
  readonly kept: StoredCredentials;
  readonly secrets: TokenSecrets;
  readonly http: HttpClient;
}

/** Gets tokens for an MCP server from the authorization server that it names, and keeps them. */
export class OAuthFlow {
  readonly #options: OAuthFlowOptions;

  constructor(options: OAuthFlowOptions) {
    this.#options = options;
  }

  /** Finds out where a person signs in, and registers the host there where it has to. */
  async begin(owner: Owner, challenge: Challenge): Promise<BegunSignIn> {
    const { redirectUri = defaultRedirectUri } = this.#options.oauth;
    const authority = await this.#find(challenge.metadataUrl);
    checkCanSignIn(authority.metadata);
    const requested = await this.#scopes(owner, authority, challenge);
    const scopes = withOfflineAccess(requested, authority.metadata);
    const client = await this.#client(authority, redirectUri, scopes);
    const { url, state } = await this.#oauthClient(authority, client, {
      redirectUri,
      scopes,
    }).beginAuthorization();
    const at = new URL(url);
    // OpenID Connect Core section 11.
    if (scopes.includes("offline_access")) at.searchParams.append("prompt", "consent");
    this.#registerVerifier(state);
    const begun: SignInState = { authority, client, scopes, state };
    return { url: at.href, scopes, state: begun as unknown as JsonObject };
  }

  /**
   * Trades what came back from a sign-in for a token, and keeps it.
   *
   * @param answer the URL to which the person was led back, or the bare code.
   * @throws ToolError `auth_required` when a person has to begin again.
   */
  async finish(owner: Owner, begun: JsonObject, answer: string): Promise<void> {
    const { kept, secrets } = this.#options;
    const { authority, client, scopes, state } = begun as unknown as SignInState;
    this.#registerVerifier(state);
    secrets.add(URL.parse(answer)?.searchParams.get("code") ?? answer);
    try {
      const oauth = this.#oauthClient(authority, client, { scopes });
      const token = await oauth.finishAuthorization(answer, state);
      await kept.keepToken(owner, withAsked(token, scopes), client);
    } catch (error) {
      if (!isUnknownClient(error)) throw error;
      await kept.forgetClient(client);
      throw new ToolError(
        "auth_required",
        "The authorization server does not know the host any more. A person has to sign in again: repeat the call.",
        { cause: error },
      );
    }
  }

  /**
   * A token in place of one that has expired or was refused, without a person.
   *
   * @returns nothing when a person has to sign in again; the old token is forgotten then.
   */
  async renew(
    owner: Owner,
    old: TokenCredential,
    metadataUrl: URL | undefined,
  ): Promise<TokenCredential | undefined> {
    const { kept } = this.#options;
    const { refreshToken, bound } = old;
    if (refreshToken === undefined || bound === undefined) return undefined;
    const { client } = bound;
    const authority = await this.#find(metadataUrl);
    // The server has moved to another one, which must not see what belongs to the first.
    if (!isSameIssuer(authority.metadata.issuer, client.issuer)) return undefined;
    try {
      const token = await this.#oauthClient(authority, client).refresh(old);
      await kept.keepToken(owner, withAsked(token, old.scopes ?? []), client);
      return token;
    } catch (error) {
      const isUnknown = isUnknownClient(error);
      if (!isUnknown && !isRefusal(error, "invalid_grant")) throw error;
      // Another process may have been quicker, and a refresh token is often good only once.
      const latest = await kept.token(owner);
      if (latest !== undefined && latest.accessToken !== old.accessToken) return latest;
      if (isUnknown) await kept.forgetClient(client);
      await kept.forgetToken(owner, old);
      return undefined;
    }
  }

  /** A token for the host itself. */
  async obtain(challenge: Pick<Challenge, "metadataUrl" | "scopes">): Promise<TokenCredential> {
    const authority = await this.#find(challenge.metadataUrl);
    const scopes = await this.#scopes(undefined, authority, challenge);
    const client = this.#given(authority);
    const token = await this.#oauthClient(authority, client, { scopes }).clientCredentials();
    await this.#options.kept.keepToken(undefined, withAsked(token, scopes), client);
    return token;
  }

  #find(metadataUrl: URL | undefined): Promise<Authority> {
    const { server, http, oauth } = this.#options;
    return findAuthority(server, http, metadataUrl, oauth.issuer);
  }

  /**
   * Scopes that the same server granted before are requested again (SEP-2350). Without any, the server chooses its
   * default.
   */
  async #scopes(
    owner: Owner,
    authority: Authority,
    challenge: Pick<Challenge, "scopes">,
  ): Promise<readonly string[]> {
    const { oauth, kept } = this.#options;
    const token = await kept.token(owner);
    const isSame =
      token?.bound !== undefined &&
      isSameIssuer(token.bound.client.issuer, authority.metadata.issuer);
    const granted = isSame ? (token.scopes ?? []) : [];
    const asked = [...new Set([...granted, ...(oauth.scopes ?? []), ...challenge.scopes])];
    return asked.length > 0 ? asked : (authority.scopes ?? []);
  }

  async #client(
    authority: Authority,
    redirectUri: string,
    scopes: readonly string[],
  ): Promise<ClientCredential> {
    const { oauth, kept, http } = this.#options;
    const { metadata } = authority;
    const takesUrls = metadata["client_id_metadata_document_supported"] === true;
    const { clientId, clientMetadataUrl } = oauth;
    if (clientId !== undefined || (takesUrls && clientMetadataUrl !== undefined)) {
      return this.#given(authority);
    }
    const known = await kept.client(metadata.issuer, redirectUri, scopes);
    if (known !== undefined) return known;
    if (metadata["registration_endpoint"] === undefined) {
      throw new ToolError(
        "auth_required",
        `The authorization server ${new URL(metadata.issuer).origin} does not register clients by itself. Register the host there by hand, and pass auth.oauth.clientId.`,
      );
    }
    const clientName = "Toolweave";
    const client = await registerClient({ http, metadata, clientName, redirectUri, scopes });
    await kept.keepClient(client);
    return client;
  }

  /** As whom the host says that it is known. Its secret is kept nowhere else. */
  #given({ metadata: { issuer } }: Authority): ClientCredential {
    const { clientId, clientMetadataUrl } = this.#options.oauth;
    return { type: "client", issuer, clientId: (clientId ?? clientMetadataUrl) as string };
  }

  #oauthClient(
    { metadata, resource }: Authority,
    client: ClientCredential,
    request: Pick<OAuthClientOptions, "redirectUri" | "scopes"> = {},
  ): OAuthClient {
    const { http, oauth } = this.#options;
    const isGiven = [oauth.clientId, oauth.clientMetadataUrl].includes(client.clientId);
    const { clientSecret = client.clientSecret, privateKey } = isGiven ? oauth : {};
    return oauthClient({
      ...request,
      http,
      metadata,
      resource,
      clientId: client.clientId,
      clientSecret,
      clientAuthentication:
        clientSecret === undefined ? undefined : toClientAuthentication(client, metadata),
      privateKey,
      // `openid` may be one of the server's scopes, but MCP has no ID tokens.
      openId: false,
    });
  }

  #registerVerifier({ verifier }: JsonObject): void {
    if (typeof verifier === "string") this.#options.secrets.add(verifier);
  }
}

function isRefusal(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof OAuthRefusal && codes.includes(error.error);
}

/** True when a server does not know the client, or not any more. */
function isUnknownClient(error: unknown): boolean {
  return isRefusal(error, "invalid_client", "unauthorized_client");
}

/** That a server without PKCE is refused is the MCP specification's word ("Authorization Code Protection"). */
function checkCanSignIn(metadata: AuthorizationServerMetadata): void {
  const { origin } = new URL(metadata.issuer);
  const unsupported = !lists(metadata, "code_challenge_methods_supported", "S256")
    ? "PKCE (S256)"
    : lists(metadata, "response_types_supported", "code") && metadata["authorization_endpoint"]
      ? undefined
      : "authorization codes";
  if (unsupported === undefined) return;
  throw new ToolError(
    "upstream",
    `The authorization server ${origin} does not say that it supports ${unsupported}, without which no sign-in begins.`,
    { audience: "host" },
  );
}

const authentications = {
  client_secret_basic: "basic",
  client_secret_post: "post",
  none: "none",
} as const;

/** The registered method, unless the server does not support it any more. */
function toClientAuthentication(
  { clientAuthentication: method = "" }: ClientCredential,
  metadata: AuthorizationServerMetadata,
): OAuthClientOptions["clientAuthentication"] {
  const member = "token_endpoint_auth_methods_supported";
  const isSupported = metadata[member] === undefined || lists(metadata, member, method);
  return isSupported && Object.hasOwn(authentications, method)
    ? authentications[method as keyof typeof authentications]
    : undefined;
}

/** Where a server says that this is how it gives refresh tokens (SEP-2207). */
function withOfflineAccess(
  scopes: readonly string[],
  metadata: AuthorizationServerMetadata,
): readonly string[] {
  const name = "offline_access";
  const isOffered = lists(metadata, "scopes_supported", name);
  return scopes.length === 0 || !isOffered || scopes.includes(name) ? scopes : [...scopes, name];
}

/** A server that was asked for a scope and does not name it in its grant is not asked for it again and again. */
function withAsked(token: TokenCredential, asked: readonly string[]): TokenCredential {
  const { scopes } = token;
  return scopes === undefined ? token : { ...token, scopes: [...new Set([...scopes, ...asked])] };
}
