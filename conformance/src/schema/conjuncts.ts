import type { JsonObject, JsonValue } from "@toolweave/core";
import { isObject } from "@toolweave/core/adapter";
import type { References } from "./references.ts";

/**
 * The schema, its `allOf` and the targets of its `$ref`, recursively: a value must satisfy each of
 * them.
 *
 * @param dynamic true to follow `$dynamicRef` and `$recursiveRef` too, as if no other schema used
 * this one.
 */
export function collectConjuncts(
  schema: JsonValue | undefined,
  references: References,
  dynamic = false,
): JsonObject[] {
  const keywords = dynamic ? ["$ref", "$dynamicRef", "$recursiveRef"] : ["$ref"];
  const found = new Set<JsonObject>();
  const add = (value: JsonValue | undefined): void => {
    if (!isObject(value) || found.has(value)) return;
    found.add(value);
    for (const keyword of keywords) {
      const reference = value[keyword];
      if (typeof reference === "string") add(references.resolve(reference));
    }
    if (Array.isArray(value["allOf"])) value["allOf"].forEach(add);
  };
  add(schema);
  return [...found];
}
