import { fail } from "../values/error.ts";
import { chargeItems } from "../values/budget.ts";
import { StarlarkDict } from "../values/dict.ts";
import { toRepr } from "../values/format-value.ts";
import { toList } from "../values/list.ts";
import { toTuple } from "../values/tuple.ts";
import { type NamedArguments, toItems, toLength, typeName, type Value } from "../values/value.ts";
import { withName } from "./arguments.ts";
import { defineMethods, type MethodTable } from "./method.ts";

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
