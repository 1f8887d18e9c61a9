import type { JsonObject, JsonSchema, JsonValue } from "@toolweave/core";
import { getItemSchemas, isObject, schemaTypes } from "@toolweave/core/adapter";

/** A TypeScript type in which the types that references lead to have no names yet. */
export type TypeNode =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "reference"; readonly reference: string }
  | { readonly kind: "union"; readonly members: readonly TypeNode[] }
  | { readonly kind: "intersection"; readonly members: readonly TypeNode[] }
  | { readonly kind: "tuple"; readonly items: readonly TupleItem[]; readonly rest: TypeNode }
  | {
      readonly kind: "object";
      readonly members: readonly Member[];
      /** The type of all members, also of those without a name. Absent: only named ones. */
      readonly index?: TypeNode;
    };

/** An item of a tuple. */
interface TupleItem {
  readonly type: TypeNode;
  readonly isOptional: boolean;
}

/** A named member of an object type. */
export interface Member extends TupleItem {
  readonly name: string;
  readonly description: string;
}

const toText = (text: string): TypeNode => ({ kind: "text", text });

const unknownType: TypeNode = toText("unknown");
const neverType: TypeNode = toText("never");
const undefinedType: TypeNode = toText("undefined");

const primitives: Readonly<Record<string, TypeNode>> = {
  boolean: toText("boolean"),
  integer: toText("number"),
  null: toText("null"),
  number: toText("number"),
  string: toText("string"),
};

/** Deeper schemas have the type `unknown`. */
const maxDepth = 100;

/** Types that the index of an object may have; with more it is `unknown`. */
const maxIndexTypes = 10;

/** The options of `toType`. */
export interface TypeOptions {
  /** Keywords beside `$ref` have no meaning, as before 2019-09. */
  readonly refersAlone: boolean;
}

/**
 * Converts a schema to a type that has every value that the schema accepts, except two kinds: a schema with keywords of
 * objects or arrays and without `type` counts as one of objects or arrays, and names that an object schema without
 * `additionalProperties` does not declare are no members, so that the compiler finds names that are written wrongly.
 * Keywords that no type can express are ignored: limits, patterns, formats, conditions, and `not`.
 */
export function toType(schema: JsonValue, options: TypeOptions, depth = 0): TypeNode {
  if (schema === false) return neverType;
  if (!isObject(schema) || depth > maxDepth) return unknownType;
  const { $ref, not, allOf, anyOf, oneOf } = schema;
  const convert = (inner: JsonValue): TypeNode => toType(inner, options, depth + 1);
  const reference =
    typeof $ref === "string" ? [{ kind: "reference", reference: $ref } as const] : [];
  if (options.refersAlone && reference[0] !== undefined) return reference[0];
  if (not === true || (isObject(not) && Object.keys(not).length === 0)) return neverType;
  const applied = toIntersection([
    ...reference,
    ...(Array.isArray(allOf) ? allOf.map(convert) : []),
    ...[anyOf, oneOf].map((choice) =>
      Array.isArray(choice) ? toUnion(choice.map(convert)) : unknownType,
    ),
  ]);
  // `type: object` beside `$ref` or `oneOf` is a repetition, and would allow members of any name.
  if (applied !== unknownType && !hasDetails(schema)) return applied;
  return toIntersection([toOwnType(schema, convert), applied]);
}

const details: readonly string[] = [
  "const",
  "enum",
  "properties",
  "patternProperties",
  "additionalProperties",
  "items",
  "prefixItems",
];

/** True if a schema constrains values by itself by more than a type. */
function hasDetails(schema: JsonSchema): boolean {
  return details.some((keyword) => schema[keyword] !== undefined);
}

type Convert = (schema: JsonValue) => TypeNode;

/** The type of what a schema says of a value by itself: without `$ref` and combinations of schemas. */
function toOwnType(schema: JsonSchema, convert: Convert): TypeNode {
  const { enum: values, const: value } = schema;
  const types = toTypes(schema);
  if (value !== undefined) return toLiteral(value);
  if (Array.isArray(values)) {
    const isPossible = (one: JsonValue): boolean =>
      types?.some((type) => hasType(one, type)) ?? true;
    return toUnion((values as readonly JsonValue[]).filter(isPossible).map(toLiteral));
  }
  if (types === undefined) return unknownType;
  return toUnion(
    types.map((type) => {
      if (type === "object") return toObjectType(schema, convert);
      if (type === "array") return toArrayType(schema, convert);
      return primitives[type] ?? unknownType;
    }),
  );
}

/** The types of a schema, as written or as its keywords have them; `undefined`: all. */
function toTypes({ type, ...schema }: JsonSchema): readonly string[] | undefined {
  const written = [type].flat().filter((name) => schemaTypes.has(name)) as string[];
  if (written.length > 0) return written;
  const has = (...names: string[]): boolean => names.some((name) => schema[name] !== undefined);
  const implied = [
    ...(has("properties", "patternProperties", "additionalProperties") ? ["object"] : []),
    ...(has("items", "prefixItems") ? ["array"] : []),
  ];
  return implied.length > 0 ? implied : undefined;
}

function hasType(value: JsonValue, type: string): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isObject(value);
  return typeof value === (type === "integer" ? "number" : type);
}

function toLiteral(value: JsonValue): TypeNode {
  if (Array.isArray(value)) {
    const items = value.map((item: JsonValue) => ({ type: toLiteral(item), isOptional: false }));
    return { kind: "tuple", items, rest: neverType };
  }
  if (!isObject(value)) return toText(JSON.stringify(value));
  const members = Object.entries(value).map(([name, member]) => ({
    name,
    description: "",
    type: toLiteral(member as JsonValue),
    isOptional: false,
  }));
  return { kind: "object", members };
}

function toObjectType(schema: JsonSchema, convert: Convert): TypeNode {
  const { properties, patternProperties, additionalProperties, required } = schema;
  const declared = isObject(properties) ? Object.entries(properties as JsonObject) : [];
  const patterns = isObject(patternProperties)
    ? Object.values(patternProperties as JsonObject)
    : [];
  // With names only, others are no members: a name that is written wrongly is an error.
  const isClosed = declared.length > 0 && patterns.length === 0;
  const others = additionalProperties ?? !isClosed;
  const indexed = [...patterns, ...(others === false ? [] : [others])].map((one) =>
    convert(one as JsonValue),
  );
  const names = new Set(Array.isArray(required) ? (required as readonly string[]) : []);
  const members: Member[] = declared.map(([name, property]) => ({
    name,
    description: toDescription(property as JsonValue),
    type: convert(property as JsonValue),
    isOptional: !names.delete(name),
  }));
  // A name can be required here and declared in another part of the schema.
  for (const name of names) {
    const type = patterns.length === 0 ? (indexed[0] ?? unknownType) : unknownType;
    members.push({ name, description: "", type, isOptional: false });
  }
  return indexed.length === 0
    ? { kind: "object", members }
    : { kind: "object", members, index: toIndexType(members, indexed) };
}

/** In TypeScript the index of an object has the types of all of its members. */
function toIndexType(members: readonly Member[], indexed: readonly TypeNode[]): TypeNode {
  const types = toUnion([
    ...indexed,
    ...members.map(({ type }) => type),
    ...(members.some(({ isOptional }) => isOptional) ? [undefinedType] : []),
  ]);
  return isShort(types) ? types : unknownType;
}

/** True for a type that can be written twice: nested objects that are would double with each level. */
function isShort(type: TypeNode): boolean {
  if (type.kind === "union")
    return type.members.length <= maxIndexTypes && type.members.every(isShort);
  if (type.kind === "tuple") return type.items.length === 0 && isShort(type.rest);
  return type.kind === "text" || type.kind === "reference";
}

function toDescription(schema: JsonValue): string {
  const description = isObject(schema) ? schema["description"] : undefined;
  return typeof description === "string" ? description : "";
}

function toArrayType(schema: JsonSchema, convert: Convert): TypeNode {
  const { prefix, rest = true } = getItemSchemas(schema);
  const { minItems } = schema;
  const min = typeof minItems === "number" ? minItems : 0;
  const items = prefix.map((item, index) => ({ type: convert(item), isOptional: index >= min }));
  return { kind: "tuple", items, rest: convert(rest) };
}

/** A union without repetitions and without unions in it. */
function toUnion(types: readonly TypeNode[]): TypeNode {
  const members = distinct(types, "union").filter((type) => type !== neverType);
  if (members.includes(unknownType)) return unknownType;
  return members.length > 1 ? { kind: "union", members } : (members[0] ?? neverType);
}

/** An intersection without repetitions and without intersections in it. */
function toIntersection(types: readonly TypeNode[]): TypeNode {
  const members = distinct(types, "intersection").filter((type) => type !== unknownType);
  if (members.includes(neverType)) return neverType;
  return members.length > 1 ? { kind: "intersection", members } : (members[0] ?? unknownType);
}

/** Texts and references that are equal are taken once. */
function distinct(types: readonly TypeNode[], kind: "union" | "intersection"): TypeNode[] {
  const flat = types.flatMap((type) => (type.kind === kind ? type.members : type));
  const found = new Map<unknown, TypeNode>();
  for (const type of flat) {
    const key =
      type.kind === "text" ? type.text : type.kind === "reference" ? ` ${type.reference}` : type;
    if (!found.has(key)) found.set(key, type);
  }
  return [...found.values()];
}
