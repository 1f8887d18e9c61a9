import { ToolError } from "../contract/tool-error.ts";

/** Removes a secret again. */
export type Unregister = () => void;

/**
 * Values that must be redacted: credentials and tokens, held by the code that uses them. An executor redacts those of
 * its own set and those of its registry's sources.
 *
 * @example
 * ```ts
 * const secrets = new SecretSet();
 * secrets.add(process.env["API_TOKEN"] ?? "");
 * const executor = new ToolExecutor({ registry, redact: { secrets } });
 * ```
 */
export class SecretSet {
  readonly #values = new Map<string, number>();
  #version = 0;

  constructor(values: Iterable<string> = []) {
    for (const value of values) this.add(value);
  }

  /** Grows by one with every change. */
  get version(): number {
    return this.#version;
  }

  /** How many there are. */
  get size(): number {
    return this.#values.size;
  }

  /**
   * Adds a value; added twice, it has to be removed twice. A value of fewer than 4 characters is not registered: it
   * would be found in every text.
   *
   * @throws ToolError `invalid_configuration` if it is not a string.
   */
  add(value: string): Unregister {
    if (typeof value !== "string") {
      throw new ToolError(
        "invalid_configuration",
        `A secret is ${typeof value}; add a text, if there is one.`,
      );
    }
    if (value.length < 4) return () => {};
    const count = this.#values.get(value) ?? 0;
    this.#values.set(value, count + 1);
    if (count === 0) this.#version += 1;
    let forgotten = false;
    return () => {
      if (forgotten) return;
      forgotten = true;
      const left = (this.#values.get(value) ?? 1) - 1;
      if (left > 0) return void this.#values.set(value, left);
      this.#values.delete(value);
      this.#version += 1;
    };
  }

  /** The values. */
  [Symbol.iterator](): IterableIterator<string> {
    return this.#values.keys();
  }
}

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
