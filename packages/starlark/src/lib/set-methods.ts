import { fail } from "../values/error.ts";
import { chargeItems } from "../values/budget.ts";
import { type StarlarkSet, toSet } from "../values/dict.ts";
import { type NamedArguments, toItems, typeName, type Value } from "../values/value.ts";
import { withName } from "./arguments.ts";
import { defineMethods, type Definition, type Method, type MethodTable } from "./method.ts";

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
