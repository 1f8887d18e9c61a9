import type { JsonObject, JsonValue } from "../spec/json.ts";

const maxDepth = 200;

/**
 * Makes JSON of what is not: plain data passes as it is; a bigint becomes its digits, a date its ISO
 * text, a map an object, a set an array, bytes base64, `NaN` and the infinities `null`; an object
 * with `toJSON` what that gives; what an object holds of functions and symbols goes; a cycle becomes
 * `"[circular]"`, what throws when it is read `"[unreadable]"`. Never throws.
 */
export function jsonValue(value: unknown): JsonValue {
  return isReadablyPlain(value) ? (value as JsonValue) : convert(value, []);
}

function isReadablyPlain(value: unknown): boolean {
  try {
    return isPlain(value, 0);
  } catch {
    return false;
  }
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
      return value === null ? null : readObject(value, parents);
    default:
      return null;
  }
}

function readObject(value: object, parents: readonly object[]): JsonValue {
  try {
    return convertObject(value, parents);
  } catch {
    return "[unreadable]";
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
  if (value instanceof Error) return { name: String(value.name), message: String(value.message) };
  if (value instanceof Map) return members(value.keys(), (key) => value.get(key), within);
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === "function") {
    const json: unknown = toJSON.call(value);
    if (json !== value) return convert(json, within);
  }
  return members(Object.keys(value), (key) => (value as Record<string, unknown>)[key], within);
}

function members<Key>(
  keys: Iterable<Key>,
  read: (key: Key) => unknown,
  within: readonly object[],
): JsonObject {
  const result: Record<string, JsonValue> = {};
  for (const key of keys) {
    let member: unknown;
    try {
      member = read(key);
    } catch {
      member = "[unreadable]";
    }
    const kind = typeof member;
    if (kind === "undefined" || kind === "function" || kind === "symbol") continue;
    // Plain assignment of `__proto__` would set the prototype instead.
    Object.defineProperty(result, String(key), {
      value: convert(member, within),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return result;
}

function base64(bytes: Uint8Array): string {
  let binary = "";
  for (let index = 0; index < bytes.length; index += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(index, index + 0x8000));
  }
  return btoa(binary);
}
