import type { TokenCredential } from "@toolweave/core/stores";

const maxTokens = 1_000;

/**
 * Remembers which token has replaced which. A caller with an old token gets the new one: to send the old refresh token once
 * more could end the whole sign-in (RFC 9700 section 4.14.2).
 */
export class RenewedTokens {
  readonly #successors = new Map<string, TokenCredential>();

  /** The token that has taken the place of `token` by now; itself when none has. */
  latest(token: TokenCredential): TokenCredential {
    let latest = token;
    for (;;) {
      const next = this.#successors.get(tokenKey(latest));
      if (next === undefined) return latest;
      latest = next;
    }
  }

  replaced(old: TokenCredential, token: TokenCredential): void {
    const name = tokenKey(old);
    // A server that issues the same again has replaced nothing, and would lead `latest` in a circle.
    if (tokenKey(this.latest(token)) === name) return;
    this.#successors.delete(name);
    this.#successors.set(name, token);
    const [oldest] = this.#successors.keys();
    if (this.#successors.size > maxTokens && oldest !== undefined) this.#successors.delete(oldest);
  }
}

/** A key that identifies a token. */
export function tokenKey({ accessToken, refreshToken }: TokenCredential): string {
  return JSON.stringify([accessToken, refreshToken]);
}
