import type { JsonObject } from "@toolweave/core";
import type { TokenCredential } from "@toolweave/core/stores";
import { invalidResponse } from "./refusal-error.ts";

/** Describes the token that a response is expected to hold. */
export interface ExpectedToken {
  /** The endpoint that gave the answer. */
  readonly url: URL;
  /** Time of the request, in milliseconds since the epoch. */
  readonly askedAt: number;
  /** The token that is replaced; fields that the response omits are taken from it. */
  readonly old?: TokenCredential;
  readonly scopes?: readonly string[] | undefined;
}

const leewayMs = 30_000;
/** Characters of a grant; what is longer cannot be asked for again. */
const maxScopeLength = 10_000;

/**
 * The token in a server's answer (RFC 6749 section 5.1). It counts as expired 30 seconds before its server says so,
 * since it has to reach the API in time; a short-lived one after half its life.
 *
 * @throws ToolError `upstream` for an answer without a bearer token (RFC 6750).
 */
export function readToken(issued: JsonObject, expected: ExpectedToken): TokenCredential {
  const { url, askedAt, old } = expected;
  const { access_token: accessToken, token_type: type, refresh_token: refreshToken } = issued;
  if (!isSecret(accessToken)) {
    throw invalidResponse(url, 200, "answered without an access token that can be sent");
  }
  if (typeof type !== "string" || type.toLowerCase() !== "bearer") {
    throw invalidResponse(url, 200, "issued a token that is not a bearer token");
  }
  if (refreshToken !== undefined && refreshToken !== null && !isSecret(refreshToken)) {
    throw invalidResponse(url, 200, "issued a refresh token that cannot be sent");
  }
  const lifeMs = lifetimeMs(issued["expires_in"]);
  const renewal = refreshToken ?? old?.refreshToken;
  const scopes = grantedScopes(issued["scope"]) ?? old?.scopes ?? expected.scopes;
  return {
    type: "token",
    accessToken,
    ...(lifeMs === undefined
      ? {}
      : { expiresAt: askedAt + lifeMs - Math.min(leewayMs, lifeMs / 2) }),
    ...(renewal === undefined ? {} : { refreshToken: renewal }),
    ...(scopes === undefined ? {} : { scopes }),
  };
}

/** RFC 6749 appendix A.12: what it consists of can stand in a header. */
function isSecret(value: unknown): value is string {
  return typeof value === "string" && /^[!-~]{1,100000}$/.test(value);
}

/** Some servers write the number as a text, and 0 for a token that never expires; one that had expired would be none. */
function lifetimeMs(seconds: unknown): number | undefined {
  const number =
    typeof seconds === "string" && /^\d{1,15}$/.test(seconds) ? Number(seconds) : seconds;
  if (typeof number !== "number" || !(number > 0)) return undefined;
  // A century is as good as for ever, and stays a date.
  return Math.min(number, 3_155_760_000) * 1000;
}

function grantedScopes(scope: unknown): readonly string[] | undefined {
  if (typeof scope !== "string" || scope.length > maxScopeLength) return undefined;
  return scope.split(" ").filter((name) => name !== "");
}
