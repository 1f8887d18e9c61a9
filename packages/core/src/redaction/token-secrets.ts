import type { SecretSet, Unregister } from "./secret-set.ts";

/** Maximum number of renewed secrets that are redacted, the latest ones: they are renewed without end. */
const maxRenewed = 100;

/** Secrets that are renewed while their source is open: tokens, codes, values from functions. They are redacted. */
export class TokenSecrets {
  readonly #set: SecretSet;
  /** By value, the most recently used last. */
  readonly #renewed = new Map<string, Unregister>();

  /** @param set Set to which the secrets are added, and from which the oldest are removed. */
  constructor(set: SecretSet) {
    this.#set = set;
  }

  /** Adds a secret that is distinctive. */
  add(value: string | undefined): void {
    if (!isDistinctive(value)) return;
    const forget = this.#renewed.get(value) ?? this.#set.add(value);
    this.#renewed.delete(value);
    this.#renewed.set(value, forget);
    if (this.#renewed.size <= maxRenewed) return;
    const [[oldest, forgetOldest] = []] = this.#renewed;
    if (oldest !== undefined) this.#renewed.delete(oldest);
    forgetOldest?.();
  }
}

/**
 * Returns false for a short plain word, such as the password "password": it occurs in results without being the secret.
 */
export function isDistinctive(secret: unknown): secret is string {
  if (typeof secret !== "string") return false;
  return secret.length >= 16 || (secret.length >= 6 && !/^[A-Za-z]*$/.test(secret));
}
