/** A JSON primitive (RFC 8259 section 3). */
export type JsonPrimitive = string | number | boolean | null;

/** Any value that JSON can hold. */
export type JsonValue = JsonPrimitive | JsonObject | readonly JsonValue[];

/** A JSON object: what a tool receives as its arguments. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/**
 * A JSON Schema as plain data; 2020-12 unless `$schema` names draft-07 or 2019-09.
 *
 * @see https://json-schema.org/draft/2020-12/json-schema-core
 */
export interface JsonSchema {
  readonly [keyword: string]: JsonValue;
}

/** Free-form JSON that is stored and passed on, never interpreted. */
export type Metadata = JsonObject;

/** A value, or a promise of it. Only thenables are awaited. */
export type Awaitable<T> = T | PromiseLike<T>;

/** Returns true for a JSON object: neither null nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True when `value` has to be awaited. */
export function isThenable<T>(value: Awaitable<T>): value is PromiseLike<T> {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as { then?: unknown }).then === "function"
  );
}

/**
 * Converts a thenable to a native promise. A foreign `then` may call back twice, throw, or return a value that looks as
 * if nothing had to be awaited.
 */
export async function promised<T>(value: PromiseLike<T>): Promise<T> {
  return await value;
}
