import type { JsonSchema } from "@toolweave/core";
import {
  findInvalidKeyword,
  getDialect,
  parsePointer,
  walkSubschemas,
} from "@toolweave/core/adapter";
import { describe } from "./fields.ts";
import type { Fields } from "./fields.ts";

const maxSchemas = 2000;

/** A JSON Schema of an object: `input` or `output`. */
export function readSchema(fields: Fields, key: string): JsonSchema | undefined {
  const below = fields.fields(key, "a JSON Schema of an object");
  if (below === undefined) return undefined;
  const schema = below.values;
  const dialect = getDialect(schema["$schema"]);
  if (schema["type"] !== undefined && schema["type"] !== "object")
    below.report("type", {
      code: "schema",
      message: `${below.title("type")} must be object, not ${describe(schema["type"])}`,
      hint: `Put the value under a property: ${key}: { type: object, properties: … }.`,
    });
  for (const { schema: node, pointer } of walkSubschemas(schema, maxSchemas)) {
    const invalid = findInvalidKeyword(node, dialect);
    if (invalid === undefined || (pointer === "" && invalid.keyword === "type")) continue;
    const path = [...toPath(pointer), invalid.keyword];
    below.report(path, {
      code: "schema",
      message: `${below.title(path.join("."))} must be ${invalid.expected}`,
    });
  }
  return schema["type"] === undefined ? { type: "object", ...schema } : schema;
}

function toPath(pointer: string): readonly (string | number)[] {
  return parsePointer(pointer).map((key) => (/^\d+$/.test(key) ? Number(key) : key));
}
