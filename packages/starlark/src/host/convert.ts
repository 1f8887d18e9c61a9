import { failLimit, StarlarkError } from "../values/error.ts";
import { charge, chargeItems, chargeString, sizes, spend } from "../values/budget.ts";
import { StarlarkBytes } from "../values/bytes.ts";
import { StarlarkDict, StarlarkSet, toDict, toSet } from "../values/dict.ts";
import { StarlarkFloat, toFloat } from "../values/float.ts";
import { fromBigInt } from "../values/int.ts";
import { StarlarkList, StarlarkRange, StarlarkTuple, toList } from "../values/sequence.ts";
import { fromBytes, fromUtf8, isAscii, toBytes, toUtf8 } from "../values/utf8.ts";
import { StarlarkObject, typeName, type Value } from "../values/value.ts";

/** A JavaScript value that has a Starlark value. */
export type HostValue =
  | undefined
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | readonly HostValue[]
  | ReadonlyMap<HostValue, HostValue>
  | ReadonlySet<HostValue>
  | { readonly [key: string]: HostValue };

const maxDepth = 200;

function tooDeep(): never {
  failLimit(`a value is nested too deeply to be converted (limit ${maxDepth})`);
}

/**
 * A JavaScript value as a Starlark value. `undefined` becomes `None`, a number without a fraction an int, another number
 * a float, an array a list, a `Uint8Array` bytes, a `Map` and a plain object a dict, a `Set` a set.
 *
 * @throws StarlarkError `execution_failed` for a function, a symbol or an instance of another class, `limit_exceeded` for a
 *   value that is nested too deeply.
 */
export function toStarlark(value: HostValue): Value {
  return convertIn(value, 0);
}

function convertIn(value: HostValue, depth: number): Value {
  switch (typeof value) {
    case "undefined":
      return null;
    case "boolean":
      return value;
    case "string":
      chargeString(value.length);
      return toUtf8(value);
    case "bigint":
      return fromBigInt(value);
    case "number":
      if (Number.isSafeInteger(value)) return value + 0;
      return Number.isInteger(value) ? fromBigInt(BigInt(value)) : toFloat(value);
    case "object":
      if (value === null || value instanceof StarlarkObject) return value as Value;
      if (depth >= maxDepth) tooDeep();
      return convertObjectIn(value, depth + 1);
    default:
      return rejectIn(typeof value);
  }
}

function rejectIn(kind: string): never {
  throw new StarlarkError("execution_failed", `a ${kind} of the host has no Starlark value`);
}

function convertObjectIn(value: object, depth: number): Value {
  if (Array.isArray(value))
    return toList((value as HostValue[]).map((item) => convertIn(item, depth)));
  if (value instanceof Uint8Array) {
    charge(value.length);
    return new StarlarkBytes(fromBytes(value));
  }
  if (value instanceof Set)
    return toSet([...(value as Set<HostValue>)].map((item) => convertIn(item, depth)));
  if (value instanceof Map) {
    return toDict(
      Array.from(value as Map<HostValue, HostValue>, ([key, item]) => [
        convertIn(key, depth),
        convertIn(item, depth),
      ]),
    );
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) rejectIn(value.constructor.name);
  return toDict(
    Object.entries(value).map(([key, item]) => [toUtf8(key), convertIn(item as HostValue, depth)]),
  );
}

/**
 * A Starlark value as a JavaScript value. An int beyond the safe integers becomes a bigint, a float a number, bytes a
 * `Uint8Array`, a list, a tuple and a range an array, a set a `Set`. A dict becomes a plain object without a prototype if all
 * its keys are strings, else a `Map`.
 *
 * @throws StarlarkError `execution_failed` for a function or a module, `limit_exceeded` for a value that contains itself or
 *   is nested too deeply.
 */
export function toHost(value: Value): HostValue {
  return convertOut(value, 0);
}

function convertOut(value: Value, depth: number): HostValue {
  if (typeof value === "string") {
    // Values that a list has many times are one in memory, but not for the host.
    if (!isAscii(value)) chargeString(value.length);
    spend(value.length >> 6);
    return fromUtf8(value);
  }
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof StarlarkFloat) return value.value;
  if (value instanceof StarlarkBytes) {
    charge(sizes.object + value.length);
    return toBytes(value.data);
  }
  if (depth >= maxDepth) tooDeep();
  if (
    value instanceof StarlarkList ||
    value instanceof StarlarkTuple ||
    value instanceof StarlarkRange
  ) {
    const items = value.items();
    chargeItems(items.length);
    return items.map((item) => convertOut(item, depth + 1));
  }
  if (value instanceof StarlarkSet) {
    charge(sizes.dict + sizes.entry * value.length);
    return new Set(value.items().map((item) => convertOut(item, depth + 1)));
  }
  if (value instanceof StarlarkDict) return convertDictOut(value, depth + 1);
  throw new StarlarkError("execution_failed", `a ${typeName(value)} has no value for the host`);
}

function convertDictOut(dict: StarlarkDict, depth: number): HostValue {
  const entries = dict.entries();
  chargeItems(2 * entries.length);
  if (!entries.every(([key]) => typeof key === "string")) {
    return new Map(
      entries.map(([key, value]) => [convertOut(key, depth), convertOut(value, depth)]),
    );
  }
  const result = Object.create(null) as Record<string, HostValue>;
  for (const [key, value] of entries) result[fromUtf8(key as string)] = convertOut(value, depth);
  return result;
}
