import { failLimit, StarlarkError } from "../values/error.ts";
import { charge, chargeItems, chargeString, sizes, spend } from "../values/budget.ts";
import { StarlarkBytes } from "../values/bytes.ts";
import { StarlarkDict, StarlarkSet, toDict, toSet } from "../values/dict.ts";
import { StarlarkFloat, toFloat } from "../values/float.ts";
import { fromBigInt, fromIntegral } from "../values/int.ts";
import { ElementSequence, StarlarkRange, toList } from "../values/sequence.ts";
import { fromBytes, fromUtf8, isAscii, toBytes, toUtf8 } from "../values/utf8.ts";
import { StarlarkObject, type Value } from "../values/value.ts";

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

/** The result of a function of the host. */
export type HostResult = HostValue | Promise<HostValue>;

const maxDepth = 200;
let depth = 0;

/** Converts the parts of a value. A value that contains itself reaches the limit. */
function nested<Result>(convert: () => Result): Result {
  if (depth >= maxDepth)
    failLimit(`a value is nested too deeply to be converted (limit ${maxDepth})`);
  depth++;
  try {
    return convert();
  } finally {
    depth--;
  }
}

/**
 * A JavaScript value as a Starlark value. `undefined` becomes `None`, a number without a fraction an int, another number
 * a float, an array a list, a `Uint8Array` bytes, a `Map` and a plain object a dict, a `Set` a set.
 *
 * @throws StarlarkError `execution_failed` for a function, a symbol or an instance of another class, `limit_exceeded` for a
 *   value that is nested too deeply.
 */
export function toStarlark(value: HostValue): Value {
  if (value === undefined || value === null) return null;
  if (typeof value === "boolean" || value instanceof StarlarkObject) return value;
  if (typeof value === "bigint") return fromBigInt(value);
  if (typeof value === "number")
    return Number.isInteger(value) ? fromIntegral(value) : toFloat(value);
  if (typeof value === "string") {
    chargeString(value.length);
    return toUtf8(value);
  }
  return typeof value === "object" ? nested(() => toContainer(value)) : rejectIn(typeof value);
}

function rejectIn(kind: string): never {
  throw new StarlarkError("execution_failed", `a ${kind} of the host has no Starlark value`);
}

function toContainer(value: object): Value {
  if (value instanceof Uint8Array) {
    charge(value.length);
    return new StarlarkBytes(fromBytes(value));
  }
  if (Array.isArray(value)) return toList(value.map(toStarlark));
  if (value instanceof Set) return toSet(Array.from(value, toStarlark));
  if (value instanceof Map)
    return toDict(Array.from(value, ([key, item]) => [toStarlark(key), toStarlark(item)]));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) rejectIn(value.constructor.name);
  return toDict(Object.entries(value).map(([key, item]) => [toUtf8(key), toStarlark(item)]));
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
  if (typeof value === "string") {
    // Values that a list has many times are one in memory, but not for the host.
    if (!isAscii(value)) chargeString(value.length);
    spend(value.length >> 6);
    return fromUtf8(value);
  }
  if (!(value instanceof StarlarkObject)) return value;
  if (value instanceof StarlarkFloat) return value.value;
  if (value instanceof StarlarkBytes) {
    charge(sizes.object + value.length);
    return toBytes(value.data);
  }
  return nested(() => fromContainer(value));
}

function fromContainer(value: StarlarkObject): HostValue {
  if (value instanceof ElementSequence || value instanceof StarlarkRange) {
    const items = value.items();
    chargeItems(items.length);
    return items.map(toHost);
  }
  if (value instanceof StarlarkSet) {
    charge(sizes.dict + sizes.entry * value.length);
    return new Set(value.items().map(toHost));
  }
  if (!(value instanceof StarlarkDict))
    throw new StarlarkError("execution_failed", `a ${value.type} has no value for the host`);
  const entries = value.entries();
  chargeItems(2 * entries.length);
  if (!entries.every(([key]) => typeof key === "string"))
    return new Map(entries.map(([key, item]) => [toHost(key), toHost(item)]));
  const result = Object.create(null) as Record<string, HostValue>;
  for (const [key, item] of entries) result[fromUtf8(key as string)] = toHost(item);
  return result;
}
