import type { JsonSchema, JsonValue } from "@toolweave/core";
import {
  isObject,
  keywords,
  metadataKeywords,
  subschemas,
  type SchemaNode,
} from "@toolweave/core/adapter";
import { longEnum, type SchemaSize } from "../rules/provider-rules.ts";

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

/** A schema without some of its keywords. */
export function without(node: JsonSchema, ...keywords: readonly string[]): JsonSchema {
  return Object.fromEntries(
    Object.entries(node).filter(([keyword]) => !keywords.includes(keyword)),
  );
}

/** Keywords without constraints (JSON Schema 2020-12, validation, sections 8 and 9). */
export const annotations: ReadonlySet<string> = new Set([
  ...metadataKeywords,
  "contentEncoding",
  "contentMediaType",
  "contentSchema",
]);

/** Keywords that demand something. Every other one is ignored by who validates. */
const assertions: ReadonlySet<string> = new Set(
  keywords.filter(
    (keyword) =>
      !annotations.has(keyword) && !/^(?:\$.*|additionalItems|definitions)$/.test(keyword),
  ),
);

/** True when a schema accepts more values without that keyword. */
export function demands(keyword: string, value: JsonValue | undefined): boolean {
  if (!assertions.has(keyword) || value === undefined) return false;
  return !(value === true && /^(?:additional|unevaluated)/.test(keyword));
}

/** The type of a value by JSON Schema; `number` for integers, too. */
export function jsonType(value: JsonValue): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

const ofObjects = /^(?:properties|required|additionalProperties|propertyNames|m\w+Properties)$/;
const ofArrays = /^(?:items|prefixItems|uniqueItems|contains|m\w+Items)$/;
const ofTexts = /^(?:pattern|format|m\w+Length)$/;
const ofNumbers = /^(?:multipleOf|minimum|maximum|exclusive\w+)$/;

/** A schema without the keywords that do not apply to the types that it accepts. */
export function applicable(node: JsonSchema): JsonSchema {
  const types = schemaTypesIn(node);
  if (types === undefined || node["type"] === undefined) return node;
  const isIdle = (keyword: string): boolean =>
    (!types.includes("object") && ofObjects.test(keyword)) ||
    (!types.includes("array") && ofArrays.test(keyword));
  return Object.fromEntries(Object.entries(node).filter(([keyword]) => !isIdle(keyword)));
}

/**
 * The types that a schema accepts, by its own keywords. A schema that has only keywords of one type, such as
 * `properties`, is read as one of that type.
 *
 * @returns nothing when it accepts every type.
 */
export function schemaTypesIn(node: JsonSchema): readonly string[] | undefined {
  const { type } = node;
  if (type !== undefined) return typeof type === "string" ? [type] : asTexts(type);
  if (node["const"] !== undefined) return [jsonType(node["const"])];
  if (node["enum"] !== undefined) return [...new Set(asList(node["enum"]).map(jsonType))];
  const keywords = Object.keys(node);
  const groups = [
    ["object", ofObjects],
    ["array", ofArrays],
    ["string", ofTexts],
    ["number", ofNumbers],
  ] as const;
  const found = groups.filter(([, group]) => keywords.some((keyword) => group.test(keyword)));
  return found.length === 1 ? [found[0]?.[0] as string] : undefined;
}

/** True for the schema without a keyword: it accepts everything. */
export function isEmpty(node: JsonValue): boolean {
  return isObject(node) && Object.keys(node).length === 0;
}

/** How large a schema is. What it refers to is counted where it is defined, once. */
export function schemaSize(schema: JsonSchema): SchemaSize {
  const size = { properties: 0, depth: 0, enumValues: 0, characters: 0, longEnumCharacters: 0 };
  measure(schema, 0, size);
  return size;
}

function measure(
  node: SchemaNode,
  above: number,
  size: { -readonly [K in keyof SchemaSize]: number },
): void {
  if (typeof node === "boolean") return;
  const properties = asEntries(node["properties"]);
  const isNested =
    properties.length > 0 || node["items"] !== undefined || node["type"] === "object";
  const depth = above + (isNested ? 1 : 0);
  size.depth = Math.max(size.depth, depth);
  size.properties += properties.length;
  for (const [name] of [...properties, ...asEntries(node["$defs"])]) size.characters += name.length;
  const values = asList(node["enum"]);
  const texts = values.filter((value) => typeof value === "string");
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  size.enumValues += values.length;
  size.characters += characters;
  if (values.length > longEnum) {
    size.longEnumCharacters = Math.max(size.longEnumCharacters, characters);
  }
  if (typeof node["const"] === "string") size.characters += node["const"].length;
  for (const [sub, [keyword]] of subschemas(node)) {
    measure(sub, keyword === "$defs" ? 0 : depth, size);
  }
}

/** The parts of a size that exceed the limits. */
export function tooLarge(size: SchemaSize, most: SchemaSize): readonly (keyof SchemaSize)[] {
  const parts = ["properties", "depth", "enumValues", "characters", "longEnumCharacters"] as const;
  return parts.filter((part) => size[part] > most[part]);
}
