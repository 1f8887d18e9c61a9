import type { JsonSchema, JsonValue, ToolSpec } from "@toolweave/core";
import {
  adaptDialect,
  getDialect,
  isObject,
  mapSubschemas,
  walkSubschemas,
  type SchemaNode,
} from "@toolweave/core/adapter";
import { findMissingReference, readSchema } from "./read-schema.ts";
import { toUnicodePattern } from "./unicode-pattern.ts";

// The official client of version 1 compiles every output schema of a list with Ajv, as draft-07, and rejects the whole
// list if one cannot be compiled. It also requires an object of objects as `properties`.

/** The output schema of a tool as clients receive it: none, if it cannot be written so that all of them accept it. */
export interface ListableOutput {
  readonly schema?: JsonSchema;
  /** The reason why it is left out. */
  readonly fault?: string;
}

const known = new WeakMap<JsonSchema, ListableOutput>();

/** Returns the output schema of a tool with the same meaning, in keywords that every client can compile. */
export function toListableOutput({ outputSchema }: ToolSpec): ListableOutput {
  if (outputSchema === undefined) return {};
  let output = known.get(outputSchema);
  if (output === undefined) known.set(outputSchema, (output = createOutput(outputSchema)));
  return output;
}

/** Returns an input schema with objects as `properties`. */
export function toListableInput(schema: JsonSchema): JsonSchema {
  const { properties } = schema;
  if (!isObject(properties)) return schema;
  if (Object.values(properties).every((member) => typeof member !== "boolean")) return schema;
  const members = Object.entries(properties).map(([name, member]) => [name, toObject(member)]);
  return { ...schema, properties: Object.fromEntries(members) as JsonSchema };
}

function toObject(member: JsonValue): JsonValue {
  return typeof member === "boolean" ? toSchemaObject(member) : member;
}

function toSchemaObject(isAccepted: boolean): JsonSchema {
  return isAccepted ? {} : { not: {} };
}

function createOutput(given: JsonSchema): ListableOutput {
  const { $schema, ...others } = given;
  try {
    const read = readSchema(given);
    if (typeof read === "string") return { fault: `it ${read}` };
    // Other tools may have the same identifier. References to it no longer lead anywhere.
    const { $id: _, ...adapted } = adaptDialect(others, $schema);
    for (const { schema, pointer } of walkSubschemas(adapted, Infinity, true)) {
      if (typeof schema["$id"] === "string") return { fault: `it has an $id at ${pointer}` };
    }
    const missing = findMissingReference(adapted);
    if (missing !== undefined) {
      return { fault: `it refers to "${missing.slice(0, 200)}", which it does not contain` };
    }
    const schema = toListableInput(rewrite(adapted) as JsonSchema);
    const isOld = getDialect($schema).startsWith("draft");
    const dialect = isOld ? "http://json-schema.org/draft-07/schema#" : $schema;
    return { schema: dialect === undefined ? schema : { $schema: dialect, ...schema } };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

function rewrite(node: SchemaNode): SchemaNode {
  if (typeof node === "boolean") return node;
  const { enum: values, pattern, patternProperties, ...others } = node;
  const changed: Record<string, JsonValue> = {};
  if (pattern !== undefined) changed["pattern"] = toUnicodePattern(pattern as string);
  if (isObject(patternProperties)) {
    const members = Object.entries(patternProperties).map(([name, member]) => [
      toUnicodePattern(name),
      member,
    ]);
    if (new Set(members.map(([name]) => name)).size < members.length) {
      throw new Error("two of its patternProperties are the same");
    }
    changed["patternProperties"] = Object.fromEntries(members) as JsonSchema;
  }
  if (Array.isArray(values) && values.length === 0) {
    const { allOf } = others;
    changed["allOf"] = [...(Array.isArray(allOf) ? allOf : []), { not: {} }];
  } else if (values !== undefined) changed["enum"] = values;
  return mapSubschemas({ ...others, ...changed }, rewrite, true);
}
