import { setOwn } from "../document/record.ts";
import type { JsonSchema, JsonValue } from "@toolweave/core";
import type { JsonRecord } from "../document/record.ts";
import { isAnnotation } from "./schema-keywords.ts";

const applicators = ["$ref", "allOf", "anyOf", "oneOf", "not", "if"];

/**
 * Extends a schema to accept null: `nullable: true` of OpenAPI 3.0. If the schema is composed of others, those would
 * refuse null, so null becomes an alternative to the whole schema, as authors intend. Null is added to an `enum` too;
 * for requests, see `refusesNull`.
 */
export function makeNullable(schema: JsonSchema): JsonSchema {
  if (applicators.some((keyword) => schema[keyword] !== undefined))
    return toNullAlternative(schema);
  const { type, const: constant, enum: values } = schema;
  if (constant !== undefined && constant !== null) return toNullAlternative(schema);
  const result: Record<string, JsonValue> = { ...schema };
  if (typeof type === "string" && type !== "null") result["type"] = [type, "null"];
  if (Array.isArray(type) && !type.includes("null")) result["type"] = [...type, "null"];
  if (Array.isArray(values) && !values.includes(null)) result["enum"] = [...values, null];
  return result;
}

/**
 * Returns true for a schema with an `enum` without null. `nullable` only widens `type`, and the constraints of other
 * keywords remain (OpenAPI 3.0.4, "Schema Object", `nullable`), so null is not sent. In a response it is accepted:
 * three of four such schemas in real documents omit null (all of Stripe's), and their APIs return it.
 */
export function refusesNull({ enum: values }: JsonSchema): boolean {
  return Array.isArray(values) && !values.includes(null);
}

/**
 * Returns true for `{ nullable: true }` without other constraints, which means null as a branch beside others:
 * generators write `anyOf: [{ $ref }, { nullable: true }]`. Literally it would accept any value, and the other branches
 * would have no effect.
 */
export function isOnlyNullable(schema: JsonRecord): boolean {
  if (schema["nullable"] !== true) return false;
  return Object.keys(schema).every((key) => key === "nullable" || isAnnotation(key));
}

function toNullAlternative(schema: JsonSchema): JsonSchema {
  const outside: Record<string, JsonValue> = {};
  const inside: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(schema)) {
    setOwn(isAnnotation(key) ? outside : inside, key, value);
  }
  const alternatives = inside["anyOf"];
  const only = Object.keys(inside).length === 1 && Array.isArray(alternatives);
  return { ...outside, anyOf: [...(only ? alternatives : [inside]), { type: "null" }] };
}
