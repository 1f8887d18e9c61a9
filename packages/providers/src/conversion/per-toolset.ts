import type { Toolset } from "@toolweave/core";

/** A function of a toolset that remembers what it gave, for as long as the toolset lives. */
export function perToolset<Value extends object>(
  make: (toolset: Toolset) => Value,
): (toolset: Toolset) => Value {
  const made = new WeakMap<Toolset, Value>();
  return (toolset) => {
    let value = made.get(toolset);
    if (value === undefined) made.set(toolset, (value = make(toolset)));
    return value;
  };
}

/** Freezes a list, because all callers share it. Not `readonly`, since SDKs accept no readonly arrays. */
export function frozen<Item>(list: Item[]): Item[] {
  Object.freeze(list);
  return list;
}
