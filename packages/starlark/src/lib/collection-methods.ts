import { fail } from "../values/error.ts";
import { charge, chargeItems, sizes, spend } from "../values/budget.ts";
import { areEqual } from "../values/compare.ts";
import type { Int } from "../values/int.ts";
import { type StarlarkList, toList, toTuple } from "../values/sequence.ts";
import { toPosition, toRange } from "../values/operators.ts";
import { type NamedArguments, toItems, toLength, typeName, type Value } from "../values/value.ts";
import { defineMethods, withName } from "./builtin.ts";
import type { Definition, Method, MethodTable } from "./builtin.ts";
import { StarlarkDict, type StarlarkSet, toSet } from "../values/dict.ts";
import { toRepr } from "../values/format.ts";

/** The methods of lists (specification of starlark-go, "list·append" and the following). */
export const listMethods: MethodTable<StarlarkList> = defineMethods({
  append: ["any", (list, value: Value) => list.append(value)],
  clear: [
    "",
    (list) => {
      list.checkMutable("clear");
      list.elements.length = 0;
    },
  ],
  extend: ["iterable", (list, items: Value) => list.extend(toItems(items) ?? [], "extend")],
  index: [
    "any, any?, any?",
    (list, value: Value, low: Value = null, high: Value = null) => {
      const [start, end] = toRange(low, high, list.length);
      for (let index = start; index < end; index++) {
        if (areEqual(list.elements[index] as Value, value)) return index;
      }
      return fail("value not in list");
    },
  ],
  insert: [
    "int, any",
    (list, at: Int, value: Value) => {
      list.checkMutable("insert into");
      charge(sizes.slot);
      spend(list.length >> 6);
      // `splice` counts a negative position from the end and limits it, as `insert` does.
      list.elements.splice(Number(at), 0, value);
    },
  ],
  pop: [
    "int?",
    (list, at?: Int) => {
      const { length } = list;
      const index = toPosition("list", at === undefined ? length - 1 : Number(at), length);
      list.checkMutable("pop from");
      if (index === length - 1) return list.elements.pop();
      spend(length >> 6);
      return list.elements.splice(index, 1)[0];
    },
  ],
  remove: [
    "any",
    (list, value: Value) => {
      list.checkMutable("remove from");
      const index = list.elements.findIndex((element) => areEqual(element, value));
      if (index === -1) fail("element not found");
      list.elements.splice(index, 1);
    },
  ],
});

/** The methods of dicts (specification of starlark-go, "dict·clear" and the following). */
export const dictMethods: MethodTable<StarlarkDict> = defineMethods({
  clear: ["", (dict) => dict.clear()],
  get: [
    "any, any?",
    (dict, key: Value, fallback: Value = null) => {
      const value = dict.get(key);
      return value === undefined ? fallback : value;
    },
  ],
  items: ["", (dict) => toList(dict.entries().map((entry) => toTuple(entry)))],
  keys: ["", (dict) => toList(dict.keys())],
  pop: [
    "any, any?",
    (dict, key: Value, fallback?: Value) => {
      const value = dict.delete(key);
      if (value !== undefined) return value;
      return fallback === undefined ? fail("missing key") : fallback;
    },
  ],
  popitem: [
    "",
    (dict) => {
      const entry = dict.first() ?? fail("empty dict");
      dict.delete(entry[0]);
      return toTuple(entry);
    },
  ],
  setdefault: [
    "any, any?",
    (dict, key: Value, fallback: Value = null) => {
      const known = dict.get(key);
      if (known !== undefined) return known;
      dict.set(key, fallback);
      return fallback;
    },
  ],
  update: (dict, args, named) => {
    updateDict("update", dict, args, named);
    return null;
  },
  values: ["", (dict) => toList(dict.values())],
});

/** Adds the entries of a dict or of an iterable of pairs, then the named ones, for the function `name`. */
export function updateDict(
  name: string,
  dict: StarlarkDict,
  args: readonly Value[],
  named: NamedArguments,
): void {
  if (args.length > 1) fail(`${name}: got ${args.length} arguments, want at most 1`);
  withName(name, () => {
    for (const [key, value] of toEntries(args[0])) dict.set(key, value);
    const seen = new Set<string>();
    for (const [key, value] of named) {
      if (seen.has(key)) fail(`duplicate keyword arg: ${toRepr(key)}`);
      seen.add(key);
      dict.set(key, value);
    }
  });
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

/** A method that combines the set with the elements of one iterable. */
function combining(
  combine: (set: StarlarkSet, other: StarlarkSet) => Value | undefined,
): Definition<[StarlarkSet]> {
  return ["iterable?", (set, value: Value = null) => combine(set, toSet(toItems(value)))];
}

/** A method that adds the elements of all its arguments. */
function collecting(
  name: string,
  add: (set: StarlarkSet, elements: readonly Value[]) => Value,
): Method<StarlarkSet> {
  return (set, args, named: NamedArguments) =>
    withName(name, () => {
      if (named.length > 0) fail("does not accept keyword arguments");
      const elements = args.flatMap((value, index) => {
        const items =
          toItems(value) ?? fail(`argument #${index + 1} is not iterable: ${typeName(value)}`);
        chargeItems(items.length);
        return items;
      });
      return add(set, elements);
    });
}

/** The methods of sets (specification of starlark-go, "set·add" and the following). */
export const setMethods: MethodTable<StarlarkSet> = defineMethods({
  add: ["any", (set, value: Value) => set.add(value)],
  clear: [
    "",
    (set) => {
      if (set.length > 0) set.clear();
    },
  ],
  difference: combining((set, other) => set.binary("-", other, true)),
  discard: ["any", (set, value: Value) => void set.delete(value)],
  intersection: combining((set, other) => set.binary("&", other, true)),
  issubset: combining((set, other) => set.isSubset(other)),
  issuperset: combining((set, other) => other.isSubset(set)),
  pop: [
    "",
    (set) => {
      const [first] = set.first() ?? fail("empty set");
      set.delete(first);
      return first;
    },
  ],
  remove: [
    "any",
    (set, value: Value) => {
      if (set.delete(value) === undefined) fail("missing key");
    },
  ],
  symmetric_difference: combining((set, other) => set.binary("^", other, true)),
  union: collecting("union", (set, elements) => toSet([...set.keys(), ...elements])),
  update: collecting("update", (set, elements) => {
    for (const element of elements) set.add(element);
    return null;
  }),
});
