import { invalidResponse } from "./post-form.ts";

/** The claims that an ID token must have. */
export interface ExpectedIdToken {
  /** The endpoint that gave it. */
  readonly url: URL;
  readonly nonce: string;
  readonly clientId: string;
  readonly issuer: string | undefined;
}

/**
 * Checks that an ID token belongs to this sign-in (OpenID Connect Core section 3.1.3.7). It came from the token endpoint
 * itself, so that its signature says nothing that the connection does not.
 *
 * @throws ToolError `upstream` when it does not.
 */
export function checkIdToken(idToken: unknown, expected: ExpectedIdToken): void {
  const { url, nonce, clientId, issuer } = expected;
  const claims = readClaims(idToken);
  const audience = claims?.["aud"];
  const isMeant =
    claims?.["nonce"] === nonce &&
    (audience === clientId || (Array.isArray(audience) && audience.includes(clientId))) &&
    (issuer === undefined || claims["iss"] === issuer);
  if (!isMeant) {
    throw invalidResponse(url, 200, "issued an ID token that does not belong to this sign-in");
  }
}

function readClaims(idToken: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof idToken !== "string") return undefined;
  try {
    const claims: unknown = JSON.parse(
      Buffer.from(idToken.split(".")[1] ?? "", "base64url").toString(),
    );
    return typeof claims === "object" && claims !== null
      ? (claims as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}
