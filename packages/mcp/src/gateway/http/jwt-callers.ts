import { checkOptions, ToolError, type Caller, type JsonObject } from "@toolweave/core";
import type { JSONWebKeySet, JWTPayload } from "jose";
import { getBearerToken } from "./http-callers.ts";
import type { Authenticate, CallerRefusal, ProtectedResource } from "./http-options.ts";
import { fetchedKeys, KeysUnavailable, type KeySource } from "./jwt-keys.ts";

/** Which tokens are believed. */
export interface JwtOptions {
  /** Who signs them: the claim `iss`, exactly. */
  readonly issuer: string;
  /** What the claim `aud` has to hold: the gateway's own URL, as RFC 8707 wants it. Never leave that to chance. */
  readonly audience: string | readonly string[];
  /** The issuer's keys: the URL of its key set (`https://id.example.com/jwks.json`), or the set itself. */
  readonly jwks: string | URL | JSONWebKeySet;
  /** Scopes that every token needs (`scope` or `scp`). Default: none. */
  readonly scopes?: readonly string[];
  /** Signature algorithms. Default: RS256, PS256, ES256, ES384, ES512 and EdDSA. Those with a shared secret are never taken. */
  readonly algorithms?: readonly string[];
  /**
   * Whom the claims of a valid token name. Default: `sub` as `id`, the texts of `roles` as roles, `client_id` or `azp` as
   * agent. `undefined`: nobody who may call.
   */
  callerOf?(claims: JsonObject): Caller | undefined;
}

/** What `listenHttp` takes of it: spread it into its options. */
export interface JwtCallers {
  readonly authenticate: Authenticate;
  readonly protectedResource: ProtectedResource;
}

const known: readonly string[] = [
  "issuer",
  "audience",
  "jwks",
  "scopes",
  "algorithms",
  "callerOf",
] satisfies readonly (keyof JwtOptions)[];

const usualAlgorithms = ["RS256", "PS256", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"];

/** Seconds that the clocks of issuer and gateway may differ by. */
const clockTolerance = 30;

/** Longer than any real one: nothing is decoded of more. */
const mostCharacters = 16_384;

/**
 * Callers with tokens of an authorization server: signed JWTs (RFC 9068), checked for signature, issuer, audience, time
 * and scopes. A key set is fetched through the guarded client, kept for ten minutes, and fetched again for a key that it
 * does not have, at most every thirty seconds.
 *
 * @throws ToolError `internal` when an option cannot be meant.
 * @example
 * ```ts
 * const publicUrl = "https://tools.example.com/mcp";
 * const callers = jwtCallers({ issuer, audience: publicUrl, jwks: `${issuer}/jwks.json`, scopes: ["tools"] });
 * await listenHttp(gateway, { host: "0.0.0.0", port: 8137, publicUrl, ...callers });
 * ```
 */
export function jwtCallers(options: JwtOptions): JwtCallers {
  checkOptions("jwtCallers", options, known);
  const { issuer, audience, jwks, scopes = [], algorithms = usualAlgorithms } = options;
  const audiences = [audience].flat() as string[];
  if (typeof issuer !== "string" || issuer === "") throw misuse("issuer says who signs the tokens");
  if (audiences.length === 0 || audiences.some((one) => typeof one !== "string" || one === "")) {
    throw misuse(
      "audience says whom the tokens are for: without it, those for any other service would do",
    );
  }
  const odd = algorithms.find(
    (algorithm) => !/^(?:RS|PS|ES)\d{3}$|^Ed(?:DSA|25519)$/.test(algorithm),
  );
  if (odd !== undefined || algorithms.length === 0) {
    throw misuse(`algorithms takes asymmetric ones, such as "RS256", not "${odd ?? ""}"`);
  }
  let keys: KeySource | undefined =
    typeof jwks === "string" || jwks instanceof URL ? fetchedKeys(jwks) : undefined;
  const { callerOf = usualCaller } = options;
  const authenticate: Authenticate = async (request) => {
    const token = getBearerToken(request);
    if (token === undefined) return undefined;
    if (token.length > mostCharacters) return invalid("The token is too long.");
    const { createLocalJWKSet, jwtVerify } = await import("jose");
    keys ??= createLocalJWKSet(jwks as JSONWebKeySet);
    let claims: JWTPayload;
    try {
      const rules = { issuer, audience: audiences, algorithms: [...algorithms], clockTolerance };
      const requiredClaims = ["exp", "iss", "aud"];
      claims = (await jwtVerify(token, keys, { ...rules, requiredClaims })).payload;
    } catch (error) {
      if (error instanceof KeysUnavailable)
        return { refused: "unavailable", reason: error.message };
      return invalid(reasonOf(error));
    }
    const missing = scopes.filter((scope) => !scopesOf(claims).includes(scope));
    if (missing.length > 0) {
      return { refused: "insufficient_scope", reason: `The token lacks: ${missing.join(" ")}.` };
    }
    return callerOf(claims as JsonObject) ?? invalid("The token names nobody who may call.");
  };
  const protectedResource = {
    authorizationServers: [issuer],
    ...(scopes.length > 0 ? { scopes } : {}),
  };
  return { authenticate, protectedResource };
}

function usualCaller({ sub, roles, client_id: client, azp }: JsonObject): Caller | undefined {
  if (typeof sub !== "string" || sub === "") return undefined;
  const agent = client ?? azp;
  return {
    id: sub,
    ...(Array.isArray(roles) && roles.every((role) => typeof role === "string") ? { roles } : {}),
    ...(typeof agent === "string" ? { agent } : {}),
  };
}

/** RFC 9068 has one text with spaces; others have a list. */
function scopesOf({ scope, scp }: JWTPayload): readonly unknown[] {
  const given = scope ?? scp;
  return typeof given === "string" ? given.split(" ") : Array.isArray(given) ? given : [];
}

function invalid(reason: string): CallerRefusal {
  return { refused: "invalid_token", reason };
}

/** What a client can do something about; never what stands in the token. */
function reasonOf(error: unknown): string {
  const { code, claim } = error as { readonly code?: unknown; readonly claim?: unknown };
  if (code === "ERR_JWT_EXPIRED") return "The token has expired.";
  if (code === "ERR_JWT_CLAIM_VALIDATION_FAILED")
    return `The token's ${String(claim)} does not fit.`;
  if (code === "ERR_JWKS_NO_MATCHING_KEY") return "The token is signed with no key of the issuer.";
  return "The token is not valid.";
}

function misuse(what: string): ToolError {
  return new ToolError("internal", `jwtCallers: ${what}.`);
}
