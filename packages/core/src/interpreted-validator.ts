import { Validator, type Schema, type SchemaDraft } from "@cfworker/json-schema";
import type { JsonSchema, JsonValue } from "./spec/json.ts";
import type { SchemaValidator } from "./schema/schema-validator.ts";

/**
 * A validator that generates no code, for Workers and wherever a content security policy forbids
 * `eval`. Slower per call than the default. Needs the package `@cfworker/json-schema` beside core.
 */
export function interpretedValidator(): SchemaValidator {
  return {
    compile(schema) {
      // A copy: the library writes into the schemas it is given.
      const own = asAnnotations(schema) as Schema;
      const validator = new Validator(own, draftOf(schema["$schema"]), false);
      return (value) => {
        const { valid, errors } = validator.validate(value);
        if (valid) return undefined;
        const leaves = errors.filter(
          ({ keyword }) => !["properties", "items", "$ref", "allOf"].includes(keyword),
        );
        return (leaves.length > 0 ? leaves : errors).map(({ instanceLocation, error }) => ({
          path: instanceLocation.replace(/^#/, ""),
          message: error,
        }));
      };
    },
  };
}

const mapsOfSchemas = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
  "dependencies",
]);
const data = new Set(["const", "enum", "default", "examples"]);

/** The schema without `format`, which is an annotation here as it is for the default validator. */
function asAnnotations(schema: JsonValue): JsonValue {
  if (typeof schema !== "object" || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(asAnnotations);
  return withMembers(schema as JsonSchema, (keyword, value) => {
    if (keyword === "format") return undefined;
    if (data.has(keyword)) return structuredClone(value);
    return mapsOfSchemas.has(keyword) && typeof value === "object" && value !== null
      ? withMembers(value as JsonSchema, (_, member) => asAnnotations(member))
      : asAnnotations(value);
  });
}

function withMembers(
  object: JsonSchema,
  change: (key: string, value: JsonValue) => JsonValue | undefined,
): JsonSchema {
  const members = Object.entries(object).map(([key, value]) => [key, change(key, value)] as const);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined)) as JsonSchema;
}

function draftOf(dialect: unknown): SchemaDraft {
  if (typeof dialect !== "string") return "2020-12";
  if (/draft-0[5-7]/.test(dialect)) return "7";
  if (dialect.includes("draft-04")) return "4";
  return dialect.includes("2019-09") ? "2019-09" : "2020-12";
}
