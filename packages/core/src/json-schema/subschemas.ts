import { isObject, type JsonSchema, type JsonValue } from "../json/json.ts";
import { childPointer, decodeFragment, resolvePointer } from "../json/json-pointer.ts";

/** A schema: an object of keywords, or `true` or `false`. */
export type SchemaNode = JsonSchema | boolean;

/** The path from a schema to one directly below it: the keyword, then the index or the name if there are several. */
export type SchemaStep = readonly [keyword: string, key?: string | number];

/** A schema below another one. */
export interface Subschema {
  readonly schema: JsonSchema;
  /** A JSON pointer from the outer schema. */
  readonly pointer: string;
}

/** Where a keyword has its subschemas: it is one, a list of them, either of both, or it has one for each name. */
type Placement = "schema" | "list" | "schemaOrList" | "map";

/** The keywords of draft-07, 2019-09 and 2020-12 with subschemas. A validator reads most of them in any dialect. */
export const subschemaKeywords: ReadonlyMap<string, Placement> = new Map<string, Placement>([
  ["$defs", "map"],
  ["additionalItems", "schema"],
  ["additionalProperties", "schema"],
  ["allOf", "list"],
  ["anyOf", "list"],
  ["contains", "schema"],
  ["contentSchema", "schema"],
  ["definitions", "map"],
  // Some members are lists of names.
  ["dependencies", "map"],
  ["dependentSchemas", "map"],
  ["else", "schema"],
  ["if", "schema"],
  // A list until 2019-09.
  ["items", "schemaOrList"],
  ["not", "schema"],
  ["oneOf", "list"],
  ["patternProperties", "map"],
  ["prefixItems", "list"],
  ["properties", "map"],
  ["propertyNames", "schema"],
  ["then", "schema"],
  ["unevaluatedItems", "schema"],
  ["unevaluatedProperties", "schema"],
]);

/** Keywords whose subschemas describe the same value as the schema itself, at least some of the values. */
export const describingKeywords: readonly string[] = [
  "allOf",
  "anyOf",
  "oneOf",
  "if",
  "then",
  "else",
  "dependentSchemas",
  "dependencies",
];

/** Keywords whose subschemas apply to the same value as the schema itself: these, and `not`. */
export const inPlaceKeywords: readonly string[] = [...describingKeywords, "not"];

/** Keywords whose values are data, or names: keywords in them have no meaning. */
export const dataKeywords: ReadonlySet<string> = new Set([
  "const",
  "default",
  "dependentRequired",
  "enum",
  "example",
  "examples",
]);

/** Returns true for an object and a boolean, the forms of a schema. */
export function isSchemaNode(value: unknown): value is SchemaNode {
  return typeof value === "boolean" || isObject(value);
}

/** A schema directly below another one, and the path to it. */
export type SubschemaEntry = readonly [schema: SchemaNode, step: SchemaStep];

/**
 * Finds the schemas directly below one.
 *
 * @param unknownKeywords true to include objects below other keywords, to which references may lead. Default: false.
 */
export function subschemas(node: JsonSchema, unknownKeywords = false): readonly SubschemaEntry[] {
  const found: SubschemaEntry[] = [];
  for (const keyword of Object.keys(node)) {
    addBelow(found, keyword, node[keyword] as JsonValue, unknownKeywords);
  }
  return found;
}

/** Finds the schemas directly below one that apply to the same value. References are not followed. */
export function inPlaceSubschemas(node: JsonSchema): readonly SubschemaEntry[] {
  const found: SubschemaEntry[] = [];
  for (const keyword of inPlaceKeywords) {
    const value = node[keyword];
    if (value !== undefined) addBelow(found, keyword, value, false);
  }
  return found;
}

function addBelow(
  found: SubschemaEntry[],
  keyword: string,
  value: JsonValue,
  unknownKeywords: boolean,
): void {
  const placement = findPlacement(keyword, value, unknownKeywords);
  if (placement === "schema") found.push([value as SchemaNode, [keyword]]);
  else if (placement === "list") {
    for (const [index, member] of (value as readonly JsonValue[]).entries()) {
      if (isSchemaNode(member)) found.push([member, [keyword, index]]);
    }
  } else if (placement === "map") {
    for (const key of Object.keys(value as JsonSchema)) {
      const member = (value as JsonSchema)[key];
      if (isSchemaNode(member)) found.push([member, [keyword, key]]);
    }
  }
}

/** Where the subschemas of a value are. Undefined: it has none. */
function findPlacement(
  keyword: string,
  value: JsonValue,
  unknownKeywords: boolean,
): "schema" | "list" | "map" | undefined {
  const placement = subschemaKeywords.get(keyword);
  if (placement === undefined) {
    if (!unknownKeywords || dataKeywords.has(keyword)) return undefined;
    return Array.isArray(value) ? "list" : isObject(value) ? "schema" : undefined;
  }
  if (placement === "map") return isObject(value) ? "map" : undefined;
  if (Array.isArray(value)) return placement === "schema" ? undefined : "list";
  return placement !== "list" && isSchemaNode(value) ? "schema" : undefined;
}

type Change = (schema: SchemaNode, step: SchemaStep) => SchemaNode | undefined;

/**
 * Replaces the schemas directly below one.
 *
 * @param change returns the new schema, the same one, or undefined to remove it.
 * @param unknownKeywords as for `subschemas`.
 * @returns the same object if nothing changes; otherwise a copy, in which unchanged parts are shared.
 */
export function mapSubschemas(
  node: JsonSchema,
  change: Change,
  unknownKeywords = false,
): JsonSchema {
  return mapMembers(node, (value, keyword) => mapKeyword(keyword, value, change, unknownKeywords));
}

function mapKeyword(
  keyword: string,
  value: JsonValue,
  change: Change,
  unknownKeywords: boolean,
): JsonValue | undefined {
  const changeMember = (member: JsonValue, key: string | number): JsonValue | undefined =>
    isSchemaNode(member) ? change(member, [keyword, key]) : member;
  switch (findPlacement(keyword, value, unknownKeywords)) {
    case "schema":
      return change(value as SchemaNode, [keyword]);
    case "list":
      return mapItems(value as readonly JsonValue[], changeMember);
    case "map":
      return mapMembers(value as JsonSchema, changeMember);
    default:
      return value;
  }
}

/** Replaces the members of an object; `undefined` removes one, and a member called `__proto__` is preserved. */
function mapMembers(
  object: JsonSchema,
  change: (value: JsonValue, key: string) => JsonValue | undefined,
): JsonSchema {
  // Most objects do not change, so that a copy is only made from the first change on.
  let members: [string, JsonValue][] | undefined;
  const keys = Object.keys(object);
  for (const [index, key] of keys.entries()) {
    const value = object[key] as JsonValue;
    const changed = change(value, key);
    if (changed !== value) {
      members ??= keys.slice(0, index).map((before) => [before, object[before] as JsonValue]);
    }
    if (changed !== undefined) members?.push([key, changed]);
  }
  return members === undefined ? object : Object.fromEntries(members);
}

function mapItems(
  list: readonly JsonValue[],
  change: (value: JsonValue, index: number) => JsonValue | undefined,
): readonly JsonValue[] {
  const changed = list.map(change);
  if (changed.every((value, index) => value === list[index])) return list;
  return changed.filter((value) => value !== undefined);
}

/**
 * Visits a schema and those below it, each object once, the outer ones first. References are not followed. It is
 * iterative, so that neither circles nor deep nesting of a foreign schema affect it.
 *
 * @param maxSchemas the number of schemas after which it ends. Default: no limit.
 * @param unknownKeywords as for `subschemas`.
 */
export function* walkSubschemas(
  root: JsonSchema,
  maxSchemas: number = Infinity,
  unknownKeywords = false,
): Generator<Subschema> {
  const seen = new Set<JsonSchema>([root]);
  const found: Subschema[] = [{ schema: root, pointer: "" }];
  // Schemas that are added during the iteration are visited, too.
  for (const outer of found) {
    yield outer;
    for (const [schema, step] of subschemas(outer.schema, unknownKeywords)) {
      if (seen.size >= maxSchemas) break;
      if (typeof schema === "boolean" || seen.has(schema)) continue;
      seen.add(schema);
      found.push({ schema, pointer: stepPointer(outer.pointer, step) });
    }
  }
}

/** Returns a JSON pointer to the schema that is one step below the one at `pointer`. */
export function stepPointer(pointer: string, [keyword, key]: SchemaStep): string {
  const inside = childPointer(pointer, keyword);
  return key === undefined ? inside : childPointer(inside, key);
}

/**
 * Finds the target of a reference that is a JSON pointer, such as `#` and `#/$defs/pet`. Undefined: there is none, or
 * the reference is of another kind.
 */
export function resolveReference(root: JsonSchema, reference: unknown): unknown {
  if (typeof reference !== "string" || !/^#(?:\/|$)/.test(reference)) return undefined;
  return resolvePointer(root, decodeFragment(reference.slice(1)));
}

/** The schemas of the items of an array. */
export interface ItemSchemas {
  /** The schemas of the first items, in order. */
  readonly prefix: readonly JsonValue[];
  /** The schema of the others. */
  readonly rest: JsonValue | undefined;
}

/** Reads the schemas of the items of an array, of which the first may have their own (a list in `items` until 2019-09). */
export function getItemSchemas(schema: JsonSchema): ItemSchemas {
  const { items, prefixItems, additionalItems } = schema;
  if (Array.isArray(items)) return { prefix: items as readonly JsonValue[], rest: additionalItems };
  return { prefix: Array.isArray(prefixItems) ? prefixItems : [], rest: items };
}
