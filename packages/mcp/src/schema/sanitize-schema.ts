import type { JsonSchema, JsonValue } from "@toolweave/core";
import { isObject, namingKeywords } from "./schema-keywords.ts";

/** Deeper than any schema that the executor accepts. */
const maxLevels = 500;

/** Keywords with texts for a reader. */
const textKeywords = new Set(["title", "description", "$comment"]);

/** Keywords with a schema, or a list of schemas. */
const schemaKeywords = new Set([
  "additionalItems",
  "additionalProperties",
  "allOf",
  "anyOf",
  "contains",
  "contentSchema",
  "else",
  "if",
  "items",
  "not",
  "oneOf",
  "prefixItems",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
]);

/**
 * Copies a schema and sanitizes each title, description and comment, in the keywords of 2020-12 and draft-07.
 * Everything that affects validation stays unchanged: names of properties, `enum`, `const`, `pattern`, `default`.
 */
export function sanitizeSchema(schema: JsonSchema, sanitize: (text: string) => string): JsonSchema {
  const copy = (part: JsonValue, level: number): JsonValue => {
    if (typeof part !== "object" || part === null || level > maxLevels) return part;
    if (Array.isArray(part)) return part.map((member: JsonValue) => copy(member, level + 1));
    return members(part as JsonSchema, (key, value) => {
      if (typeof value === "string") return textKeywords.has(key) ? sanitize(value) : value;
      if (schemaKeywords.has(key)) return copy(value, level + 1);
      if (!namingKeywords.has(key) || !isObject(value)) return value;
      return members(value, (_, named) => copy(named, level + 2));
    });
  };
  return copy(schema, 0) as JsonSchema;
}

/** Copies an object with changed values; a member named `__proto__` is preserved. */
function members(of: JsonSchema, change: (key: string, value: JsonValue) => JsonValue): JsonSchema {
  return Object.fromEntries(Object.entries(of).map(([key, value]) => [key, change(key, value)]));
}
