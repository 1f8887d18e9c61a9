import type { JsonSchema, JsonValue } from "@toolweave/core";
import type { Parameter, SelfContainedSchema } from "../document/operation.ts";
import { resolveSchema, schemaTypes } from "../schema/resolve-schema.ts";

type Schema = JsonSchema | boolean;

/**
 * The schema of a required value without what has no form where it travels: null, an empty list, and, unless it is JSON
 * there, an empty object (RFC 6570 section 2.3). What only a composition says is left as it is: the call is refused then.
 */
export function withoutEmpty(
  schema: Schema,
  defs: SelfContainedSchema["defs"],
  isJson = false,
): Schema {
  const resolved = resolveSchema(schema, defs);
  if (typeof schema === "boolean" || typeof resolved === "boolean") return schema;
  const types = schemaTypes(resolved);
  const others = types.filter((type) => type !== "null");
  const changes: Record<string, JsonValue> = {};
  if (others.length > 0 && others.length < types.length) {
    changes["type"] = others.length === 1 ? (others[0] as string) : others;
  }
  if (types.includes("array")) atLeastOne(changes, resolved, "minItems");
  if (types.includes("object") && !isJson) atLeastOne(changes, resolved, "minProperties");
  return Object.keys(changes).length === 0 ? schema : { ...schema, ...changes };
}

/** The schema of a parameter, without the values that a call is refused for. */
export function sendableSchema(parameter: Parameter): Schema {
  const { in: location, style, required, allowEmptyValue, mediaType } = parameter;
  const { schema, defs } = parameter.schema;
  const isNeeded = location === "path" || (required && allowEmptyValue !== true);
  if (!isNeeded || mediaType !== undefined) return schema;
  const sendable = withoutEmpty(schema, defs);
  if (location !== "path" || style === "matrix" || typeof sendable === "boolean") return sendable;
  // A segment of a path that is empty makes it another path.
  const resolved = resolveSchema(schema, defs) as JsonSchema;
  if (!schemaTypes(resolved).includes("string") || resolved["enum"] !== undefined) return sendable;
  const changes: Record<string, JsonValue> = {};
  atLeastOne(changes, resolved, "minLength");
  return { ...sendable, ...changes };
}

function atLeastOne(
  changes: Record<string, JsonValue>,
  schema: JsonSchema,
  keyword: "minItems" | "minProperties" | "minLength",
): void {
  const least = schema[keyword];
  if (typeof least !== "number" || least < 1) changes[keyword] = 1;
}
