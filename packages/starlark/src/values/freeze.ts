import { StarlarkObject, type Value } from "./value.ts";

/** Makes a value and everything inside of it immutable. Deep values need no deep stack. */
export function freezeValue(value: Value): void {
  const pending: Value[] = [value];
  const seen = new Set<Value>();
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (!(next instanceof StarlarkObject) || seen.has(next)) continue;
    seen.add(next);
    next.freeze(pending);
  }
}
