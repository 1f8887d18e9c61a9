import { httpClient } from "@toolweave/http";
import type { CryptoKey, FlattenedJWSInput, JSONWebKeySet, JWSHeaderParameters } from "jose";

/** The key that a token says it is signed with. Rejects when there is none. */
export type KeySource = (
  header: JWSHeaderParameters,
  token: FlattenedJWSInput,
) => Promise<CryptoKey>;

/** The issuer's keys cannot be had: whether a token is valid is not known. */
export class KeysUnavailable extends Error {}

const freshMs = 10 * 60_000;
/** Tokens with made-up key ids must not make us ask the issuer each time. */
const betweenMs = 30_000;
/** How long keys go on to serve when the issuer does not answer. */
const staleMs = 60 * 60_000;

/** The keys at a URL, fetched when needed and kept. */
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
  let askedAt = -Infinity;
  let asking: Promise<void> | undefined;

  const ask = async (): Promise<void> => {
    askedAt = performance.now();
    const { createLocalJWKSet } = await import("jose");
    const response = await http.request({
      method: "GET",
      url,
      headers: { accept: "application/json" },
    });
    if (response.status !== 200) throw new Error(`${origin} answered ${response.status}`);
    keys = createLocalJWKSet(JSON.parse(response.text()) as JSONWebKeySet);
    fetchedAt = performance.now();
  };
  /** Asks once, however many wait for it; too soon after the last time: not at all. */
  const refresh = async (): Promise<void> => {
    if (asking === undefined && performance.now() - askedAt < betweenMs) return;
    asking ??= ask()
      .catch(() => {})
      .finally(() => (asking = undefined));
    await asking;
  };

  return async (header, token) => {
    const age = (): number => performance.now() - fetchedAt;
    if (age() > freshMs) await refresh();
    if (keys === undefined || age() > staleMs) {
      throw new KeysUnavailable("The keys of the issuer cannot be had now.");
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
