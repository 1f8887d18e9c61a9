import type { JsonSchema, JsonValue } from "@toolweave/core";
import { isObject, namingKeywords } from "./schema-keywords.ts";

/** Deeper than any schema that the executor takes. */
const mostLevels = 500;

/** What is written for a reader. */
const wording = new Set(["title", "description", "$comment"]);

/** Keywords with a schema, or a list of them. */
const applying = new Set([
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
 * A copy of the schema in which each title, description and comment is what `shown` makes of it, in
 * the keywords of 2020-12 and draft-07. What values are held against stays as it is: names of
 * properties, `enum`, `const`, `pattern`, `default`.
 */
export function sanitizeSchema(schema: JsonSchema, shown: (text: string) => string): JsonSchema {
  const copy = (part: JsonValue, level: number): JsonValue => {
    if (typeof part !== "object" || part === null || level > mostLevels) return part;
    if (Array.isArray(part)) return part.map((member: JsonValue) => copy(member, level + 1));
    return members(part as JsonSchema, (key, value) => {
      if (typeof value === "string") return wording.has(key) ? shown(value) : value;
      if (applying.has(key)) return copy(value, level + 1);
      if (!namingKeywords.has(key) || !isObject(value)) return value;
      return members(value, (_, named) => copy(named, level + 2));
    });
  };
  return copy(schema, 0) as JsonSchema;
}

/** A copy with other values; a member that is called `__proto__` stays one. */
function members(of: JsonSchema, change: (key: string, value: JsonValue) => JsonValue): JsonSchema {
  return Object.fromEntries(Object.entries(of).map(([key, value]) => [key, change(key, value)]));
}
