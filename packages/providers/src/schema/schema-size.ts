import type { JsonSchema } from "@toolweave/core";
import { subschemas, type SchemaNode } from "@toolweave/core/adapter";
import { longEnum, type SchemaSize } from "../rules/provider-rules.ts";
import { asList, asEntries } from "./keywords.ts";

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
