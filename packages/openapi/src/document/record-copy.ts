import { setOwn } from "./record.ts";
import type { JsonRecord } from "./record.ts";

/**
 * A copy-on-write copy of an object. If only values change, the object is cloned as a whole, which the engine does
 * without reading its keys; once a key is omitted, it is rebuilt.
 */
export class RecordCopy {
  /** Undefined while everything is as in the original. */
  result: Record<string, unknown> | undefined;
  readonly #original: JsonRecord;
  #hasGaps = false;

  constructor(original: JsonRecord) {
    this.#original = original;
  }

  /**
   * Takes the next key, in the order of the original.
   *
   * @param value undefined omits the key.
   */
  set(key: string, value: unknown): void {
    if (value === undefined) {
      if (!this.#hasGaps) this.#leaveOutFrom(key);
    } else if (this.#hasGaps) {
      setOwn(this.result as Record<string, unknown>, key, value);
    } else if (value !== this.#original[key]) {
      this.result ??= { ...this.#original };
      setOwn(this.result, key, value);
    }
  }

  #leaveOutFrom(end: string): void {
    const source = this.result ?? this.#original;
    this.result = {};
    this.#hasGaps = true;
    for (const key in source) {
      if (key === end) return;
      setOwn(this.result, key, source[key]);
    }
  }
}
