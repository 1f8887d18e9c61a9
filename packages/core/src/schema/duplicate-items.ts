import { canonicalJson } from "../json/canonical-json.ts";
import { spend } from "./pattern/work-budget.ts";

/**
 * Two places of an array with equal items (JSON Schema's equality: the order of keys does not
 * count), the later one first: the last item that an earlier one equals, and the nearest such one.
 * Linear in the array's size.
 */
export function duplicateItems(items: readonly unknown[]): readonly [number, number] | undefined {
  const primitives = new Map<unknown, number>();
  const structures = new Map<unknown, number>();
  let found: [number, number] | undefined;
  for (const [index, item] of items.entries()) {
    const structured = typeof item === "object" && item !== null;
    const key = structured ? canonicalJson(item) : item;
    spend(typeof key === "string" ? 50 + key.length * 10 : 100);
    const seen = structured ? structures : primitives;
    const earlier = seen.get(key);
    if (earlier !== undefined) found = [index, earlier];
    seen.set(key, index);
  }
  return found;
}
