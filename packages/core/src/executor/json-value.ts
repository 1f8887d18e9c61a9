import type { JsonValue } from "../spec/json.ts";

const maxDepth = 200;

/**
 * Makes JSON of what is not: plain data passes as it is; a bigint becomes its digits, a date its ISO
 * text, a map an object, a set an array, bytes base64, `NaN` and the infinities `null`; what an
 * object holds of functions and symbols goes; a cycle becomes `"[circular]"`.
 */
export function jsonValue(value: unknown): JsonValue {
  return isPlain(value, 0) ? (value as JsonValue) : convert(value, []);
}

function isPlain(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return Number.isFinite(value);
    case "object": {
      if (value === null) return true;
      if (depth > maxDepth) return false;
      if (Array.isArray(value)) {
        for (let index = 0; index < value.length; index++) {
          if (!isPlain(value[index], depth + 1)) return false;
        }
        return true;
      }
      const prototype: unknown = Object.getPrototypeOf(value);
      if (prototype !== Object.prototype && prototype !== null) return false;
      for (const key in value) {
        if (!isPlain((value as Record<string, unknown>)[key], depth + 1)) return false;
      }
      return true;
    }
    default:
      return false;
  }
}

function convert(value: unknown, parents: readonly object[]): JsonValue {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) ? value : null;
    case "bigint":
      return value.toString();
    case "object":
      return value === null ? null : convertObject(value, parents);
    default:
      return null;
  }
}

function convertObject(value: object, parents: readonly object[]): JsonValue {
  if (parents.includes(value)) return "[circular]";
  if (parents.length >= maxDepth) return "[too deep]";
  const within = [...parents, value];
  if (Array.isArray(value)) return Array.from(value, (item) => convert(item, within));
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof Uint8Array) return base64(value);
  if (value instanceof Set) return Array.from(value, (item) => convert(item, within));
  if (value instanceof RegExp) return String(value);
  if (value instanceof Error) return { name: value.name, message: value.message };
  const entries: Iterable<readonly [unknown, unknown]> =
    value instanceof Map ? value.entries() : Object.entries(toJson(value));
  const result: Record<string, JsonValue> = {};
  for (const [key, member] of entries) {
    const kind = typeof member;
    if (kind === "undefined" || kind === "function" || kind === "symbol") continue;
    Object.defineProperty(result, String(key), {
      value: convert(member, within),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return result;
}

function toJson(value: object): object {
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON !== "function") return value;
  const json: unknown = toJSON.call(value);
  return typeof json === "object" && json !== null ? json : { value: json };
}

function base64(bytes: Uint8Array): string {
  let binary = "";
  for (let index = 0; index < bytes.length; index += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(index, index + 0x8000));
  }
  return btoa(binary);
}
