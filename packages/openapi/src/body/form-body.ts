import type { JsonObject, JsonSchema, JsonValue } from "@toolweave/core";
import type {
  Encoding,
  MediaDescription,
  Parameter,
  SelfContainedSchema,
} from "../document/operation.ts";
import { ownValue } from "../document/record.ts";
import { resolveSchema, getSchemaTypes } from "../schema/resolve-schema.ts";
import { toStyledProperty, createFormTextWriter } from "../parameters/form-text.ts";
import { methodOnly, createReservedKeyCheck } from "../parameters/reserved-names.ts";
import { createArtifactFiller, mayContainArtifact } from "./artifact-body-fields.ts";
import { encodeStrict } from "../parameters/percent-encode.ts";
import type { BodyWriter } from "./body-writer.ts";
import { assertWellFormed, type FieldArgument } from "../parameters/unrepresentable.ts";

type Schema = JsonSchema | boolean;

/**
 * Returns the schema of a required value without the values that cannot be represented: null, an empty list, and,
 * unless the value is sent as JSON, an empty object (RFC 6570 section 2.3). Constraints of compositions are not
 * changed: such a call is refused when it is made.
 */
function excludeEmpty(schema: Schema, defs: SelfContainedSchema["defs"], isJson = false): Schema {
  const resolved = resolveSchema(schema, defs);
  if (typeof schema === "boolean" || typeof resolved === "boolean") return schema;
  const types = getSchemaTypes(resolved);
  const sendable = types.filter((type) => type !== "null");
  const changes: Record<string, JsonValue> = {};
  if (sendable.length > 0 && sendable.length < types.length) {
    changes["type"] = sendable.length === 1 ? (sendable[0] as string) : sendable;
  }
  if (types.includes("array")) requireOne(changes, resolved, "minItems");
  if (types.includes("object") && !isJson) requireOne(changes, resolved, "minProperties");
  if (Object.keys(changes).length === 0) return schema;
  const { default: usual, ...others } = schema;
  // An empty default is removed, because it would be refused.
  return { ...(isEmptyValue(usual) ? others : schema), ...changes };
}

function isEmptyValue(value: JsonValue | undefined): boolean {
  return value === null || (typeof value === "object" && Object.keys(value).length === 0);
}

/** Returns the schema of a form in which every required field has a value that can be sent. */
export function toFormSchema(
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
    const sendable = excludeEmpty(field, defs, toStyledProperty(name, own) === undefined);
    if (sendable === field) continue;
    changed ??= { ...(properties as JsonObject) };
    changed[name] = sendable as JsonValue;
  }
  return changed === undefined ? schema : { ...root, properties: changed };
}

/** Returns the schema of a parameter without the values for which a call is refused. */
export function toRepresentableSchema(parameter: Parameter): Schema {
  const { in: location, style, required, allowEmptyValue, mediaType } = parameter;
  const { schema, defs } = parameter.schema;
  const isNeeded = location === "path" || (required && allowEmptyValue !== true);
  if (!isNeeded || mediaType !== undefined) return schema;
  const sendable = excludeEmpty(schema, defs);
  if (location !== "path" || style === "matrix" || typeof sendable === "boolean") return sendable;
  // An empty path segment would change the path.
  const resolved = resolveSchema(schema, defs) as JsonSchema;
  if (!getSchemaTypes(resolved).includes("string") || resolved["enum"] !== undefined)
    return sendable;
  const changes: Record<string, JsonValue> = {};
  requireOne(changes, resolved, "minLength");
  return { ...sendable, ...changes };
}

function requireOne(
  changes: Record<string, JsonValue>,
  schema: JsonSchema,
  keyword: "minItems" | "minProperties" | "minLength",
): void {
  const min = schema[keyword];
  if (typeof min !== "number" || min < 1) changes[keyword] = 1;
}

/**
 * Creates a writer of `application/x-www-form-urlencoded` (OpenAPI 3.2, "Encoding the x-www-form-urlencoded Media
 * Type").
 */
export function createFormWriter(
  media: MediaDescription,
  argument: string,
  toArgument?: FieldArgument,
): BodyWriter {
  const contentType = media.mediaType;
  const checkKey = createReservedKeyCheck(argument, methodOnly);
  const write = createFormTextWriter(media, argument, checkKey, toArgument);
  const fill = createArtifactFiller(media.schema, toArgument);
  return (value, files) => {
    if (typeof value === "string") {
      assertWellFormed(value, argument);
      for (const key of new URLSearchParams(value).keys()) checkKey(encodeStrict(key));
      return { contentType, body: value };
    }
    const body = write(value);
    return {
      contentType,
      body: mayContainArtifact(body) ? write(fill(value, files, argument)) : body,
    };
  };
}
