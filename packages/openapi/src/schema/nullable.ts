import { setOwn } from "../document/record.ts";
import type { JsonSchema, JsonValue } from "@toolweave/core";
import type { JsonRecord } from "../document/record.ts";
import { isAnnotation } from "./schema-keywords.ts";

const applicators = ["$ref", "allOf", "anyOf", "oneOf", "not", "if"];

/**
 * A schema that accepts null as well: `nullable: true` of OpenAPI 3.0. Where the schema is made of
 * others, those would refuse null, so null becomes an alternative to all of it: that is what authors
 * mean. An `enum` gets null, too: of an answer, see `refusesNull`.
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

/**
 * True for a schema with an `enum` that has no null. `nullable` only widens `type`, and what other keywords refuse
 * stays refused (OpenAPI 3.0.4, "Schema Object", `nullable`), so null is not sent. It is taken of an answer: three of
 * four such schemas in real documents leave null out (Stripe's all), and their APIs answer it.
 */
export function refusesNull({ enum: values }: JsonSchema): boolean {
  return Array.isArray(values) && !values.includes(null);
}

/**
 * True for `{ nullable: true }` and nothing else, which stands for null as a branch beside others: generators write
 * `anyOf: [{ $ref }, { nullable: true }]`. Taken literally it would be anything, and the other branches would say nothing.
 */
export function isOnlyNullable(schema: JsonRecord): boolean {
  if (schema["nullable"] !== true) return false;
  return Object.keys(schema).every((key) => key === "nullable" || isAnnotation(key));
}

function orNull(schema: JsonSchema): JsonSchema {
  const outside: Record<string, JsonValue> = {};
  const inside: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(schema)) {
    setOwn(isAnnotation(key) ? outside : inside, key, value);
  }
  const alternatives = inside["anyOf"];
  const only = Object.keys(inside).length === 1 && Array.isArray(alternatives);
  return { ...outside, anyOf: [...(only ? alternatives : [inside]), { type: "null" }] };
}
