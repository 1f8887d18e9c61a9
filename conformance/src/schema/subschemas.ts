import type { JsonObject, JsonValue } from "@toolweave/core";

const single = [
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
const lists = ["allOf", "anyOf", "items", "oneOf", "prefixItems"];
const maps = [
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
 * The object schemas directly within a schema, by the keywords of 2020-12 and draft-07: a property
 * that happens to be called `$ref`, or an example that looks like a schema, is none.
 */
export function subschemas(schema: JsonObject): Subschema[] {
  const found: Subschema[] = [];
  const add = (value: JsonValue | undefined, path: string): void => {
    if (isObject(value)) found.push({ schema: value, path });
  };
  for (const keyword of single) add(schema[keyword], `/${keyword}`);
  for (const keyword of lists) {
    const members = schema[keyword];
    if (Array.isArray(members)) {
      members.forEach((member: JsonValue, index) => add(member, `/${keyword}/${index}`));
    }
  }
  for (const keyword of maps) {
    const members = schema[keyword];
    if (!isObject(members)) continue;
    for (const [name, member] of Object.entries(members)) {
      add(member, `/${keyword}/${escapePointer(name)}`);
    }
  }
  return found;
}

/** A key as a part of a JSON pointer. */
export function escapePointer(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** True for a JSON object; false for arrays and primitives. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
