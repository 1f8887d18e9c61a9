import type { JsonObject, JsonSchema, JsonValue } from "@toolweave/core";
import { findInvalidKeyword, isObject, keywords, nearNames } from "@toolweave/core/adapter";
import { checkDefault } from "./default-value.ts";
import { describe, joinOr } from "./fields.ts";
import type { Fields } from "./fields.ts";

const types = ["string", "number", "boolean", "object", "array", "integer"] as const;

/** Names of types in other languages, and what they are called here. */
const otherNames: Readonly<Record<string, string>> = {
  str: "string",
  text: "string",
  int: "integer",
  long: "integer",
  float: "number",
  double: "number",
  bool: "boolean",
  dict: "object",
  map: "object",
  list: "array",
  tuple: "array",
};

const maxDepth = 10;
const ownKeys = ["type", "description", "required", "enum", "items", "properties", "default"];

/** The JSON Schema of `parameters`. Keys that are not declared pass. */
export function readParameters(fields: Fields): JsonSchema {
  return { type: "object", ...readProperties(fields, 0), additionalProperties: true };
}

function readProperties(fields: Fields, depth: number): JsonObject {
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  for (const [name, value] of Object.entries(fields.values)) {
    if (!isObject(value)) {
      fields.reportType(name, value, "a map", `Write ${name}: { type: string, required: true }.`);
      continue;
    }
    const parameter = fields.below([name], value, fields.title(name));
    const schema = readParameter(parameter, name, depth);
    Object.defineProperty(properties, name, {
      value: schema,
      configurable: true,
      enumerable: true,
      writable: true,
    });
    if (parameter.boolean("required") === true) required.push(name);
  }
  return { properties, ...(required.length > 0 && { required }) };
}

function readParameter(fields: Fields, name: string, depth: number): JsonSchema {
  const type = readType(fields, name);
  const description = fields.string("description");
  const choices = fields.list("enum");
  const schema: Record<string, JsonValue> = {
    ...(type !== undefined && { type }),
    ...(description !== undefined && { description }),
  };
  if (choices !== undefined) {
    if (choices.length === 0)
      fields.report("enum", {
        code: "invalid_value",
        message: `${fields.title("enum")} must have a value`,
      });
    else schema["enum"] = choices;
    for (const [index, choice] of choices.entries())
      checkValue(fields, ["enum", index], choice, type);
  }
  if (depth >= maxDepth) {
    fields.report([], { code: "invalid_value", message: "parameters are nested too deeply" });
    return schema;
  }
  const items = fields.fields("items");
  if (items !== undefined) {
    if (type !== undefined && type !== "array") reportMisplaced(fields, "items", "array");
    schema["items"] = readParameter(items, `${name}[]`, depth + 1);
  }
  const properties = fields.fields("properties");
  if (properties !== undefined) {
    if (type !== undefined && type !== "object") reportMisplaced(fields, "properties", "object");
    Object.assign(schema, readProperties(properties, depth + 1));
  }
  copyKeywords(fields, schema);
  const fallback = fields.get("default");
  if (fallback !== undefined) {
    if (checkValue(fields, ["default"], fallback, type)) checkDefault(fields, schema, fallback);
    schema["default"] = fallback;
    if (fields.get("required") === true)
      fields.report("default", {
        code: "default_of_required",
        severity: "warning",
        message: `${fields.title("default")} is never used: the parameter is required`,
        hint: "Remove one of the two.",
      });
  }
  return schema;
}

function readType(fields: Fields, name: string): string | undefined {
  if (!fields.has("type")) {
    fields.reportKey([], {
      code: "parameter_type",
      message: `parameter "${name}" has no type`,
      hint: `Add type: ${joinOr(types)}.`,
    });
    return undefined;
  }
  const type = fields.string("type");
  if (type === undefined || types.some((each) => each === type)) return type;
  const near = otherNames[type.toLowerCase()] ?? nearNames(type, types, 1)[0];
  fields.report("type", {
    code: "parameter_type",
    message: `parameter "${name}" has the unknown type "${type}"`,
    hint: near === undefined ? `Types are ${joinOr(types)}.` : `Did you mean ${near}?`,
  });
  return undefined;
}

/** Other keywords of JSON Schema, such as `minimum` and `pattern`. */
function copyKeywords(fields: Fields, schema: Record<string, JsonValue>): void {
  const others = Object.entries(fields.values).filter(
    ([key]) => !ownKeys.includes(key) && keywords.includes(key),
  );
  for (const [keyword, value] of others) {
    if (keyword.startsWith("$")) {
      fields.reportKey(keyword, {
        code: "schema",
        message: `${fields.title(keyword)} is not supported`,
        hint: "Write the whole schema under input, in place of parameters.",
      });
      continue;
    }
    const invalid = findInvalidKeyword({ [keyword]: value });
    if (invalid === undefined) schema[keyword] = value;
    else fields.reportType(keyword, value, invalid.expected);
  }
  fields.unknown([...ownKeys, ...others.map(([keyword]) => keyword)]);
}

function reportMisplaced(fields: Fields, key: string, type: string): void {
  fields.reportKey(key, {
    code: "invalid_value",
    message: `${fields.title(key)} needs the type ${type}`,
  });
}

/** Reports a value of another type; false: it is one. */
function checkValue(
  fields: Fields,
  path: readonly (string | number)[],
  value: JsonValue,
  type: string | undefined,
): boolean {
  if (type === undefined || getJsonType(value) === type) return true;
  if (type === "number" && typeof value === "number") return true;
  fields.report(path, {
    code: "wrong_type",
    message: `${fields.title(path[0] as string)} must fit the type ${type}, and ${describe(value)} does not`,
  });
  return false;
}

function getJsonType(value: JsonValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}
