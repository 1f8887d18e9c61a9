import type { JsonObject, JsonValue } from "@toolweave/core";
import { isObject } from "@toolweave/core/adapter";

/** Levels of the objects that the protocol defines; deeper ones are data. */
const maxDepth = 4;

/**
 * Removes the members that are `null`, which servers of several languages write for absent ones. The protocol's blocks,
 * resources and prompts have no member that may be `null`, and the official clients reject them. `_meta` is data, and is
 * removed only if it is `null` itself.
 */
export function withoutNulls(value: JsonObject): JsonObject {
  return removeNulls(value, 0) as JsonObject;
}

function removeNulls(value: JsonValue, depth: number): JsonValue {
  if (depth > maxDepth) return value;
  if (Array.isArray(value)) return mapChanged(value, (item) => removeNulls(item, depth + 1));
  if (!isObject(value)) return value;
  let copy: Record<string, JsonValue> | undefined;
  for (const [name, member] of Object.entries(value)) {
    const kept = name === "_meta" ? member : removeNulls(member, depth + 1);
    if (kept === member && member !== null) continue;
    copy ??= { ...value };
    if (member === null) delete copy[name];
    else copy[name] = kept;
  }
  return copy ?? value;
}

function mapChanged(
  items: readonly JsonValue[],
  change: (item: JsonValue) => JsonValue,
): readonly JsonValue[] {
  const changed = items.map(change);
  return changed.every((item, index) => item === items[index]) ? items : changed;
}
