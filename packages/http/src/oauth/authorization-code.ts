import { ToolError, type JsonObject } from "@toolweave/core";
import type { TokenCredential } from "@toolweave/core/stores";
import * as oauth from "oauth4webapi";
import type { AuthorizationServer } from "./authorization-server.ts";
import { callbackCode, type ExpectedCallback } from "./callback-code.ts";
import type { AuthorizationStart } from "./oauth-types.ts";

/** Begins the authorization code flow (RFC 6749 section 4.1.1, RFC 7636 section 4.3). */
export async function beginAuthorization(
  server: AuthorizationServer,
  signal: AbortSignal | undefined,
): Promise<AuthorizationStart> {
  const { clientId, redirectUri, scopes, resource } = server.options;
  const { openId = scopes?.includes("openid") === true } = server.options;
  const url = await server.endpoint("authorizationUrl", signal);
  const issuer = (await server.metadata(signal))?.issuer;
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const nonce = openId ? oauth.generateRandomNonce() : undefined;
  const parameters = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: server.scope,
    state,
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    resource,
  };
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return {
    url: url.href,
    state: {
      verifier,
      state,
      ...(nonce === undefined ? {} : { nonce }),
      ...(redirectUri === undefined ? {} : { redirectUri }),
      ...(issuer === undefined ? {} : { issuer }),
    },
  };
}

/** Ends it: checks what came back, and trades the code for a token (RFC 6749 section 4.1.3). */
export async function finishAuthorization(
  server: AuthorizationServer,
  answer: string,
  stored: JsonObject,
  signal: AbortSignal | undefined,
): Promise<TokenCredential> {
  const { verifier, nonce, ...expected } = readStoredState(stored);
  const metadata = await server.metadata(signal);
  if (metadata?.issuer !== expected.issuer) {
    throw new ToolError(
      "auth_required",
      "The sign-in was begun with another authorization server than the one that is used now. A person has to begin again.",
    );
  }
  const namesItself = metadata?.authorization_response_iss_parameter_supported === true;
  const code = callbackCode(answer, { ...expected, namesItself });
  const parameters = { code, code_verifier: verifier, redirect_uri: expected.redirectUri };
  return server.token({ grantType: "authorization_code", parameters, nonce }, signal);
}

interface StoredAuthorization extends Omit<ExpectedCallback, "namesItself"> {
  readonly verifier: string;
  readonly nonce: string | undefined;
}

function readStoredState(stored: JsonObject): StoredAuthorization {
  const { verifier, state, nonce, redirectUri, issuer } = stored;
  const optional = (value: unknown): value is string | undefined =>
    value === undefined || typeof value === "string";
  const isStored =
    typeof verifier === "string" &&
    typeof state === "string" &&
    optional(nonce) &&
    optional(redirectUri) &&
    optional(issuer);
  if (isStored) return { verifier, state, nonce, redirectUri, issuer };
  throw new ToolError(
    "internal",
    "finishAuthorization: the state is not one that beginAuthorization gave.",
  );
}
