import { ToolError, type Caller, type JsonObject } from "@toolweave/core";
import { checkOptions } from "@toolweave/core/adapter";
import type {
  JSONWebKeySet,
  JWTPayload,
  CryptoKey,
  FlattenedJWSInput,
  JWSHeaderParameters,
} from "jose";
import { getBearerToken } from "./http-callers.ts";
import type { Authenticate, CallerRefusal, ProtectedResource } from "./http-options.ts";
import { httpClient, type HttpClient } from "@toolweave/http";

/** Rules for accepted tokens. */
export interface JwtOptions {
  /** Issuer of the tokens: the exact value of the claim `iss`. */
  readonly issuer: string;
  /** Required value of the claim `aud`: the gateway's own URL, as in RFC 8707. */
  readonly audience: string | readonly string[];
  /**
   * Keys of the issuer: the URL of its key set (`https://id.example.com/jwks.json`), or the set itself. Default: the key set
   * that the metadata of the issuer names (OpenID Connect Discovery 1.0, RFC 8414).
   */
  readonly jwks?: string | URL | JSONWebKeySet;
  /** Scopes that every token must have (`scope` or `scp`). Default: none. */
  readonly scopes?: readonly string[];
  /**
   * Signature algorithms. Default: RS256, PS256, ES256, ES384, ES512 and EdDSA. Algorithms with a shared secret are
   * never accepted.
   */
  readonly algorithms?: readonly string[];
  /**
   * Converts the claims of a valid token to a caller. Default: `sub` as `id`, the strings of `roles` as roles,
   * `client_id` or `azp` as agent. `undefined`: the token is rejected.
   */
  callerOf?(claims: JsonObject): Caller | undefined;
}

/** Options for `listenHttp`: spread it into them. */
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

const defaultAlgorithms = ["RS256", "PS256", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"];

/** Tolerance in seconds between the clocks of issuer and gateway. */
const clockTolerance = 30;

/** Maximum length of a token: longer ones are not decoded. */
const maxTokenLength = 16_384;

/**
 * Authenticates callers by tokens of an authorization server: signed JWTs (RFC 9068), whose signature, issuer,
 * audience, time and scopes are checked. A key set is fetched through the guarded client, cached for ten minutes, and
 * fetched again for an unknown key, at most every thirty seconds.
 *
 * @throws ToolError `invalid_configuration` when an option is invalid.
 * @example
 * ```ts
 * const publicUrl = "https://tools.example.com/mcp";
 * const callers = jwtCallers({ issuer, audience: publicUrl, jwks: `${issuer}/jwks.json`, scopes: ["tools"] });
 * await listenHttp(gateway, { host: "0.0.0.0", port: 8137, publicUrl, ...callers });
 * ```
 */
export function jwtCallers(options: JwtOptions): JwtCallers {
  checkOptions("jwtCallers", options, known);
  const { issuer, audience, jwks, scopes = [], algorithms = defaultAlgorithms } = options;
  const audiences = [audience].flat() as string[];
  if (typeof issuer !== "string" || issuer === "")
    throw invalidOption("issuer must name the issuer of the tokens");
  if (audiences.length === 0 || audiences.some((one) => typeof one !== "string" || one === "")) {
    throw invalidOption(
      "audience must name the recipient of the tokens: without it, tokens for any other service would be accepted",
    );
  }
  if (jwks === undefined && !isWebAddress(issuer)) {
    throw invalidOption("jwks is missing, and issuer is no URL whose metadata could name the keys");
  }
  if (jwks !== undefined && !isKeySource(jwks)) {
    throw invalidOption(
      "jwks takes the URL of a key set, such as https://id.example.com/jwks.json, or the set itself: { keys: […] }",
    );
  }
  const invalidAlgorithm = algorithms.find(
    (algorithm) => !/^(?:RS|PS|ES)\d{3}$|^Ed(?:DSA|25519)$/.test(algorithm),
  );
  if (invalidAlgorithm !== undefined || algorithms.length === 0) {
    throw invalidOption(
      `algorithms takes asymmetric algorithms such as "RS256", not "${invalidAlgorithm ?? ""}"`,
    );
  }
  let keys: KeySource | undefined =
    typeof jwks === "string" || jwks instanceof URL
      ? fetchedKeys(jwks, async () => jwks)
      : jwks === undefined
        ? fetchedKeys(issuer, (http) => discoverKeys(http, issuer))
        : undefined;
  const { callerOf = defaultCaller } = options;
  const authenticate: Authenticate = async (request) => {
    const token = getBearerToken(request);
    if (token === undefined) return undefined;
    if (token.length > maxTokenLength) return invalidToken("The token is too long.");
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
      return invalidToken(getReason(error));
    }
    const missing = scopes.filter((scope) => !getScopes(claims).includes(scope));
    if (missing.length > 0) {
      return { refused: "insufficient_scope", reason: `The token lacks: ${missing.join(" ")}.` };
    }
    return (
      callerOf(claims as JsonObject) ?? invalidToken("The subject of the token is not permitted.")
    );
  };
  const protectedResource = {
    authorizationServers: [issuer],
    ...(scopes.length > 0 ? { scopes } : {}),
  };
  return { authenticate, protectedResource };
}

function isWebAddress(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? "");
}

function isKeySource(jwks: unknown): boolean {
  if (typeof jwks === "string") return isWebAddress(jwks);
  if (jwks instanceof URL) return /^https?:$/.test(jwks.protocol);
  return Array.isArray((jwks as Partial<JSONWebKeySet> | null | undefined)?.keys);
}

/** The caller by the usual claims. */
export function defaultCaller({
  sub,
  roles,
  client_id: client,
  azp,
}: JsonObject): Caller | undefined {
  if (typeof sub !== "string" || sub === "") return undefined;
  const agent = client ?? azp;
  return {
    id: sub,
    ...(Array.isArray(roles) && roles.every((role) => typeof role === "string") ? { roles } : {}),
    ...(typeof agent === "string" ? { agent } : {}),
  };
}

/** RFC 9068 uses one string with spaces; others use a list. */
function getScopes({ scope, scp }: JWTPayload): readonly unknown[] {
  const value = scope ?? scp;
  return typeof value === "string" ? value.split(" ") : Array.isArray(value) ? value : [];
}

function invalidToken(reason: string): CallerRefusal {
  return { refused: "invalid_token", reason };
}

/** Returns a reason that a client can act on, without any part of the token. */
function getReason(error: unknown): string {
  const { code, claim } = error as { readonly code?: unknown; readonly claim?: unknown };
  if (code === "ERR_JWT_EXPIRED") return "The token has expired.";
  if (code === "ERR_JWT_CLAIM_VALIDATION_FAILED")
    return `The claim ${String(claim)} of the token is not accepted.`;
  if (code === "ERR_JWKS_NO_MATCHING_KEY")
    return "The token is not signed with a key of the issuer.";
  return "The token is not valid.";
}

function invalidOption(fault: string): ToolError {
  return new ToolError("invalid_configuration", `jwtCallers: ${fault}.`);
}

/** Returns the key that a token names as its signing key. Rejects when there is none. */
type KeySource = (header: JWSHeaderParameters, token: FlattenedJWSInput) => Promise<CryptoKey>;

/** The keys of the issuer are not available: the token cannot be checked. */
class KeysUnavailable extends Error {}

const freshMs = 10 * 60_000;
/** Minimum interval of fetches: tokens with invented key ids must not cause a fetch each. */
const minIntervalMs = 30_000;
/** Milliseconds that cached keys are used while the issuer is not available. */
const staleMs = 60 * 60_000;

/**
 * Finds the URL of an issuer's key set in its metadata.
 *
 * @see https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderConfig
 * @see https://www.rfc-editor.org/rfc/rfc8414#section-3.1
 */
async function discoverKeys(http: HttpClient, issuer: string): Promise<string> {
  const url = new URL(issuer);
  const path = url.pathname.replace(/\/$/, "");
  for (const place of [
    `${path}/.well-known/openid-configuration`,
    `/.well-known/oauth-authorization-server${path}`,
  ]) {
    const response = await http.request(toRequest(new URL(place, url)));
    if (response.status !== 200) continue;
    const metadata = JSON.parse(response.text()) as Readonly<Record<string, unknown>>;
    const { issuer: named, jwks_uri: keys } = metadata;
    // Metadata of another issuer could name keys of its own.
    if (named === issuer && typeof keys === "string" && isWebAddress(keys)) return keys;
  }
  throw new Error(`${url.origin} names no keys`);
}

function toRequest(url: string | URL): Parameters<HttpClient["request"]>[0] {
  return { method: "GET", url, headers: { accept: "application/json" } };
}

/**
 * Fetches keys when they are needed, and caches them.
 *
 * @param given a URL of the host's, whose origin may be private.
 * @param findUrl the URL of the key set.
 */
function fetchedKeys(
  given: string | URL,
  findUrl: (http: HttpClient) => Promise<string | URL>,
): KeySource {
  const { origin } = new URL(given);
  const http = httpClient({
    givenOrigins: [origin],
    timeoutMs: 10_000,
    maxBytes: 1024 * 1024,
    maxRedirects: 0,
  });
  let keys: KeySource | undefined;
  let fetchedAt = -Infinity;
  let attemptedAt = -Infinity;
  let fetching: Promise<void> | undefined;

  const fetchKeys = async (): Promise<void> => {
    attemptedAt = performance.now();
    const { createLocalJWKSet } = await import("jose");
    const response = await http.request(toRequest(await findUrl(http)));
    if (response.status !== 200)
      throw new Error(`${origin} responded with the status ${response.status}`);
    keys = createLocalJWKSet(JSON.parse(response.text()) as JSONWebKeySet);
    fetchedAt = performance.now();
  };
  /** Fetches once for all concurrent callers, and not at all within the minimum interval. */
  const refresh = async (): Promise<void> => {
    if (fetching === undefined && performance.now() - attemptedAt < minIntervalMs) return;
    fetching ??= fetchKeys()
      .catch(() => {})
      .finally(() => (fetching = undefined));
    await fetching;
  };

  return async (header, token) => {
    const age = (): number => performance.now() - fetchedAt;
    if (age() > freshMs) await refresh();
    if (keys === undefined || age() > staleMs) {
      throw new KeysUnavailable("The keys of the issuer are not available.");
    }
    try {
      return await keys(header, token);
    } catch (error) {
      const before = keys;
      if ((error as { code?: unknown }).code === "ERR_JWKS_NO_MATCHING_KEY") await refresh();
      if (keys === before) throw error;
      return await keys(header, token);
    }
  };
}
