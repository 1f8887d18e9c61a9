import type { JsonObject, JsonValue } from "@toolweave/core";
import { isObject, parsePointer } from "@toolweave/core/adapter";
import bundleSchema from "../../bundle-artifact.schema.json" with { type: "json" };
import hookSchema from "../../hook-artifact.schema.json" with { type: "json" };
import toolSchema from "../../tool-artifact.schema.json" with { type: "json" };
import type { FileKind } from "../../check/check-file.ts";
import type { ValuePath } from "../../text/value-places.ts";

/** The kinds of markdown files. */
export type MarkdownKind = Exclude<FileKind, "config">;

/** One key that a map can have. */
export interface KeyInfo {
  readonly name: string;
  readonly schema: JsonObject;
  readonly doc: string;
  readonly isRequired: boolean;
}

/** A schema and the one whose `$defs` its references name. */
interface Located {
  readonly schema: JsonObject;
  readonly root: JsonObject;
}

const { tools, hooks } = bundleSchema.properties;
const schemas: Readonly<Record<MarkdownKind, unknown>> = {
  tool: toolSchema,
  hook: hookSchema,
  bundle: bundleSchema,
  inline: { type: "object", properties: { tools, hooks }, $defs: bundleSchema.$defs },
};

/** The keys of the map at a path, in the order of the schema. */
export function keysAt(kind: MarkdownKind, path: ValuePath): readonly KeyInfo[] {
  return alternatives(schemaAt(kind, path)).flatMap(({ root, schema }) => {
    const required = Array.isArray(schema["required"]) ? schema["required"] : [];
    return Object.entries(isObject(schema["properties"]) ? schema["properties"] : {}).flatMap(
      ([name, property]) => {
        if (!isObject(property)) return [];
        const [resolved = property] = alternatives([{ schema: property, root }]).map(
          (each) => each.schema,
        );
        return [
          {
            name,
            schema: { ...resolved, ...property },
            doc: findDocumentation([{ schema: property, root }]),
            isRequired: required.includes(name),
          },
        ];
      },
    );
  });
}

/** The documentation of a key. */
export function keyDoc(kind: MarkdownKind, path: ValuePath): string {
  return findDocumentation(schemaAt(kind, path));
}

/** The type of a value as a reader expects it: `integer`, or `"read" | "write"`. */
export function typeText(schema: JsonObject): string {
  if (Array.isArray(schema["enum"]))
    return schema["enum"].map((each) => JSON.stringify(each)).join(" | ");
  if (schema["const"] !== undefined) return JSON.stringify(schema["const"]);
  const choices = schema["anyOf"];
  if (Array.isArray(choices))
    return [...new Set(choices.filter(isObject).map(typeText))].join(" | ");
  return typeof schema["type"] === "string" ? schema["type"] : "any";
}

/** The type of the value at a path. */
export function typeAt(kind: MarkdownKind, path: ValuePath): string {
  const found = alternatives(schemaAt(kind, path)).map(({ schema }) => typeText(schema));
  return [...new Set(found.filter((text) => text !== "any"))].join(" | ");
}

/** The values that can be written at a path, as YAML writes them. */
export function valuesAt(kind: MarkdownKind, path: ValuePath): readonly string[] {
  const values = alternatives(schemaAt(kind, path)).flatMap(({ schema }): readonly JsonValue[] => {
    if (Array.isArray(schema["enum"])) return schema["enum"] as readonly JsonValue[];
    if (schema["const"] !== undefined) return [schema["const"]];
    return schema["type"] === "boolean" ? [true, false] : [];
  });
  return [
    ...new Set(values.map((value) => (typeof value === "string" ? value : JSON.stringify(value)))),
  ];
}

function findDocumentation(located: readonly Located[]): string {
  for (const { schema } of located)
    if (typeof schema["description"] === "string") return schema["description"];
  const below = alternatives(located).filter((each) => !located.includes(each));
  return below.length === 0 ? "" : findDocumentation(below);
}

function schemaAt(kind: MarkdownKind, path: ValuePath): readonly Located[] {
  const root = schemas[kind] as JsonObject;
  let located: readonly Located[] = [{ schema: root, root }];
  for (const key of path) located = alternatives(located).flatMap((each) => below(each, key));
  return located;
}

function below({ schema, root }: Located, key: string | number): readonly Located[] {
  if (typeof key === "number")
    return isObject(schema["items"]) ? [{ schema: schema["items"], root }] : [];
  const properties = schema["properties"];
  if (isObject(properties) && Object.hasOwn(properties, key)) {
    const property = properties[key];
    return isObject(property) ? [{ schema: property, root }] : [];
  }
  const further = schema["additionalProperties"];
  return isObject(further) ? [{ schema: further, root }] : [];
}

/** Schemas with those that they refer to or combine. */
function alternatives(located: readonly Located[]): readonly Located[] {
  return located.flatMap((each): readonly Located[] => {
    const { schema, root } = each;
    const combined = ["anyOf", "allOf", "oneOf"].flatMap((key) => {
      const list = schema[key];
      return Array.isArray(list)
        ? list.filter(isObject).map((part) => ({ schema: part, root }))
        : [];
    });
    const reference = schema["$ref"];
    const target = typeof reference === "string" ? resolve(root, reference) : undefined;
    return [
      each,
      ...alternatives(combined),
      ...(target === undefined ? [] : alternatives([{ schema: target, root }])),
    ];
  });
}

function resolve(root: JsonObject, reference: string): JsonObject | undefined {
  let value: JsonValue | undefined = root;
  for (const key of parsePointer(reference.replace(/^#/, "")))
    value = isObject(value) ? value[key] : undefined;
  return isObject(value) ? value : undefined;
}
