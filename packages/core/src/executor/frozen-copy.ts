import type { JsonObject, JsonValue } from "../spec/json.ts";
import { jsonValue } from "./json-value.ts";

/**
 * A copy of a call's arguments for host code that looks at them: what it writes there by mistake is
 * an error instead of a change that nothing has checked.
 */
export function frozenCopy(args: JsonObject): JsonObject {
  return frozen(jsonValue(args)) as JsonObject;
}

function frozen(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(frozen));
  const members = Object.entries(value).map(([key, member]) => [key, frozen(member)] as const);
  return Object.freeze(Object.fromEntries(members));
}
