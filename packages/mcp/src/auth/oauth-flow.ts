import { randomBytes } from "node:crypto";
import { ToolError, type JsonObject } from "@toolweave/core";
import type { ClientCredential, TokenCredential } from "@toolweave/core/stores";
import { callbackCode } from "@toolweave/http";
import { findAuthority, getListed, type Authority } from "./authority.ts";
import {
  authorizationUrl,
  clientToken,
  exchangeCode,
  refreshToken,
  register,
  type AuthorityRequest,
} from "./oauth-client.ts";
import { isUnknownClient } from "./oauth-error.ts";
import type { GuardedFetch } from "./guarded-fetch.ts";
import { isSameIssuer, type StoredCredentials, type Owner } from "./stored-credentials.ts";
import type { McpOAuth } from "../options/auth-options.ts";
import type { TokenSecrets } from "./token-secrets.ts";
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
  readonly redirectUri: string;
  readonly verifier: string;
  readonly state: string;
  readonly scopes: readonly string[];
}

/** The parts of its source that a flow uses. */
export interface OAuthFlowOptions {
  readonly server: URL;
  readonly oauth: McpOAuth;
  readonly kept: StoredCredentials;
  readonly secrets: TokenSecrets;
  readonly fetch: GuardedFetch;
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
    checkCanSignIn(authority);
    const scopes = withOfflineAccess(await this.#scopes(owner, authority, challenge), authority);
    const client = await this.#client(authority, redirectUri, scopes);
    const state = randomBytes(32).toString("base64url");
    const options = { redirectUri, state, scopes };
    const { url, verifier } = await authorizationUrl({ authority, client }, options);
    this.#options.secrets.add(verifier);
    const begun: SignInState = { authority, client, redirectUri, verifier, state, scopes };
    return { url, scopes, state: begun as unknown as JsonObject };
  }

  /**
   * Trades what came back from a sign-in for a token, and keeps it.
   *
   * @param answer the URL to which the person was led back, or the bare code.
   * @throws ToolError `auth_required` when a person has to begin again.
   */
  async finish(owner: Owner, begun: JsonObject, answer: string): Promise<void> {
    const { kept, secrets } = this.#options;
    const { authority, client, redirectUri, verifier, state, scopes } =
      begun as unknown as SignInState;
    secrets.add(verifier);
    secrets.add(URL.parse(answer)?.searchParams.get("code") ?? answer);
    const { metadata, issuer } = authority;
    const code = callbackCode(answer, {
      state,
      redirectUri,
      issuer: metadata === undefined ? undefined : issuer,
      namesItself: metadata?.["authorization_response_iss_parameter_supported"] === true,
    });
    const options = { code, verifier, redirectUri, scopes, now: Date.now() };
    try {
      const token = await exchangeCode(this.#request(authority, client), options);
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
    const { refreshToken: secret, bound } = old;
    if (secret === undefined || bound === undefined) return undefined;
    const { client } = bound;
    const authority = await this.#find(metadataUrl);
    // The server has moved to another one, which must not see what belongs to the first.
    if (!isSameIssuer(authority.issuer, client.issuer)) return undefined;
    const request = this.#request(authority, client);
    const answer = await refreshToken(request, { ...old, refreshToken: secret }, Date.now());
    if (typeof answer === "object") {
      await kept.keepToken(owner, withAsked(answer, old.scopes ?? []), client);
      return answer;
    }
    // Another process may have been quicker, and a refresh token is often good only once.
    const latest = await kept.token(owner);
    if (latest !== undefined && latest.accessToken !== old.accessToken) return latest;
    if (answer === "client") await kept.forgetClient(client);
    await kept.forgetToken(owner, old);
    return undefined;
  }

  /** A token for the host itself. */
  async obtain(challenge: Pick<Challenge, "metadataUrl" | "scopes">): Promise<TokenCredential> {
    const authority = await this.#find(challenge.metadataUrl);
    const scopes = await this.#scopes(undefined, authority, challenge);
    const client = this.#given(authority);
    const token = await clientToken(this.#request(authority, client), scopes, Date.now());
    await this.#options.kept.keepToken(undefined, withAsked(token, scopes), client);
    return token;
  }

  #find(metadataUrl: URL | undefined): Promise<Authority> {
    const { server, fetch, oauth } = this.#options;
    return findAuthority(server, fetch, metadataUrl, oauth.issuer);
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
      token?.bound !== undefined && isSameIssuer(token.bound.client.issuer, authority.issuer);
    const granted = isSame ? (token.scopes ?? []) : [];
    const asked = [...new Set([...granted, ...(oauth.scopes ?? []), ...challenge.scopes])];
    return asked.length > 0 ? asked : (authority.scopes ?? []);
  }

  async #client(
    authority: Authority,
    redirectUri: string,
    scopes: readonly string[],
  ): Promise<ClientCredential> {
    const { oauth, kept, fetch } = this.#options;
    const takesUrls = authority.metadata?.["client_id_metadata_document_supported"] === true;
    const { clientId, clientMetadataUrl } = oauth;
    if (clientId !== undefined || (takesUrls && clientMetadataUrl !== undefined)) {
      return this.#given(authority);
    }
    const { issuer } = authority;
    const known = await kept.client(issuer, redirectUri, scopes);
    if (known !== undefined) return known;
    if (authority.metadata !== undefined && authority.metadata["registration_endpoint"] == null) {
      throw new ToolError(
        "auth_required",
        `The authorization server ${new URL(issuer).origin} does not register clients by itself. Register the host there by hand, and pass auth.oauth.clientId.`,
      );
    }
    const method = clientAuthentication(authority);
    const client = await register(
      authority,
      {
        client_name: "Toolweave",
        redirect_uris: [redirectUri],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        application_type: isNative(redirectUri) ? "native" : "web",
        ...(method === undefined ? {} : { token_endpoint_auth_method: method }),
        ...(scopes.length === 0 ? {} : { scope: scopes.join(" ") }),
      },
      fetch,
      Date.now(),
    );
    await kept.keepClient(client);
    return client;
  }

  /** As whom the host says that it is known. Its secret is kept nowhere else. */
  #given({ issuer }: Authority): ClientCredential {
    const { clientId, clientMetadataUrl } = this.#options.oauth;
    return { type: "client", issuer, clientId: (clientId ?? clientMetadataUrl) as string };
  }

  #request(authority: Authority, client: ClientCredential): AuthorityRequest {
    const { fetch, oauth } = this.#options;
    const { clientId, clientMetadataUrl, clientSecret, privateKey } = oauth;
    const isGiven = [clientId, clientMetadataUrl].includes(client.clientId);
    const secret = isGiven ? clientSecret : undefined;
    return {
      authority,
      client: secret === undefined ? client : { ...client, clientSecret: secret },
      ...(isGiven ? { privateKey } : {}),
      fetch,
    };
  }
}

/** That a server without PKCE is refused is the MCP specification's word ("Authorization Code Protection"). */
function checkCanSignIn(authority: Authority): void {
  if (authority.metadata === undefined) return;
  if (getListed(authority, "code_challenge_methods_supported")?.includes("S256") === true) return;
  throw new ToolError(
    "upstream",
    `The authorization server ${new URL(authority.issuer).origin} does not say that it supports PKCE (S256), without which no sign-in begins.`,
    { audience: "host" },
  );
}

/** Without a secret, if the server allows it: a program on a person's machine cannot protect one. */
function clientAuthentication(authority: Authority): string | undefined {
  const taken = getListed(authority, "token_endpoint_auth_methods_supported");
  return ["none", "client_secret_basic", "client_secret_post"].find((one) => taken?.includes(one));
}

/** Where a server says that this is how it gives refresh tokens (SEP-2207). */
function withOfflineAccess(scopes: readonly string[], authority: Authority): readonly string[] {
  const name = "offline_access";
  const isOffered = getListed(authority, "scopes_supported")?.includes(name) === true;
  return scopes.length === 0 || !isOffered || scopes.includes(name) ? scopes : [...scopes, name];
}

/** RFC 8252: it comes back to this machine, or to an app. */
function isNative(redirectUri: string): boolean {
  const { protocol, hostname } = new URL(redirectUri);
  return protocol !== "https:" || /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(hostname);
}

/** A server that was asked for a scope and does not name it in its grant is not asked for it again and again. */
function withAsked(token: TokenCredential, asked: readonly string[]): TokenCredential {
  const { scopes } = token;
  return scopes === undefined ? token : { ...token, scopes: [...new Set([...scopes, ...asked])] };
}
