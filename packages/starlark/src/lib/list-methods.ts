import { fail } from "../values/error.ts";
import { charge, sizes, spend } from "../values/budget.ts";
import { areEqual } from "../values/compare.ts";
import type { Int } from "../values/int.ts";
import type { StarlarkList } from "../values/list.ts";
import { toPosition, toRange } from "../values/subscript.ts";
import { toItems, type Value } from "../values/value.ts";
import { defineMethods, type MethodTable } from "./method.ts";

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
