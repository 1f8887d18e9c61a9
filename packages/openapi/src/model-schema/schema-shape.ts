import type { JsonSchema, JsonValue } from "@toolweave/core";
import { getDefinitionName, getSchemaTypes } from "../schema/resolve-schema.ts";
import { isPlain, isSchema, isShort, omissionMark } from "./schema-parts.ts";

type Schema = JsonSchema | boolean;

/**
 * The properties that all values of a schema have in common, with `$ref`, `allOf`, `anyOf` and `oneOf` resolved. Each
 * member accepts everything that the schema accepts, so each may be used without the others.
 */
export interface SchemaShape {
  /** Absent: any type. Empty: no value is valid. */
  readonly types?: readonly string[];
  /** All values, if the schema enumerates them. */
  readonly values?: readonly JsonValue[];
  /** Properties that all branches of a union declare come first. `true` if a branch accepts any value. */
  readonly properties: ReadonlyMap<string, Schema>;
  readonly required: ReadonlySet<string>;
  readonly items?: Schema;
  /** `additionalProperties` and `contentSchema`. */
  readonly additional?: Schema;
  readonly content?: Schema;
  /** Keywords of plain values: `format`, `minimum`, `default` and so on. */
  readonly keywords: JsonSchema;
  /** The schema with the description. */
  readonly described?: JsonSchema;
  /** True if no other properties are accepted. */
  readonly isClosed: boolean;
  /** The branches of a union that accept objects, if there are several. */
  readonly branches: readonly SchemaShape[];
  /** True if the members above do not express all constraints of the unions. */
  readonly isPartial: boolean;
}

const anyShape: SchemaShape = {
  properties: new Map(),
  required: new Set(),
  keywords: {},
  isClosed: false,
  branches: [],
  isPartial: false,
};
const noShape: SchemaShape = { ...anyShape, types: [] };

/** Maximum number of schemas and properties that are read for one tool; further ones count as unknown. */
const maxSteps = 20_000;
const maxPatternLength = 100;
const maxValueLength = 60;

const plainKeywords: readonly string[] = [
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "pattern",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minProperties",
  "maxProperties",
  "format",
  "default",
  "contentMediaType",
  "contentEncoding",
  "readOnly",
  "deprecated",
];

/** Computes the shapes of schemas that share definitions. A shape is computed once per schema. */
export class SchemaShapes {
  readonly #defs: ReadonlyMap<string, Schema>;
  readonly #known = new Map<Schema, SchemaShape>([
    [true, anyShape],
    [false, noShape],
  ]);
  #steps = maxSteps;

  constructor(defs: ReadonlyMap<string, Schema>) {
    this.#defs = defs;
  }

  getShape(schema: Schema): SchemaShape {
    const known = this.#known.get(schema);
    if (known !== undefined) return known;
    if (typeof schema === "boolean" || this.#steps-- <= 0) return { ...anyShape, isPartial: true };
    // A schema that refers back to itself in place adds no constraints.
    this.#known.set(schema, anyShape);
    const shape = this.#read(schema);
    this.#known.set(schema, shape);
    return shape;
  }

  #read(schema: JsonSchema): SchemaShape {
    let shape = computeShape(schema);
    this.#steps -= shape.properties.size;
    const name = getDefinitionName(schema["$ref"]);
    if (name !== undefined && schema["$ref"] === `#/$defs/${name}`) {
      shape = combineShapes(shape, this.getShape(this.#defs.get(name) ?? true));
    }
    for (const part of subschemas(schema["allOf"]))
      shape = combineShapes(shape, this.getShape(part));
    for (const keyword of ["anyOf", "oneOf"]) {
      const branches = subschemas(schema[keyword]);
      if (branches.length > 0) shape = combineShapes(shape, this.#union(branches));
    }
    return shape;
  }

  #union(given: readonly Schema[]): SchemaShape {
    const branches = given
      .map((one) => this.getShape(one))
      .filter(({ types }) => types?.length !== 0);
    const [only, another] = branches;
    if (only === undefined) return noShape;
    if (another === undefined) return only;
    const objects = branches.filter((one) => acceptsType(one, "object"));
    const arrays = branches.filter((one) => acceptsType(one, "array"));
    for (const { properties } of objects) this.#steps -= properties.size;
    const isKnown = this.#steps > 0;
    const items = arrays.flatMap((one) => (one.items === undefined ? [] : [one.items]));
    const others = branches.filter(({ types }) => types?.join() !== "null");
    const single = others.length === 1 ? others[0] : undefined;
    const types = branches.flatMap((one) => one.types ?? []);
    const values = branches.flatMap((one) => getValues(one) ?? []);
    return {
      ...(branches.every((one) => one.types !== undefined) ? { types: [...new Set(types)] } : {}),
      ...(branches.every((one) => getValues(one) !== undefined)
        ? { values: removeDuplicates(values) }
        : {}),
      properties: isKnown ? commonProperties(objects) : new Map(),
      required: commonNames(objects),
      ...(arrays.length > 0 && items.length === arrays.length ? { items: anyOf(items) } : {}),
      ...(single?.additional === undefined ? {} : { additional: single.additional }),
      ...(single?.content === undefined ? {} : { content: single.content }),
      keywords: single?.keywords ?? {},
      ...(single?.described === undefined ? {} : { described: single.described }),
      isClosed: objects.every((one) => one.isClosed),
      branches: objects.length > 1 ? objects : (objects[0]?.branches ?? []),
      isPartial: objects.length > 1 || arrays.length > 1 || branches.some((one) => one.isPartial),
    };
  }
}

function computeShape(schema: JsonSchema): SchemaShape {
  const { required, items, prefixItems, additionalProperties: additional } = schema;
  const { patternProperties, contentSchema: content, const: value } = schema;
  const types = getSchemaTypes(schema);
  const values = value === undefined ? schema["enum"] : [value];
  const isOpen = additional !== false || patternProperties !== undefined;
  const properties = isSchema(schema["properties"]) ? Object.entries(schema["properties"]) : [];
  const isMap = isSchema(additional) && properties.length === 0 && patternProperties === undefined;
  return {
    ...(types.length === 0 ? {} : { types }),
    ...(Array.isArray(values) ? { values: values as readonly JsonValue[] } : {}),
    properties: new Map(properties as [string, Schema][]),
    required: new Set(Array.isArray(required) ? (required as string[]) : []),
    ...(isSchema(items) && prefixItems === undefined ? { items } : {}),
    ...(isMap ? { additional } : {}),
    ...(isSchema(content) ? { content } : {}),
    keywords: copyKeywords(schema),
    ...(typeof (schema["description"] ?? schema["title"]) === "string"
      ? { described: schema }
      : {}),
    isClosed: !isOpen,
    branches: [],
    isPartial: prefixItems !== undefined || (patternProperties !== undefined && isOpen),
  };
}

function copyKeywords(schema: JsonSchema): JsonSchema {
  const found: Record<string, JsonValue> = {};
  for (const keyword of plainKeywords) {
    const value = schema[keyword];
    const most = keyword === "pattern" ? maxPatternLength : maxValueLength;
    const isSaid = value !== undefined && (value !== false || keyword === "default");
    if (isSaid && isShort(value, most)) found[keyword] = value;
  }
  return found;
}

/** Combines two shapes that both hold. */
function combineShapes(a: SchemaShape, b: SchemaShape): SchemaShape {
  if (b === anyShape) return a;
  const properties = new Map(a.properties);
  for (const [name, schema] of b.properties) {
    const other = properties.get(name);
    const isOne = other === undefined || other === true || other === schema;
    properties.set(name, isOne ? schema : schema === true ? other : { allOf: [other, schema] });
  }
  const items =
    a.items !== undefined && b.items !== undefined
      ? { allOf: [a.items, b.items] }
      : (a.items ?? b.items);
  const types = pickShorter(a.types, b.types);
  const values = pickShorter(a.values, b.values);
  const additional = a.additional ?? b.additional;
  const content = a.content ?? b.content;
  const described = a.described ?? b.described;
  return {
    ...(types === undefined ? {} : { types }),
    ...(values === undefined ? {} : { values }),
    properties,
    required: new Set([...a.required, ...b.required]),
    ...(items === undefined ? {} : { items }),
    ...(additional === undefined ? {} : { additional }),
    ...(content === undefined ? {} : { content }),
    keywords: { ...b.keywords, ...a.keywords },
    ...(described === undefined ? {} : { described }),
    isClosed: a.isClosed || b.isClosed,
    branches: a.branches.length > 0 ? a.branches : b.branches,
    isPartial: a.isPartial || b.isPartial,
  };
}

/** Returns the shorter of two lists that both hold. */
function pickShorter<T>(
  a: readonly T[] | undefined,
  b: readonly T[] | undefined,
): readonly T[] | undefined {
  return a === undefined || (b !== undefined && b.length < a.length) ? b : a;
}

function getValues({ types, values }: SchemaShape): readonly JsonValue[] | undefined {
  return values ?? (types?.join() === "null" ? [null] : undefined);
}

function acceptsType({ types, values }: SchemaShape, type: "object" | "array"): boolean {
  if (types !== undefined && !types.includes(type)) return false;
  const isList = type === "array";
  return (
    values === undefined ||
    values.some((one) => typeof one === "object" && one !== null && Array.isArray(one) === isList)
  );
}

function commonProperties(branches: readonly SchemaShape[]): Map<string, Schema> {
  const common = new Map<string, Schema>();
  const others = new Map<string, Schema>();
  const names = new Set(branches.flatMap(({ properties }) => [...properties.keys()]));
  for (const name of names) {
    const found: Schema[] = [];
    let isOpen = false;
    for (const { properties, isClosed } of branches) {
      const schema = properties.get(name);
      if (schema !== undefined) found.push(schema);
      else if (!isClosed) isOpen = true;
    }
    if (isOpen || found.includes(true)) others.set(name, true);
    else common.set(name, anyOf(found));
  }
  return new Map([...common, ...others]);
}

function commonNames(branches: readonly SchemaShape[]): Set<string> {
  const [first, ...others] = branches;
  const names = [...(first?.required ?? [])];
  return new Set(names.filter((name) => others.every(({ required }) => required.has(name))));
}

function anyOf(schemas: readonly Schema[]): Schema {
  const some = [...new Map(schemas.map((one) => [toComparisonKey(one), one])).values()];
  return some.length === 1 ? (some[0] as Schema) : { anyOf: some };
}

/**
 * Returns a key for comparison: references to the same definition are equal, and so are plain schemas with equal text.
 */
function toComparisonKey(schema: Schema): unknown {
  if (typeof schema === "boolean") return schema;
  const isReference = Object.keys(schema).join() === "$ref";
  return isReference || isPlain(schema) ? JSON.stringify(schema) : schema;
}

function removeDuplicates(values: readonly JsonValue[]): JsonValue[] {
  return [...new Map(values.map((one) => [JSON.stringify(one), one])).values()];
}

function subschemas(value: JsonValue | undefined): readonly Schema[] {
  return Array.isArray(value) ? (value as readonly Schema[]) : [];
}

/** Returns true if a shape consists of others, so that more than its keywords can be added. */
export function isNested(shape: SchemaShape): boolean {
  const { properties, items, additional, content, isPartial } = shape;
  return [items, additional, content].some(Boolean) || properties.size > 0 || isPartial;
}

/** Returns the type of a shape as a keyword, and the mark if it contains more. */
export function outlineSchema(shape: SchemaShape): Record<string, JsonValue> {
  const { types, values } = shape;
  const [only] = types ?? [];
  const isEnumerated = values !== undefined && values.length <= 1;
  return {
    ...(types?.length === 0 ? { not: {} } : {}),
    ...(only === undefined || isEnumerated
      ? {}
      : { type: types?.length === 1 ? only : (types as readonly string[]) }),
    ...(isEnumerated ? { enum: values } : {}),
    ...(isNested(shape) ? { description: omissionMark } : {}),
  };
}
