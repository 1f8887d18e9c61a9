import { fail, isFailure, type StarlarkError } from "../values/error.ts";
import { chargeItems, spend } from "../values/budget.ts";
import { compareValues, orderTexts } from "../values/compare.ts";
import type { BuiltinImplementation, BuiltinResult } from "../values/function.ts";
import { StarlarkList, toList, toTuple } from "../values/sequence.ts";
import { StarlarkObject, toItems, typeName } from "../values/value.ts";
import type { NamedArguments, Value } from "../values/value.ts";
import { argumentReader, withName } from "./builtin.ts";

/** The items of a value that can be iterated, as a new array. */
export function copyItems(value: Value): Value[] {
  const items = toItems(value) as readonly Value[];
  chargeItems(items.length);
  return [...items];
}

/** `zip(x, y, …)`. */
export function zipItems(args: readonly Value[], named: NamedArguments): Value {
  if (named.length > 0) fail("zip does not accept keyword arguments");
  const columns = args.map(
    (value, index) =>
      toItems(value) ?? fail(`zip: argument #${index + 1} is not iterable: ${typeName(value)}`),
  );
  const length = columns.length === 0 ? 0 : Math.min(...columns.map((column) => column.length));
  spend(length);
  return toList(
    Array.from({ length }, (_, row) => toTuple(columns.map((column) => column[row] as Value))),
  );
}

/** `min(x, …, key)` and `max(x, …, key)`. */
export function extremum(name: "min" | "max"): BuiltinImplementation {
  const readNamed = argumentReader(name, "key: callable?");
  const operator = name === "max" ? ">" : "<";
  return (args, named) => {
    if (args.length === 0) fail(`${name} requires at least one positional argument`);
    const [key] = readNamed([], named) as [Value?];
    const source = args.length === 1 ? (args[0] as Value) : undefined;
    const items = source === undefined ? args : toItems(source);
    if (items === undefined)
      return fail(`${name}: ${typeName(source as Value)} value is not iterable`);
    if (items.length === 0) return fail(`${name}: argument is an empty sequence`);
    spend(items.length);
    const findItem = (keys: readonly Value[]): Value => {
      let best = 0;
      for (let index = 1; index < keys.length; index++)
        if (compareValues(operator, keys[index] as Value, keys[best] as Value)) best = index;
      return items[best] as Value;
    };
    return withKeys(key, items, (keys) => withName(name, () => findItem(keys)), source);
  };
}

/** The result of `finish` for the results of `key` for all items, without `key` for the items. `iterated` cannot change meanwhile. */
function withKeys(
  key: Value | undefined,
  items: readonly Value[],
  finish: (keys: readonly Value[]) => Value,
  iterated?: Value,
): BuiltinResult {
  if (key === undefined) return finish(items);
  const keys: Value[] = [];
  const source = iterated instanceof StarlarkObject ? iterated : undefined;
  chargeItems(items.length);
  source?.beginIteration?.();
  return {
    step: (received) => {
      if (received !== undefined) keys.push(received);
      return keys.length < items.length
        ? { callee: key, arguments: [items[keys.length] as Value] }
        : { result: finish(keys) };
    },
    dispose: () => source?.endIteration?.(),
  };
}

/** `sorted(x, key, reverse)`. The sort is stable, also if it is reversed. */
export function sortItems(iterable: Value, key?: Value, reverse = false): BuiltinResult {
  const items = copyItems(iterable);
  return withKeys(key, items, (keys) => sortByKeys(items, keys, reverse));
}

function sortByKeys(items: readonly Value[], keys: readonly Value[], reverse: boolean): Value {
  const { length } = keys;
  chargeItems(length);
  spend(length);
  if (keys === items && keys.every((key) => typeof key === "number")) {
    // Equal ints need no order, so that the sort of floats will do.
    const sorted = [...new Float64Array(keys).sort()];
    return new StarlarkList(reverse ? sorted.toReversed() : sorted);
  }
  const order = Array.from({ length }, (_, index) => index);
  const sign = reverse ? -1 : 1;
  try {
    order.sort((left, right) => compareAny(keys[left] as Value, keys[right] as Value) * sign);
  } catch (error) {
    if (isFailure(error)) reportOrder(keys, reverse, error);
    throw error;
  }
  return new StarlarkList(order.map((index) => items[index] as Value));
}

function compareAny(left: Value, right: Value): number {
  spend(1);
  if (typeof left === "number" && typeof right === "number") return left - right;
  if (typeof left === "string" && typeof right === "string") return orderTexts(left, right);
  return compareValues("<", left, right) ? -1 : compareValues("<", right, left) ? 1 : 0;
}

/**
 * Reports the pair that starlark-go's insertion sort reports: it compares every value with the ones before it in blocks of
 * 20, and its last error counts.
 */
function reportOrder(keys: readonly Value[], reverse: boolean, found: StarlarkError): never {
  let last = found;
  let block: Value[] = [];
  for (const [index, key] of keys.entries()) {
    if (index % 20 === 0) block = [];
    const before = block.findLastIndex((other) => {
      try {
        return !(reverse ? compareValues("<", other, key) : compareValues("<", key, other));
      } catch (error) {
        if (!isFailure(error)) throw error;
        last = error;
        return true;
      }
    });
    block.splice(before + 1, 0, key);
  }
  throw last;
}
