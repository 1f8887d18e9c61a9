import { createHash, randomBytes } from "node:crypto";
import { ToolError, type JsonObject } from "@toolweave/core";
import type { TokenCredential } from "@toolweave/core/stores";
import type { AuthorizationServer } from "./authorization-server.ts";
import { callbackCode, type ExpectedCallback } from "./callback-code.ts";
import { checkIdToken } from "./id-token.ts";
import type { AuthorizationStart } from "./oauth-types.ts";

/** Begins the authorization code flow (RFC 6749 section 4.1.1, RFC 7636 section 4.3). */
export async function beginAuthorization(
  server: AuthorizationServer,
  signal: AbortSignal | undefined,
): Promise<AuthorizationStart> {
  const { clientId, redirectUri, scopes, resource } = server.options;
  const url = await server.endpoint("authorizationUrl", signal);
  const issuer = (await server.metadata(signal))?.issuer;
  const verifier = secretText();
  const state = secretText();
  const nonce = scopes?.includes("openid") === true ? secretText() : undefined;
  const parameters = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: scopes === undefined || scopes.length === 0 ? undefined : scopes.join(" "),
    state,
    nonce,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
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
  kept: JsonObject,
  signal: AbortSignal | undefined,
): Promise<TokenCredential> {
  const { verifier, nonce, ...expected } = readStoredState(kept);
  const metadata = await server.metadata(signal);
  if (metadata?.issuer !== expected.issuer) {
    throw new ToolError(
      "auth_required",
      "The sign-in was begun with another authorization server than the one that is used now. A person has to begin again.",
    );
  }
  const code = callbackCode(answer, { ...expected, namesItself: metadata?.namesItself ?? false });
  const { redirectUri } = expected;
  const { token, idToken } = await server.token({
    grant: {
      grant_type: "authorization_code",
      code,
      code_verifier: verifier,
      ...(redirectUri === undefined ? {} : { redirect_uri: redirectUri }),
    },
    secret: ["code", "code_verifier"],
    signal,
  });
  if (nonce !== undefined && idToken !== undefined) {
    const { clientId } = server.options;
    const url = await server.endpoint("tokenUrl", signal);
    checkIdToken(idToken, { url, nonce, clientId, issuer: expected.issuer });
  }
  return token;
}

/** 256 bits, as RFC 7636 section 4.1 recommends for a verifier. */
function secretText(): string {
  return randomBytes(32).toString("base64url");
}

interface StoredAuthorization extends Omit<ExpectedCallback, "namesItself"> {
  readonly verifier: string;
  readonly nonce: string | undefined;
}

function readStoredState(kept: JsonObject): StoredAuthorization {
  const { verifier, state, nonce, redirectUri, issuer } = kept;
  const optional = (value: unknown): value is string | undefined =>
    value === undefined || typeof value === "string";
  const isKept =
    typeof verifier === "string" &&
    typeof state === "string" &&
    optional(nonce) &&
    optional(redirectUri) &&
    optional(issuer);
  if (isKept) return { verifier, state, nonce, redirectUri, issuer };
  throw new ToolError(
    "internal",
    "finishAuthorization: the state is not one that beginAuthorization gave.",
  );
}
