import type { JsonSchema, JsonValue } from "@toolweave/core";
import { isAnnotation } from "./schema-keywords.ts";

const applicators = ["$ref", "allOf", "anyOf", "oneOf", "not", "if"];

/**
 * A schema that accepts null as well: `nullable: true` of OpenAPI 3.0. Where the schema is made of
 * others, those would refuse null, so null becomes an alternative to all of it: that is what authors
 * mean.
 */
export function makeNullable(schema: JsonSchema): JsonSchema {
  if (applicators.some((keyword) => schema[keyword] !== undefined)) return orNull(schema);
  const { type, const: constant, enum: values } = schema;
  if (constant !== undefined && constant !== null) return orNull(schema);
  const result: Record<string, JsonValue> = { ...schema };
  if (typeof type === "string" && type !== "null") result["type"] = [type, "null"];
  if (Array.isArray(type) && !type.includes("null")) result["type"] = [...type, "null"];
  if (Array.isArray(values) && !values.includes(null)) result["enum"] = [...values, null];
  return result;
}

function orNull(schema: JsonSchema): JsonSchema {
  const outside: Record<string, JsonValue> = {};
  const inside: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(schema)) {
    (isAnnotation(key) ? outside : inside)[key] = value;
  }
  const alternatives = inside["anyOf"];
  const only = Object.keys(inside).length === 1 && Array.isArray(alternatives);
  return { ...outside, anyOf: [...(only ? alternatives : [inside]), { type: "null" }] };
}
