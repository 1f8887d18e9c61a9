export { isObject as isJsonObject } from "@toolweave/core/adapter";

/** A JSON object of unknown content. */
export interface JsonRecord {
  readonly [key: string]: unknown;
}

/** Returns true for a JSON object: neither null nor an array. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns an own member of `record`, never one of its prototype (`constructor`, `__proto__`). */
export function ownValue(record: unknown, key: string): unknown {
  return isRecord(record) && Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Returns a member of `record` if it is a string. */
export function ownString(record: unknown, key: string): string | undefined {
  const value = ownValue(record, key);
  return typeof value === "string" ? value : undefined;
}

/** Returns a member that has to be a text; the text of a number or a boolean that an author wrote instead. */
export function ownText(record: unknown, key: string): string | undefined {
  const value = ownValue(record, key);
  return typeof value === "string" ? value : toText(value);
}

/** Returns a text; that of a number or a boolean; undefined for all other values. */
export function toText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

/** Returns the `$ref` of an object if it is a string. No prototype has a `$ref`. */
export function getReference(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined;
  const reference = value["$ref"];
  return typeof reference === "string" ? reference : undefined;
}

/** Sets an own member, even if it is called `__proto__`. */
export function setOwn(record: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(record, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  } else {
    record[key] = value;
  }
}

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
