import { fail } from "../values/error.ts";
import { chargeItems } from "../values/budget.ts";
import { StarlarkDict } from "../values/dict.ts";
import { toRepr } from "../values/format-value.ts";
import { toList } from "../values/list.ts";
import { toTuple } from "../values/tuple.ts";
import { toItems, toLength, typeName } from "../values/value.ts";
import type { NamedArguments, Value } from "../values/value.ts";
import { withName, unpackPositional } from "./arguments.ts";
import type { Method } from "./method.ts";

/** The methods of dicts (specification of starlark-go, "dict·clear" and the following). */
export const dictMethods: Record<string, Method<StarlarkDict>> = {
  clear: (dict, args, names) => {
    unpackPositional("clear", args, names, 0, []);
    withName("clear", () => dict.clear());
    return null;
  },
  get: (dict, args, names) => {
    unpackPositional("get", args, names, 1, ["any", "any"]);
    const [key] = args as [Value];
    const value = typeof key === "string" ? dict.get(key) : withName("get", () => dict.get(key));
    return value === undefined ? (args[1] ?? null) : value;
  },
  items: (dict, args, names) => {
    unpackPositional("items", args, names, 0, []);
    return toList(dict.entries().map((entry) => toTuple(entry)));
  },
  keys: (dict, args, names) => {
    unpackPositional("keys", args, names, 0, []);
    return toList(dict.keys());
  },
  pop: (dict, args, names) => {
    unpackPositional("pop", args, names, 1, ["any", "any"]);
    const value = withName("pop", () => dict.delete(args[0] as Value));
    if (value !== undefined) return value;
    return args.length > 1 ? (args[1] as Value) : fail("pop: missing key");
  },
  popitem: (dict, args, names) => {
    unpackPositional("popitem", args, names, 0, []);
    const entry = dict.first() ?? fail("popitem: empty dict");
    withName("popitem", () => dict.delete(entry[0]));
    return toTuple(entry);
  },
  setdefault: (dict, args, names) => {
    unpackPositional("setdefault", args, names, 1, ["any", "any"]);
    const [key, fallback = null] = args as [Value, Value?];
    return withName("setdefault", () => {
      const known = dict.get(key);
      if (known !== undefined) return known;
      dict.set(key, fallback);
      return fallback;
    });
  },
  update: (dict, args, names) => {
    if (args.length > 1) fail(`update: got ${args.length} arguments, want at most 1`);
    withName("update", () => updateDict(dict, args[0], names));
    return null;
  },
  values: (dict, args, names) => {
    unpackPositional("values", args, names, 0, []);
    return toList(dict.values());
  },
};

/** Adds the entries of a dict or of an iterable of pairs, then the named ones. */
export function updateDict(
  dict: StarlarkDict,
  updates: Value | undefined,
  names: NamedArguments,
): void {
  if (updates instanceof StarlarkDict) {
    for (const [key, value] of updates.entries()) dict.set(key, value);
  } else if (updates !== undefined) {
    const items = toItems(updates) ?? fail(`got ${typeName(updates)}, want iterable`);
    chargeItems(items.length);
    for (const [index, pair] of items.entries()) dict.set(...toPair(pair, index));
  }
  const seen = new Set<string>();
  for (const [name, value] of names) {
    if (seen.has(name)) fail(`duplicate keyword arg: ${toRepr(name)}`);
    seen.add(name);
    dict.set(name, value);
  }
}

function toPair(pair: Value, index: number): [Value, Value] {
  const element = `dictionary update sequence element #${index}`;
  const items = toItems(pair);
  if (items === undefined) return fail(`${element} is not iterable (${typeName(pair)})`);
  if (toLength(pair) === undefined) fail(`${element} has unknown length (${typeName(pair)})`);
  if (items.length !== 2) fail(`${element} has length ${items.length}, want 2`);
  return [items[0] as Value, items[1] as Value];
}
