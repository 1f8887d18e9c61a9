import { ToolError } from "../contract/tool-error.ts";

/** Removes a secret again. */
export type Unregister = () => void;

/**
 * Values that must be redacted: credentials and tokens, held by the code that uses them. An executor redacts those of
 * its own set and those of its registry's sources.
 *
 * @example
 * ```js
 * const secrets = new SecretSet();
 * secrets.add(process.env.API_TOKEN);
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
   * @throws ToolError `internal` if it is not a string.
   */
  add(value: string): Unregister {
    if (typeof value !== "string") {
      throw new ToolError("internal", `A secret is ${typeof value}; add a text, if there is one.`);
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
