import { fail } from "../values/error.ts";
import { charge, sizes, spend } from "../values/budget.ts";
import { areEqual } from "../values/compare.ts";
import type { StarlarkList } from "../values/list.ts";
import { outOfRange, toRange } from "../values/subscript.ts";
import { toItems } from "../values/value.ts";
import type { Value } from "../values/value.ts";
import { withName, unpackPositional } from "./arguments.ts";
import type { Method } from "./method.ts";

/** The methods of lists (specification of starlark-go, "list·append" and the following). */
export const listMethods: Record<string, Method<StarlarkList>> = {
  append: (list, args, names) => {
    unpackPositional("append", args, names, 1, ["any"]);
    withName("append", () => list.append(args[0] as Value));
    return null;
  },
  clear: (list, args, names) => {
    unpackPositional("clear", args, names, 0, []);
    withName("clear", () => list.checkMutable("clear"));
    list.elements.length = 0;
    return null;
  },
  extend: (list, args, names) => {
    unpackPositional("extend", args, names, 1, ["iterable"]);
    withName("extend", () => list.checkMutable("extend"));
    const items = toItems(args[0] as Value) as readonly Value[];
    const { length } = items;
    charge(sizes.slot * length);
    spend(length >> 3);
    for (let index = 0; index < length; index++) list.elements.push(items[index] as Value);
    return null;
  },
  index: (list, args, names) => {
    unpackPositional("index", args, names, 1, ["any", "any", "any"]);
    const [value, low = null, high = null] = args as [Value, Value?, Value?];
    return withName("index", () => {
      const [start, end] = toRange(low, high, list.length);
      for (let index = start; index < end; index++) {
        if (areEqual(list.elements[index] as Value, value)) return index;
      }
      return fail("value not in list");
    });
  },
  insert: (list, args, names) => {
    unpackPositional("insert", args, names, 2, ["int", "any"]);
    withName("insert", () => list.checkMutable("insert into"));
    const given = Number(args[0]);
    const { length } = list;
    charge(sizes.slot);
    spend(length >> 6);
    list.elements.splice(
      Math.min(Math.max(given < 0 ? given + length : given, 0), length),
      0,
      args[1] as Value,
    );
    return null;
  },
  pop: (list, args, names) => {
    unpackPositional("pop", args, names, 0, ["int"]);
    const { length } = list;
    const given = args.length === 0 ? length - 1 : Number(args[0]);
    const index = given < 0 && args.length > 0 ? given + length : given;
    if (index < 0 || index >= length) fail(`pop: ${outOfRange("list", given, length)}`);
    withName("pop", () => list.checkMutable("pop from"));
    if (index === length - 1) return list.elements.pop() as Value;
    spend(length >> 6);
    return list.elements.splice(index, 1)[0] as Value;
  },
  remove: (list, args, names) => {
    unpackPositional("remove", args, names, 1, ["any"]);
    return withName("remove", () => {
      list.checkMutable("remove from");
      const index = list.elements.findIndex((element) => areEqual(element, args[0] as Value));
      if (index === -1) fail("element not found");
      list.elements.splice(index, 1);
      return null;
    });
  },
};
