import { Validator, type Schema, type SchemaDraft } from "@cfworker/json-schema";
import type { SchemaValidator } from "./schema/schema-validator.ts";

/**
 * A validator that generates no code, for Workers and wherever a content security policy forbids
 * `eval`. Slower per call than the default. Needs the package `@cfworker/json-schema` beside core.
 */
export function interpretedValidator(): SchemaValidator {
  return {
    compile(schema) {
      const validator = new Validator(schema as Schema, draftOf(schema["$schema"]), false);
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

function draftOf(dialect: unknown): SchemaDraft {
  if (typeof dialect !== "string") return "2020-12";
  if (/draft-0[5-7]/.test(dialect)) return "7";
  if (dialect.includes("draft-04")) return "4";
  return dialect.includes("2019-09") ? "2019-09" : "2020-12";
}
