import {
  createPrivateKeyJwtAuth,
  exchangeAuthorization,
  fetchToken,
  refreshAuthorization,
  registerClient,
  selectClientAuthMethod,
  startAuthorization,
  type AddClientAuthentication,
  type AuthorizationServerMetadata,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type StoredOAuthClientInformation,
} from "@modelcontextprotocol/client";
import type { JsonObject } from "@toolweave/core";
import type { ClientCredential, TokenCredential } from "@toolweave/core/stores";
import { readToken } from "@toolweave/http";
import type { McpPrivateKey } from "../options/auth-options.ts";
import type { Authority } from "./authority.ts";
import type { GuardedFetch } from "./guarded-fetch.ts";
import { getErrorCode, isUnknownClient, readOAuthErrors } from "./oauth-error.ts";

/** The parts that every request to an authorization server has. */
export interface AuthorityRequest {
  readonly authority: Authority;
  readonly client: ClientCredential;
  readonly privateKey?: McpPrivateKey | undefined;
  readonly fetch: GuardedFetch;
}

/** That the server did not take the grant, or does not know the client. */
export type RefreshRefusal = "grant" | "client";

/**
 * Registers the host (RFC 7591).
 *
 * @throws ToolError `upstream` when the server does not do that, or did not want to.
 */
export async function register(
  authority: Authority,
  metadata: OAuthClientMetadata,
  fetch: GuardedFetch,
  now: number,
): Promise<ClientCredential> {
  const issued = await readOAuthErrors(new URL(authority.url), () =>
    registerClient(authority.url, {
      ...metadataOf(authority),
      clientMetadata: metadata,
      fetchFn: fetch,
    }),
  );
  const { client_id: clientId, client_secret: clientSecret } = issued;
  const ends = issued.client_secret_expires_at;
  const [redirectUri] = metadata.redirect_uris ?? [];
  const scopes = metadata.scope?.split(" ");
  const method = issued.token_endpoint_auth_method ?? metadata.token_endpoint_auth_method;
  return {
    type: "client",
    issuer: authority.issuer,
    clientId,
    ...(clientSecret === undefined ? {} : { clientSecret }),
    ...(method === undefined ? {} : { clientAuthentication: method }),
    ...(redirectUri === undefined ? {} : { redirectUri: String(redirectUri) }),
    ...(scopes === undefined ? {} : { scopes }),
    // Zero: never (RFC 7591 section 3.2.1).
    ...(ends === undefined || ends === 0 ? {} : { expiresAt: Math.max(ends * 1_000, now) }),
  };
}

/** Where a person goes to sign in (always with PKCE), and the verifier. */
export async function authorizationUrl(
  { authority, client }: Pick<AuthorityRequest, "authority" | "client">,
  options: {
    readonly redirectUri: string;
    readonly state: string;
    readonly scopes: readonly string[];
  },
): Promise<{ readonly url: string; readonly verifier: string }> {
  const { redirectUri, state, scopes } = options;
  const { authorizationUrl: url, codeVerifier } = await readOAuthErrors(
    new URL(authority.url),
    () =>
      startAuthorization(authority.url, {
        ...metadataOf(authority),
        ...resourceOf(authority),
        clientInformation: informationOf(client),
        redirectUrl: redirectUri,
        state,
        ...(scopes.length === 0 ? {} : { scope: scopes.join(" ") }),
      }),
  );
  return { url: url.href, verifier: codeVerifier };
}

/** Trades the code of a sign-in for a token. Its `iss` has been checked. */
export function exchangeCode(
  { authority, client, privateKey, fetch }: AuthorityRequest,
  options: {
    readonly code: string;
    readonly verifier: string;
    readonly redirectUri: string;
    readonly scopes: readonly string[];
    readonly now: number;
  },
): Promise<TokenCredential> {
  const { code, verifier, redirectUri, scopes, now } = options;
  const secrets = [code, verifier, client.clientSecret ?? ""];
  return issued(authority, secrets, { askedAt: now, scopes }, () =>
    exchangeAuthorization(authority.url, {
      // The answer's own check has been stricter: it knows whether a bare code is enough.
      ...metadataOf(authority, false),
      ...resourceOf(authority),
      ...proofOf(client, privateKey),
      clientInformation: informationOf(client),
      authorizationCode: code,
      codeVerifier: verifier,
      redirectUri,
      fetchFn: fetch,
    }),
  );
}

/**
 * A new token for an old one.
 *
 * @returns the token, or what was refused.
 */
export async function refreshToken(
  { authority, client, privateKey, fetch }: AuthorityRequest,
  old: TokenCredential & { readonly refreshToken: string },
  now: number,
): Promise<TokenCredential | RefreshRefusal> {
  const secrets = [old.refreshToken, client.clientSecret ?? ""];
  try {
    return await issued(authority, secrets, { askedAt: now, old }, () =>
      refreshAuthorization(authority.url, {
        ...metadataOf(authority),
        ...resourceOf(authority),
        ...proofOf(client, privateKey),
        clientInformation: informationOf(client),
        refreshToken: old.refreshToken,
        fetchFn: fetch,
      }),
    );
  } catch (error) {
    if (getErrorCode(error) === "invalid_grant") return "grant";
    if (isUnknownClient(error)) return "client";
    throw error;
  }
}

/** A token for the host itself (RFC 6749 section 4.4). */
export function clientToken(
  { authority, client, privateKey, fetch }: AuthorityRequest,
  scopes: readonly string[],
  now: number,
): Promise<TokenCredential> {
  const provider = {
    redirectUrl: undefined,
    clientMetadata: { redirect_uris: [] },
    clientInformation: () => informationOf(client),
    prepareTokenRequest: (scope?: string) =>
      new URLSearchParams({
        grant_type: "client_credentials",
        ...(scope === undefined ? {} : { scope }),
      }),
    ...proofOf(client, privateKey),
  } satisfies Partial<OAuthClientProvider>;
  const secrets = [client.clientSecret ?? ""];
  return issued(authority, secrets, { askedAt: now, scopes }, () =>
    fetchToken(provider as unknown as OAuthClientProvider, authority.url, {
      ...metadataOf(authority),
      ...resourceOf(authority),
      ...(scopes.length === 0 ? {} : { scope: scopes.join(" ") }),
      fetchFn: fetch,
    }),
  );
}

function metadataOf(
  { metadata }: Authority,
  checksIssuer = true,
): { readonly metadata?: AuthorizationServerMetadata } {
  if (metadata === undefined) return {};
  const { authorization_response_iss_parameter_supported: _, ...rest } = metadata;
  return { metadata: (checksIssuer ? metadata : rest) as unknown as AuthorizationServerMetadata };
}

function resourceOf({ resource }: Authority): { readonly resource?: string } {
  return resource === undefined ? {} : { resource };
}

function informationOf(client: ClientCredential): StoredOAuthClientInformation {
  const { issuer, clientId, clientSecret, clientAuthentication } = client;
  return {
    client_id: clientId,
    issuer,
    ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
    ...(clientAuthentication === undefined
      ? {}
      : { token_endpoint_auth_method: clientAuthentication }),
  };
}

/** How the client proves who it is. The SDK's own way writes a secret as it is, against RFC 6749 section 2.3.1. */
function proofOf(
  client: ClientCredential,
  privateKey: McpPrivateKey | undefined,
): { readonly addClientAuthentication: AddClientAuthentication } {
  const { clientId, clientSecret, issuer } = client;
  if (privateKey !== undefined) {
    const { key, algorithm } = privateKey;
    return {
      addClientAuthentication: createPrivateKeyJwtAuth({
        issuer: clientId,
        subject: clientId,
        audience: issuer,
        privateKey: key,
        alg: algorithm,
      }),
    };
  }
  return {
    addClientAuthentication(headers, parameters, _url, metadata) {
      const taken = metadata?.token_endpoint_auth_methods_supported ?? [];
      const method = selectClientAuthMethod(informationOf(client), taken);
      if (method === "client_secret_basic" && clientSecret !== undefined) {
        const pair = `${formEncoded(clientId)}:${formEncoded(clientSecret)}`;
        headers.set("authorization", `Basic ${Buffer.from(pair).toString("base64")}`);
        return;
      }
      parameters.set("client_id", clientId);
      if (method !== "none" && clientSecret !== undefined) {
        parameters.set("client_secret", clientSecret);
      }
    },
  };
}

function formEncoded(text: string): string {
  return new URLSearchParams([["", text]]).toString().slice(1);
}

/** Reads what a token endpoint issues, and tells what went wrong without what was sent. */
async function issued(
  authority: Authority,
  secrets: readonly string[],
  expected: {
    readonly askedAt: number;
    readonly scopes?: readonly string[];
    readonly old?: TokenCredential;
  },
  ask: () => Promise<object>,
): Promise<TokenCredential> {
  const url = new URL(authority.url);
  const answer = (await readOAuthErrors(url, ask, secrets)) as JsonObject;
  return readToken(answer, { url, ...expected });
}
