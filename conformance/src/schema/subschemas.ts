import type { JsonObject, JsonValue } from "@toolweave/core";
import { childPointer } from "@toolweave/core/adapter";

const schemaKeywords = [
  "additionalItems",
  "additionalProperties",
  "contains",
  "contentSchema",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
];
const listKeywords = ["allOf", "anyOf", "items", "oneOf", "prefixItems"];
const mapKeywords = [
  "$defs",
  "definitions",
  "dependencies",
  "dependentSchemas",
  "patternProperties",
  "properties",
];

/** A schema within another. */
export interface Subschema {
  readonly schema: JsonObject;
  /** A JSON pointer from the outer schema. */
  readonly path: string;
}

/**
 * The object schemas directly within a schema, by the keywords of 2020-12 and draft-07. A property
 * that is named `$ref` or an example that looks like a schema is not one.
 */
export function directSubschemas(schema: JsonObject): Subschema[] {
  const found: Subschema[] = [];
  const add = (value: JsonValue | undefined, path: string): void => {
    if (isObject(value)) found.push({ schema: value, path });
  };
  for (const keyword of schemaKeywords) add(schema[keyword], `/${keyword}`);
  for (const keyword of listKeywords) {
    const members = schema[keyword];
    if (Array.isArray(members)) {
      members.forEach((member: JsonValue, index) => add(member, `/${keyword}/${index}`));
    }
  }
  for (const keyword of mapKeywords) {
    const members = schema[keyword];
    if (!isObject(members)) continue;
    for (const [name, member] of Object.entries(members)) {
      add(member, childPointer(`/${keyword}`, name));
    }
  }
  return found;
}

/** True for a JSON object; false for arrays and primitives. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A schema and all schemas within it, each once. References are not followed. */
export function collectSubschemas(root: JsonObject): Subschema[] {
  const found: Subschema[] = [{ schema: root, path: "" }];
  const seen = new Set<JsonObject>([root]);
  for (const { schema, path } of found) {
    for (const inner of directSubschemas(schema)) {
      if (seen.has(inner.schema)) continue;
      seen.add(inner.schema);
      found.push({ schema: inner.schema, path: `${path}${inner.path}` });
    }
  }
  return found;
}
