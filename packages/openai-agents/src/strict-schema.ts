import type { JsonSchema } from "@toolweave/core";

/**
 * The keywords that strict mode supports (https://platform.openai.com/docs/guides/structured-outputs, supported
 * schemas).
 */
const keywords = new Set([
  "type",
  "description",
  "properties",
  "required",
  "additionalProperties",
  "items",
  "enum",
  "const",
  "anyOf",
  "$ref",
  "$defs",
  "pattern",
  "format",
  "multipleOf",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "minItems",
  "maxItems",
]);

const types = new Set(["string", "number", "boolean", "integer", "object", "array", "null"]);

const formats = new Set([
  "date-time",
  "time",
  "date",
  "duration",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "uuid",
]);

/** Lookarounds, which the API refuses (https://github.com/vercel/ai/pull/21037). */
const refusedPattern = /\(\?<?[=!]/;

/** Levels, where lists and alternatives count like objects; properties in all; enum values in all. */
const maxLevels = 10;
const maxProperties = 5_000;
const maxValues = 1_000;
/** Characters of all names of properties and definitions, enum values and constants. */
const maxTextLength = 120_000;
/** Characters of the values of one enum that has more than 250. */
const maxTextLengthOfManyValues = 15_000;

interface Used {
  properties: number;
  values: number;
  text: number;
}

/**
 * True when OpenAI's strict mode takes the schema as it is: every property required, no other ones,
 * nothing it does not know. What is not sure counts as no.
 */
export function fitsStrictMode(schema: JsonSchema): boolean {
  const used: Used = { properties: 0, values: 0, text: 0 };
  return isObject(schema) &&
    schema["type"] === "object" &&
    !["anyOf", "enum", "const"].some((keyword) => keyword in schema)
    ? fits(schema, 1, used)
    : false;
}

function fits(schema: unknown, level: number, used: Used): boolean {
  if (level > maxLevels || !isObject(schema)) return false;
  if (!Object.keys(schema).every((keyword) => keywords.has(keyword))) return false;
  const { type, format, $ref, $defs, anyOf, items, enum: values, const: constant } = schema;
  if ($ref !== undefined) return isLocal($ref) && Object.keys(schema).length === 1;
  if (type === undefined && anyOf === undefined && constant === undefined && values === undefined) {
    return false;
  }
  if (type !== undefined && !asList(type).every((one) => types.has(one as string))) return false;
  if (format !== undefined && !formats.has(format as string)) return false;
  if (refusedPattern.test(String(schema["pattern"]))) return false;
  if (!count(used, [...asList(values ?? []), ...(constant === undefined ? [] : [constant])])) {
    return false;
  }
  const isList = asList(type ?? []).includes("array");
  if (isList !== (items !== undefined)) return false;
  return (
    (items === undefined || fits(items, level + 1, used)) &&
    (anyOf === undefined ||
      (Array.isArray(anyOf) && anyOf.every((one) => fits(one, level + 1, used)))) &&
    ($defs === undefined || eachFits($defs, level, used)) &&
    fitsObject(schema, level, used)
  );
}

function fitsObject(schema: Record<string, unknown>, level: number, used: Used): boolean {
  const { type, properties, required, additionalProperties } = schema;
  if (!asList(type ?? []).includes("object")) {
    return properties === undefined && required === undefined && additionalProperties === undefined;
  }
  if (additionalProperties !== false || !isObject(properties)) return false;
  const names = Object.keys(properties);
  used.properties += names.length;
  const listed = new Set(Array.isArray(required) ? required : []);
  return (
    used.properties <= maxProperties &&
    listed.size === names.length &&
    names.every((name) => listed.has(name)) &&
    eachFits(properties, level + 1, used)
  );
}

function eachFits(schemas: unknown, level: number, used: Used): boolean {
  if (!isObject(schemas)) return false;
  used.text += Object.keys(schemas).join("").length;
  return (
    used.text <= maxTextLength && Object.values(schemas).every((one) => fits(one, level, used))
  );
}

function count(used: Used, values: readonly unknown[]): boolean {
  const text = values.reduce<number>((sum, value) => sum + String(value).length, 0);
  used.values += values.length;
  used.text += text;
  const plain = values.every((value) => value === null || typeof value !== "object");
  const most = values.length > 250 ? maxTextLengthOfManyValues : maxTextLength;
  return plain && text <= most && used.values <= maxValues && used.text <= maxTextLength;
}

function isLocal(reference: unknown): boolean {
  return reference === "#" || (typeof reference === "string" && reference.startsWith("#/$defs/"));
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
