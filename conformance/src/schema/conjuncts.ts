import type { JsonObject, JsonValue } from "@toolweave/core";
import type { References } from "./references.ts";
import { isObject } from "./subschemas.ts";

/**
 * The schema, its `allOf` and what its `$ref` means, all the way down: a value must satisfy each of
 * them, whatever else is said.
 */
export function conjuncts(schema: JsonValue | undefined, references: References): JsonObject[] {
  const found = new Set<JsonObject>();
  const add = (value: JsonValue | undefined): void => {
    if (!isObject(value) || found.has(value)) return;
    found.add(value);
    if (typeof value["$ref"] === "string") add(references.resolve(value["$ref"]));
    if (Array.isArray(value["allOf"])) value["allOf"].forEach(add);
  };
  add(schema);
  return [...found];
}
