import { fail } from "../values/error.ts";
import { charge, chargeItems, sizes, spend } from "../values/budget.ts";
import { areEqual } from "../values/compare.ts";
import type { Int } from "../values/int.ts";
import { type StarlarkList, toList, toTuple } from "../values/sequence.ts";
import { toPosition, toRange } from "../values/operators.ts";
import { type NamedArguments, toItems, toLength, typeName, type Value } from "../values/value.ts";
import { defineMethods, type MethodTable } from "./builtin.ts";
import { StarlarkDict, type StarlarkSet, toSet } from "../values/dict.ts";
import { toRepr } from "../values/format.ts";

/** The methods of lists (specification of starlark-go, "list·append" and the following). */
export const listMethods: MethodTable<StarlarkList> = defineMethods<StarlarkList>({
  "append(any)": (list, value: Value) => list.append(value),
  "clear()": (list) => {
    list.checkMutable("clear");
    list.elements.length = 0;
  },
  "extend(iterable)": (list, items: Value) => list.extend(toItems(items) ?? [], "extend"),
  "index(any, any?, any?)": (list, value: Value, low: Value = null, high: Value = null) => {
    const [start, end] = toRange(low, high, list.length);
    spend(list.length >> 3);
    const index = list.elements.findIndex(
      (element, at) => at >= start && at < end && areEqual(element, value),
    );
    return index === -1 ? fail("value not in list") : index;
  },
  "insert(int, any)": (list, at: Int, value: Value) => {
    list.checkMutable("insert into");
    charge(sizes.slot);
    spend(list.length >> 6);
    // `splice` counts a negative position from the end and limits it, as `insert` does.
    list.elements.splice(Number(at), 0, value);
  },
  "pop(int?)": (list, at: Int = list.length - 1) => {
    const index = toPosition("list", Number(at), list.length);
    list.checkMutable("pop from");
    spend((list.length - index) >> 6);
    return list.elements.splice(index, 1)[0];
  },
  "remove(any)": (list, value: Value) => {
    list.checkMutable("remove from");
    spend(list.length >> 3);
    const index = list.elements.findIndex((element) => areEqual(element, value));
    if (index === -1) fail("element not found");
    list.elements.splice(index, 1);
  },
});

/** The methods of dicts (specification of starlark-go, "dict·clear" and the following). */
export const dictMethods: MethodTable<StarlarkDict> = defineMethods<StarlarkDict>({
  "clear()": (dict) => dict.clear(),
  "get(any, any?)": (dict, key: Value, fallback: Value = null) => {
    const value = dict.get(key);
    return value === undefined ? fallback : value;
  },
  "items()": (dict) => toList(dict.entries().map((entry) => toTuple(entry))),
  "keys()": (dict) => toList(dict.keys()),
  "pop(any, any?)": (dict, key: Value, fallback?: Value) => {
    const value = dict.delete(key);
    if (value !== undefined) return value;
    return fallback === undefined ? fail("missing key") : fallback;
  },
  "popitem()": (dict) => {
    const entry = dict.first() ?? fail("empty dict");
    dict.delete(entry[0]);
    return toTuple(entry);
  },
  "setdefault(any, any?)": (dict, key: Value, fallback: Value = null) => {
    if (dict.get(key) === undefined) dict.set(key, fallback);
    return dict.get(key);
  },
  "update(*, **)": updateDict,
  "values()": (dict) => toList(dict.values()),
});

/** Adds the entries of a dict or of an iterable of pairs, then the named ones. */
export function updateDict(dict: StarlarkDict, args: Value[], named: NamedArguments): void {
  if (args.length > 1) fail(`got ${args.length} arguments, want at most 1`);
  for (const [key, value] of toEntries(args[0])) dict.set(key, value);
  const seen = new Set<string>();
  for (const [key, value] of named) {
    if (seen.has(key)) fail(`duplicate keyword arg: ${toRepr(key)}`);
    seen.add(key);
    dict.set(key, value);
  }
}

function* toEntries(updates: Value | undefined): Iterable<[Value, Value]> {
  if (updates instanceof StarlarkDict) yield* updates.entries();
  else if (updates !== undefined) {
    const items = toItems(updates) ?? fail(`got ${typeName(updates)}, want iterable`);
    chargeItems(items.length);
    for (const [index, pair] of items.entries()) yield toPair(pair, index);
  }
}

function toPair(pair: Value, index: number): [Value, Value] {
  const element = `dictionary update sequence element #${index}`;
  const items = toItems(pair);
  if (items === undefined) return fail(`${element} is not iterable (${typeName(pair)})`);
  if (toLength(pair) === undefined) fail(`${element} has unknown length (${typeName(pair)})`);
  if (items.length !== 2) fail(`${element} has length ${items.length}, want 2`);
  return items as [Value, Value];
}

/** The iterable argument of a method that combines two sets. */
function toOperand(value: Value = null): StarlarkSet {
  return toSet(toItems(value));
}

/** The elements of all arguments of a method. */
function collectElements(args: readonly Value[], named: NamedArguments): Value[] {
  if (named.length > 0) fail("does not accept keyword arguments");
  return args.flatMap((value, index) => {
    const items =
      toItems(value) ?? fail(`argument #${index + 1} is not iterable: ${typeName(value)}`);
    chargeItems(items.length);
    return items;
  });
}

/** The methods of sets (specification of starlark-go, "set·add" and the following). */
export const setMethods: MethodTable<StarlarkSet> = defineMethods<StarlarkSet>({
  "add(any)": (set, value: Value) => set.add(value),
  "clear()": (set) => {
    if (set.length > 0) set.clear();
  },
  "difference(iterable?)": (set, other?: Value) => set.binary("-", toOperand(other), true),
  "discard(any)": (set, value: Value) => void set.delete(value),
  "intersection(iterable?)": (set, other?: Value) => set.binary("&", toOperand(other), true),
  "issubset(iterable?)": (set, other?: Value) => set.isSubset(toOperand(other)),
  "issuperset(iterable?)": (set, other?: Value) => toOperand(other).isSubset(set),
  "pop()": (set) => {
    const [first] = set.first() ?? fail("empty set");
    set.delete(first);
    return first;
  },
  "remove(any)": (set, value: Value) => void (set.delete(value) ?? fail("missing key")),
  "symmetric_difference(iterable?)": (set, other?: Value) =>
    set.binary("^", toOperand(other), true),
  "union(*, **)": (set, args: Value[], named: NamedArguments) =>
    toSet([...set.keys(), ...collectElements(args, named)]),
  "update(*, **)": (set, args: Value[], named: NamedArguments) => {
    for (const element of collectElements(args, named)) set.add(element);
  },
});
