import type { JsonObject, JsonSchema, JsonValue } from "@toolweave/core";
import type {
  Encoding,
  MediaDescription,
  Parameter,
  SelfContainedSchema,
} from "../document/operation.ts";
import { ownValue } from "../document/record.ts";
import { resolveSchema, schemaTypes } from "../schema/resolve-schema.ts";
import { styledProperty } from "../parameters/form-text.ts";

type Schema = JsonSchema | boolean;

/**
 * The schema of a required value without what has no form where it travels: null, an empty list, and, unless it is JSON
 * there, an empty object (RFC 6570 section 2.3). What only a composition says is left as it is: the call is refused then.
 */
function withoutEmpty(schema: Schema, defs: SelfContainedSchema["defs"], isJson = false): Schema {
  const resolved = resolveSchema(schema, defs);
  if (typeof schema === "boolean" || typeof resolved === "boolean") return schema;
  const types = schemaTypes(resolved);
  const sendable = types.filter((type) => type !== "null");
  const changes: Record<string, JsonValue> = {};
  if (sendable.length > 0 && sendable.length < types.length) {
    changes["type"] = sendable.length === 1 ? (sendable[0] as string) : sendable;
  }
  if (types.includes("array")) atLeastOne(changes, resolved, "minItems");
  if (types.includes("object") && !isJson) atLeastOne(changes, resolved, "minProperties");
  if (Object.keys(changes).length === 0) return schema;
  const { default: usual, ...others } = schema;
  // A default that is refused is none.
  return { ...(isNothing(usual) ? others : schema), ...changes };
}

function isNothing(value: JsonValue | undefined): boolean {
  return value === null || (typeof value === "object" && Object.keys(value).length === 0);
}

/** The schema of a form, of which no required field is what would not be sent. */
export function formSchema(
  schema: Schema,
  { schema: { defs }, encoding = {} }: MediaDescription,
): Schema {
  const root = resolveSchema(schema, defs);
  if (typeof root === "boolean") return schema;
  const { properties, required } = root;
  if (!Array.isArray(required)) return schema;
  let changed: Record<string, JsonValue> | undefined;
  for (const name of required as readonly string[]) {
    const field = ownValue(properties, name) as Schema | undefined;
    if (field === undefined) continue;
    const own = (ownValue(encoding, name) ?? {}) as Encoding;
    const sendable = withoutEmpty(field, defs, styledProperty(name, own) === undefined);
    if (sendable === field) continue;
    changed ??= { ...(properties as JsonObject) };
    changed[name] = sendable as JsonValue;
  }
  return changed === undefined ? schema : { ...root, properties: changed };
}

/** The schema of a parameter, without the values that a call is refused for. */
export function representableSchema(parameter: Parameter): Schema {
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
