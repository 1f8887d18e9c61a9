import type { JsonObject } from "@toolweave/core";

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

/** Returns true for a JSON object: neither null nor a list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
