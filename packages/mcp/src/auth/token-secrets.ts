import type { Unregister, SecretSet } from "@toolweave/core/adapter";
import { isDistinctive } from "../options/server-secrets.ts";

/** Number of latest tokens and codes that are redacted: they are renewed without end. */
const maxKnown = 100;

/** Secrets of a source that change while it is open. They are redacted. */
export class TokenSecrets {
  readonly #set: SecretSet;
  /** By value, the latest last. */
  readonly #known = new Map<string, Unregister>();

  constructor(set: SecretSet) {
    this.#set = set;
  }

  add(value: string | undefined): void {
    if (value === undefined || !isDistinctive(value)) return;
    const forget = this.#known.get(value) ?? this.#set.add(value);
    this.#known.delete(value);
    this.#known.set(value, forget);
    if (this.#known.size <= maxKnown) return;
    const [[oldest, forgetOldest] = []] = this.#known;
    if (oldest !== undefined) this.#known.delete(oldest);
    forgetOldest?.();
  }
}
