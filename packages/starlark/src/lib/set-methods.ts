import { fail } from "../values/error.ts";
import { toSet } from "../values/dict.ts";
import type { StarlarkSet } from "../values/dict.ts";
import { toItems, typeName } from "../values/value.ts";
import type { NamedArguments, Value } from "../values/value.ts";
import { withName, unpackPositional } from "./arguments.ts";
import type { Method } from "./method.ts";

/** The elements of every argument, in order. */
function collect(name: string, args: readonly Value[], names: NamedArguments): Value[] {
  if (names.length > 0) fail(`${name}: does not accept keyword arguments`);
  return args.flatMap(
    (value, index) =>
      toItems(value) ?? fail(`${name}: argument #${index + 1} is not iterable: ${typeName(value)}`),
  );
}

/** A method that combines the set with the elements of one iterable. */
function combining(
  name: string,
  combine: (set: StarlarkSet, other: StarlarkSet) => Value,
): Method<StarlarkSet> {
  return (set, args, names) => {
    unpackPositional(name, args, names, 0, ["iterable"]);
    return withName(name, () =>
      combine(set, toSet(args.length === 0 ? [] : toItems(args[0] as Value))),
    );
  };
}

/** The methods of sets (specification of starlark-go, "set·add" and the following). */
export const setMethods: Record<string, Method<StarlarkSet>> = {
  add: (set, args, names) => {
    unpackPositional("add", args, names, 1, ["any"]);
    withName("add", () => {
      set.checkMutable("insert into");
      set.add(args[0] as Value);
    });
    return null;
  },
  clear: (set, args, names) => {
    unpackPositional("clear", args, names, 0, []);
    withName("clear", () => set.clear());
    return null;
  },
  difference: combining("difference", (set, other) => set.binary("-", other, true) as Value),
  discard: (set, args, names) => {
    unpackPositional("discard", args, names, 1, ["any"]);
    withName("discard", () => set.delete(args[0] as Value));
    return null;
  },
  intersection: combining("intersection", (set, other) => set.binary("&", other, true) as Value),
  issubset: combining("issubset", (set, other) => set.isSubset(other)),
  issuperset: combining("issuperset", (set, other) => other.isSubset(set)),
  pop: (set, args, names) => {
    unpackPositional("pop", args, names, 0, []);
    return withName("pop", () => {
      const first = set.first();
      if (first === undefined) return fail("empty set");
      set.delete(first);
      return first;
    });
  },
  remove: (set, args, names) => {
    unpackPositional("remove", args, names, 1, ["any"]);
    withName("remove", () => {
      if (!set.delete(args[0] as Value)) fail("missing key");
    });
    return null;
  },
  symmetric_difference: combining(
    "symmetric_difference",
    (set, other) => set.binary("^", other, true) as Value,
  ),
  union: (set, args, names) => {
    const items = collect("union", args, names);
    return withName("union", () => toSet([...set.keys(), ...items]));
  },
  update: (set, args, names) => {
    const items = collect("update", args, names);
    withName("update", () => {
      if (items.length > 0) set.checkMutable("insert into");
      for (const item of items) set.add(item);
    });
    return null;
  },
};
