import type { JsonValue } from "@toolweave/core";
import type { MemberChangeText } from "../contract/contract.ts";

/**
 * The differences between two JSON values, member by member, with JSON pointers. Arrays of different lengths differ as a
 * whole.
 */
export function argumentChanges(
  before: JsonValue,
  after: JsonValue,
  pointer = "",
): readonly MemberChangeText[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (isPlainObject(before) && isPlainObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names.flatMap((name) => {
      const path = `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      const old = Object.hasOwn(before, name) ? before[name] : undefined;
      const next = Object.hasOwn(after, name) ? after[name] : undefined;
      if (old === undefined && next !== undefined) {
        return [{ path, after: next, text: "is added" }];
      }
      if (old !== undefined && next === undefined) {
        return [{ path, before: old, text: "is removed" }];
      }
      return old === undefined || next === undefined ? [] : argumentChanges(old, next, path);
    });
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    return before.flatMap((item, index) =>
      argumentChanges(item as JsonValue, after[index] as JsonValue, `${pointer}/${index}`),
    );
  }
  return [{ path: pointer === "" ? "/" : pointer, before, after, text: "is different" }];
}

function isPlainObject(value: JsonValue): value is { [name: string]: JsonValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
