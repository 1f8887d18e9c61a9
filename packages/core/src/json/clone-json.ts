import type { JsonObject, JsonValue } from "./json.ts";
import { toJson } from "./to-json.ts";
/** The maximum cost of a copy: 8 units for each value and each key, 1 for each of their characters. */
const maxCopyWork = 33_554_432;

const perValue = 8;

/**
 * A copy of JSON data, as `JSON.stringify` reads it.
 *
 * @param maxWork what it may cost. What is there twice is copied twice, and each hole of a list is
 * copied as `null`, so that a small value can be a copy without an end.
 * @throws TypeError or RangeError for what JSON cannot hold, such as a cycle, and for more than that.
 */
export function cloneJson<T>(value: T, maxWork: number = maxCopyWork): T {
  let left = maxWork;
  const count = (key: string, member: unknown): unknown => {
    left -= perValue + key.length + (typeof member === "string" ? member.length : 0);
    if (left < 0) throw new RangeError(`it is more than ${maxWork} characters of JSON`);
    return member;
  };
  return JSON.parse(JSON.stringify(value, count)) as T;
}

/**
 * A frozen copy of a call's arguments for host code: an accidental write is an error instead of a change that is not
 * validated.
 */
export function freezeJson(args: JsonObject): JsonObject {
  return frozen(toJson(args)) as JsonObject;
}

/** The same of what is plain JSON for certain. */
export function frozenPlain(args: JsonObject): JsonObject {
  return frozen(args) as JsonObject;
}

function frozen(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(frozen));
  // One clone is several times quicker than as many assignments; `__proto__` is a key like any other in it.
  const copy = { ...value } as Record<string, JsonValue>;
  for (const key in copy) {
    const member = copy[key];
    if (typeof member !== "object" || member === null || !Object.hasOwn(copy, key)) continue;
    copy[key] = frozen(member);
  }
  return Object.freeze(copy);
}
