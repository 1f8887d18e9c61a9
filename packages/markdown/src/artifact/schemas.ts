import type { JsonObject, JsonSchema, JsonValue } from "@toolweave/core";
import {
  decodeFragment,
  findInvalidKeyword,
  getDialect,
  parsePointer,
  resolvePointer,
  walkSubschemas,
} from "@toolweave/core/adapter";
import { checkDefault } from "./default-value.ts";
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
    const { $ref: reference } = node as { readonly $ref?: unknown };
    if (typeof reference === "string" && !isLocal(schema, reference))
      below.report([...toPath(pointer), "$ref"], {
        code: "schema",
        message: `${below.title([...toPath(pointer), "$ref"].join("."))} must refer to a part of this schema, not to "${reference}"`,
        hint: 'Put the schema under $defs, and refer to it: $ref: "#/$defs/NAME".',
      });
    const fallback = (node as JsonObject)["default"];
    if (fallback !== undefined) {
      const { $defs = {}, definitions = {} } = schema as JsonObject;
      checkDefault(below, { $defs, definitions, ...node }, fallback, toPath(pointer));
    }
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

/** Whether a reference leads to a part of the schema: nothing is ever loaded. */
function isLocal(schema: JsonSchema, reference: string): boolean {
  if (reference === "#") return true;
  if (!reference.startsWith("#/")) return reference.startsWith("#");
  try {
    return resolvePointer(schema as JsonValue, decodeFragment(reference.slice(1))) !== undefined;
  } catch {
    return false;
  }
}

function toPath(pointer: string): readonly (string | number)[] {
  return parsePointer(pointer).map((key) => (/^\d+$/.test(key) ? Number(key) : key));
}
