import type { JsonObject, JsonValue } from "@toolweave/core";
import type { HostValue } from "@toolweave/starlark";
import { reject } from "./fault.ts";

const maxDepth = 100;

/**
 * A value of a script as JSON. Ints beyond 2^53 are rounded.
 *
 * @param what the value, for the message of the error.
 * @throws StarlarkError `execution_failed` for bytes, keys that are no strings, and floats without a JSON form.
 */
export function toJsonValue(value: HostValue, what = "the value", depth = 0): JsonValue {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "number") {
    return Number.isFinite(value) ? value : reject(`${what} holds a float that JSON cannot hold`);
  }
  if (depth > maxDepth) reject(`${what} is nested too deeply`);
  if (value instanceof Uint8Array)
    return reject(`${what} holds bytes: encode them, with base64.encode for one`);
  if (Array.isArray(value) || value instanceof Set) {
    return Array.from(value as Iterable<HostValue>, (item) => toJsonValue(item, what, depth + 1));
  }
  if (value instanceof Map) return reject(`${what} has a dict with keys that are no strings`);
  // `Object.fromEntries` defines members: `__proto__` is one like the others.
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      toJsonValue(item as HostValue, what, depth + 1),
    ]),
  );
}

/** A dict of a script as a JSON object; `None` is an empty one. */
export function toJsonObject(value: HostValue, what?: string): JsonObject {
  return value === null || value === undefined ? {} : (toJsonValue(value, what) as JsonObject);
}
