import type { JsonObject } from "@toolweave/core";

/** Keywords whose members have arbitrary names, even `$ref` or `default`, and are schemas. */
export const namingKeywords: ReadonlySet<string> = new Set([
  "$defs",
  "definitions",
  "dependencies",
  "dependentSchemas",
  "patternProperties",
  "properties",
]);

/** Keywords whose values are data: names of keywords in them have no meaning. */
export const dataKeywords: ReadonlySet<string> = new Set([
  "const",
  "default",
  "enum",
  "example",
  "examples",
]);

/** True for a JSON object; false for arrays and primitives. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
