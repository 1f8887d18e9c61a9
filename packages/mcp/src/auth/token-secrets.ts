import type { Unregister, SecretSet } from "@toolweave/core";
import { isDistinctive } from "../options/argument-secrets.ts";

/** So many tokens and codes are known, the latest: they are renewed without end. */
const mostKnown = 100;

/** Secrets that come and go while a source lives: they come out of no executor. */
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
    if (this.#known.size <= mostKnown) return;
    const [[oldest, forgetOldest] = []] = this.#known;
    if (oldest !== undefined) this.#known.delete(oldest);
    forgetOldest?.();
  }
}
