import { httpClient } from "@toolweave/http";
import type { CryptoKey, FlattenedJWSInput, JSONWebKeySet, JWSHeaderParameters } from "jose";

/** Returns the key that a token names as its signing key. Rejects when there is none. */
export type KeySource = (
  header: JWSHeaderParameters,
  token: FlattenedJWSInput,
) => Promise<CryptoKey>;

/** The keys of the issuer are not available: the token cannot be checked. */
export class KeysUnavailable extends Error {}

const freshMs = 10 * 60_000;
/** Minimum interval of fetches: tokens with invented key ids must not cause a fetch each. */
const minIntervalMs = 30_000;
/** Milliseconds that cached keys are used while the issuer is not available. */
const staleMs = 60 * 60_000;

/** Fetches the keys at a URL when they are needed, and caches them. */
export function fetchedKeys(url: string | URL): KeySource {
  const { origin } = new URL(url);
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
    const response = await http.request({
      method: "GET",
      url,
      headers: { accept: "application/json" },
    });
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
