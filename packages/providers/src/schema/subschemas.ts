import type { JsonObject, JsonSchema, JsonValue } from "@toolweave/core";
import { childPointer } from "@toolweave/core/adapter";

/** A schema: an object of keywords, or `true` and `false`. */
export type SchemaNode = JsonSchema | boolean;

/** Where one schema is below another: the keyword, then the name or the index. */
export type Step = readonly (string | number)[];

const single = new Set([
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
]);
const lists = new Set(["allOf", "anyOf", "items", "oneOf", "prefixItems"]);
const maps = new Set([
  "$defs",
  "definitions",
  "dependentSchemas",
  "patternProperties",
  "properties",
]);

/** True for an object that is no array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True for what can stand where a schema does. */
export function isSchema(value: unknown): value is SchemaNode {
  return typeof value === "boolean" || isObject(value);
}

/** The members of a list; nothing for what is none. */
export function asList(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

/** The texts of a list; nothing for what is none. */
export function asTexts(value: JsonValue | undefined): readonly string[] {
  return asList(value).filter((member) => typeof member === "string");
}

/** The members of an object by their names; nothing for what is none. */
export function asEntries(value: JsonValue | undefined): readonly (readonly [string, JsonValue])[] {
  return isObject(value) ? Object.entries(value) : [];
}

/** The schemas directly below one, with where they are. */
export function* subschemas(node: JsonSchema): Generator<readonly [Step, SchemaNode]> {
  for (const [keyword, value] of Object.entries(node)) {
    if (single.has(keyword) && isSchema(value)) yield [[keyword], value];
    else if (lists.has(keyword) && Array.isArray(value)) {
      for (const [index, member] of value.entries()) {
        if (isSchema(member)) yield [[keyword, index], member];
      }
    } else if (maps.has(keyword)) {
      for (const [name, member] of asEntries(value)) {
        if (isSchema(member)) yield [[keyword, name], member];
      }
    }
  }
}

/** A copy with every schema directly below replaced; `undefined` leaves one out. */
export function mapSubschemas(
  node: JsonSchema,
  change: (sub: SchemaNode, step: Step) => SchemaNode | undefined,
): JsonSchema {
  const entries: [string, JsonValue][] = [];
  for (const [keyword, value] of Object.entries(node)) {
    const changed = changedValue(keyword, value, change);
    if (changed !== undefined) entries.push([keyword, changed]);
  }
  // `fromEntries` makes own properties of every name, also of `__proto__`.
  return Object.fromEntries(entries);
}

function changedValue(
  keyword: string,
  value: JsonValue,
  change: (sub: SchemaNode, step: Step) => SchemaNode | undefined,
): JsonValue | undefined {
  if (single.has(keyword) && isSchema(value)) return change(value, [keyword]);
  if (lists.has(keyword) && Array.isArray(value)) {
    return value.flatMap((member: JsonValue, index) => {
      const changed = isSchema(member) ? change(member, [keyword, index]) : member;
      return changed === undefined ? [] : [changed];
    });
  }
  if (!maps.has(keyword) || !isObject(value)) return value;
  const members: [string, JsonValue][] = [];
  for (const [name, member] of Object.entries(value)) {
    const changed = isSchema(member) ? change(member, [keyword, name]) : member;
    if (changed !== undefined) members.push([name, changed]);
  }
  return Object.fromEntries(members);
}

/** A schema without some of its keywords. */
export function without(node: JsonSchema, ...keywords: readonly string[]): JsonSchema {
  return Object.fromEntries(
    Object.entries(node).filter(([keyword]) => !keywords.includes(keyword)),
  );
}

/** A JSON pointer (RFC 6901) to what is one step further. */
export function pointerTo(path: string, step: Step): string {
  return step.reduce<string>(childPointer, path);
}
