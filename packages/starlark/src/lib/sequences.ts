import { fail, StarlarkError } from "../values/error.ts";
import { chargeItems, spend } from "../values/budget.ts";
import { compareValues } from "../values/compare.ts";
import type { BuiltinResult } from "../values/function.ts";
import { addInts } from "../values/int.ts";
import type { Int } from "../values/int.ts";
import { toList } from "../values/list.ts";
import { toTuple } from "../values/tuple.ts";
import { StarlarkObject, toItems, typeName } from "../values/value.ts";
import type { NamedArguments, Value } from "../values/value.ts";
import { withName, unpack, unpackPositional } from "./arguments.ts";

function copyItems(value: Value): Value[] {
  const items = toItems(value) as readonly Value[];
  chargeItems(items.length);
  return [...items];
}

/** `list(x)`. */
export function toNewList(args: readonly Value[], list: NamedArguments): Value {
  unpackPositional("list", args, list, 0, ["iterable"]);
  return toList(args.length === 0 ? [] : copyItems(args[0] as Value));
}

/** `tuple(x)`. */
export function toNewTuple(args: readonly Value[], list: NamedArguments): Value {
  unpackPositional("tuple", args, list, 0, ["iterable"]);
  return toTuple(args.length === 0 ? [] : copyItems(args[0] as Value));
}

/** `reversed(x)`. */
export function reverseItems(args: readonly Value[], list: NamedArguments): Value {
  unpackPositional("reversed", args, list, 1, ["iterable"]);
  return toList(copyItems(args[0] as Value).toReversed());
}

/** `enumerate(x, start)`. */
export function enumerateItems(args: readonly Value[], list: NamedArguments): Value {
  unpackPositional("enumerate", args, list, 1, ["iterable", "int"]);
  const start = (args[1] as Int | undefined) ?? 0;
  const items = toItems(args[0] as Value) as readonly Value[];
  spend(items.length);
  return toList(items.map((item, index) => toTuple([addInts(start, index), item])));
}

/** `zip(x, y, …)`. */
export function zipItems(args: readonly Value[], list: NamedArguments): Value {
  if (list.length > 0) fail("zip does not accept keyword arguments");
  const columns = args.map(
    (value, index) =>
      toItems(value) ?? fail(`zip: argument #${index + 1} is not iterable: ${typeName(value)}`),
  );
  const length = Math.min(...columns.map((column) => column.length));
  if (columns.length === 0) return toList([]);
  spend(length);
  return toList(
    Array.from({ length }, (_, row) => toTuple(columns.map((column) => column[row] as Value))),
  );
}

/** `min` and `max`. */
export function extremum(
  name: "min" | "max",
  args: readonly Value[],
  list: NamedArguments,
): BuiltinResult {
  if (args.length === 0) fail(`${name} requires at least one positional argument`);
  const [key] = unpack(name, [], list, [["key?", "callable"]]);
  const source = args.length === 1 ? (args[0] as Value) : undefined;
  const items = source === undefined ? args : toItems(source);
  if (items === undefined)
    return fail(`${name}: ${typeName(source as Value)} value is not iterable`);
  if (items.length === 0) return fail(`${name}: argument is an empty sequence`);
  spend(items.length);
  const operator = name === "max" ? ">" : "<";
  const choose = (keys: readonly Value[]): Value =>
    withName(name, () => {
      let best = 0;
      for (let index = 1; index < keys.length; index++) {
        if (compareValues(operator, keys[index] as Value, keys[best] as Value)) best = index;
      }
      return items[best] as Value;
    });
  if (key === undefined) return choose(items);
  if (source instanceof StarlarkObject) source.beginIteration();
  return callForEach(key, items, choose, () => {
    if (source instanceof StarlarkObject) source.endIteration();
  });
}

/** Calls `key` with every item, then returns `finish` of the results. */
function callForEach(
  key: Value,
  items: readonly Value[],
  finish: (keys: readonly Value[]) => Value,
  dispose?: () => void,
): BuiltinResult {
  const keys: Value[] = [];
  chargeItems(items.length);
  return {
    step: (received) => {
      if (received !== undefined) keys.push(received);
      return keys.length < items.length
        ? { callee: key, arguments: [items[keys.length] as Value] }
        : { result: finish(keys) };
    },
    ...(dispose !== undefined && { dispose }),
  };
}

/** `sorted(x, key, reverse)`. The sort is stable, also if it is reversed. */
export function sortItems(args: readonly Value[], list: NamedArguments): BuiltinResult {
  const [iterable, key, reverse] = unpack("sorted", args, list, [
    ["iterable", "iterable"],
    ["key?", "callable"],
    ["reverse?", "bool"],
  ]);
  const items = copyItems(iterable as Value);
  if (key === undefined) return toList(sortByKeys(items, items, reverse === true));
  return callForEach(key, items, (keys) => toList(sortByKeys(items, keys, reverse === true)));
}

function sortByKeys(items: readonly Value[], keys: readonly Value[], reverse: boolean): Value[] {
  const { length } = keys;
  spend(length * Math.ceil(Math.log2(length + 2)));
  if (keys.every((key) => typeof key === "number")) {
    const sorted = sortByInts(items, keys as readonly number[], reverse);
    if (sorted !== undefined) return sorted;
  }
  if (items === keys && keys.every((key) => typeof key === "string")) {
    // Equal strings are the same, so that the order of the reversed ones does not matter.
    const sorted = [...keys].sort();
    return reverse ? sorted.toReversed() : sorted;
  }
  const order = Array.from({ length }, (_, index) => index);
  const compare = comparator(keys);
  const sign = reverse ? -1 : 1;
  try {
    order.sort((left, right) => compare(keys[left] as Value, keys[right] as Value) * sign);
  } catch (error) {
    if (error instanceof StarlarkError && error.code === "execution_failed")
      reportOrder(keys, reverse, error);
    throw error;
  }
  return order.map((index) => items[index] as Value);
}

/** Sorts by small ints as one array of floats, each the key and the position of an item. */
function sortByInts(
  items: readonly Value[],
  keys: readonly number[],
  reverse: boolean,
): Value[] | undefined {
  const { length } = keys;
  const sign = reverse ? -1 : 1;
  const combined = new Float64Array(length);
  for (let index = 0; index < length; index++) {
    const value = (keys[index] as number) * sign * length + index;
    if (!Number.isSafeInteger(value)) return undefined;
    combined[index] = value;
  }
  combined.sort();
  return Array.from(combined, (value) => items[((value % length) + length) % length] as Value);
}

function comparator(keys: readonly Value[]): (left: Value, right: Value) => number {
  if (keys.every((key) => typeof key === "string")) {
    return (left, right) => ((left as string) < (right as string) ? -1 : left === right ? 0 : 1);
  }
  return (left, right) =>
    compareValues("<", left, right) ? -1 : compareValues("<", right, left) ? 1 : 0;
}

/**
 * Reports the pair that starlark-go's insertion sort reports: it compares every value with the ones before it in blocks of
 * 20, and its last error counts.
 */
function reportOrder(keys: readonly Value[], reverse: boolean, found: StarlarkError): never {
  const blockSize = 20;
  let last = found;
  const isLess = (left: Value, right: Value): boolean => {
    try {
      return reverse ? compareValues("<", right, left) : compareValues("<", left, right);
    } catch (error) {
      if (!(error instanceof StarlarkError) || error.code !== "execution_failed") throw error;
      last = error;
      return false;
    }
  };
  for (let start = 0; start < keys.length; start += blockSize) {
    const block = keys.slice(start, start + blockSize);
    for (let index = 1; index < block.length; index++) {
      for (let at = index; at > 0 && isLess(block[at] as Value, block[at - 1] as Value); at--) {
        [block[at - 1], block[at]] = [block[at] as Value, block[at - 1] as Value];
      }
    }
  }
  throw last;
}
