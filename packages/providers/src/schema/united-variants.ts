import type { JsonObject, JsonSchema, JsonValue } from "@toolweave/core";
import {
  isObject,
  isSchemaNode,
  canonicalJson,
  subschemas,
  mapSubschemas,
  stepPointer,
  type SchemaNode,
  type SchemaStep,
} from "@toolweave/core/adapter";
import { mergedSchemas, mergeAllOf, type MergeContext } from "./merged-schemas.ts";
import { asList, asTexts, without, isEmpty, asEntries } from "./keywords.ts";
import { definitionName } from "./prepared-schema.ts";

/** Schemas within each other that are looked into; a root is never that deep. */
const deepest = 20;

/**
 * The root of a tool's schema as one object: `allOf` is merged, the variants of `anyOf` and `oneOf` are united. The
 * united schema accepts every value that one of the variants accepts.
 *
 * @param onUnited called with the keyword whose variants are no longer distinguished.
 * @returns nothing when no object can be valid.
 */
export function toObjectSchema(
  node: SchemaNode,
  context: MergeContext,
  onUnited: (keyword: string) => void,
  depth = 0,
): JsonSchema | undefined {
  if (node === true) return {};
  if (node === false || depth > deepest) return undefined;
  const flat = mergeAllOf(withReference(node, context), context);
  if (flat === true) return {};
  if (flat === false || !takesObjects(flat)) return undefined;
  const keyword = ["anyOf", "oneOf"].find((one) => Array.isArray(flat[one]));
  if (keyword === undefined) return flat;
  const base = without(flat, keyword);
  const variants: JsonSchema[] = [];
  for (const member of asList(flat[keyword])) {
    if (!isSchemaNode(member)) continue;
    const variant = mergedSchemas(base, member, context);
    const object = toObjectSchema(variant, context, onUnited, depth + 1);
    if (object !== undefined) variants.push(object);
  }
  if (variants.length > 1) onUnited(keyword);
  return variants.length === 0 ? undefined : unitedVariants(variants);
}

function withReference(node: JsonSchema, context: MergeContext): JsonSchema {
  const resolved = context.resolved(node);
  return typeof resolved === "boolean" ? { ...(resolved ? {} : { not: {} }) } : resolved;
}

function takesObjects({ type }: JsonSchema): boolean {
  return type === undefined || type === "object" || asTexts(type).includes("object");
}

/** Keywords that no longer hold when properties of several variants are combined. */
const ofVariants = new Set([
  "additionalProperties",
  "patternProperties",
  "properties",
  "required",
  "unevaluatedProperties",
]);

/** One schema of an object for several: every property of each, and required what all require. */
function unitedVariants(variants: readonly JsonSchema[]): JsonSchema {
  const [first, ...others] = variants as [JsonSchema, ...JsonSchema[]];
  if (others.length === 0) return first;
  const same = Object.entries(first).filter(
    ([keyword, value]) =>
      !ofVariants.has(keyword) &&
      others.every((other) => other[keyword] !== undefined && isEqual(other[keyword], value)),
  );
  const required = asTexts(first["required"]).filter((name) =>
    others.every((other) => asTexts(other["required"]).includes(name)),
  );
  // Names that only a pattern matches are lost: then no object can be closed.
  const isClosed = variants.every(
    (variant) =>
      variant["additionalProperties"] === false && variant["patternProperties"] === undefined,
  );
  return {
    ...Object.fromEntries(same),
    properties: unitedProperties(variants),
    ...(required.length > 0 && { required }),
    ...(isClosed && { additionalProperties: false }),
  };
}

function unitedProperties(variants: readonly JsonSchema[]): JsonObject {
  const byName = new Map<string, Map<string, SchemaNode>>();
  for (const { properties } of variants) {
    if (!isObject(properties)) continue;
    for (const [name, member] of Object.entries(properties)) {
      // `false` means that a variant has no such property.
      if (!isSchemaNode(member) || member === false) continue;
      const known = byName.get(name) ?? new Map<string, SchemaNode>();
      byName.set(name, known);
      const text = canonicalJson(member);
      if (!known.has(text)) known.set(text, member);
    }
  }
  return Object.fromEntries(
    [...byName].map(([name, members]) => [name, toUnion([...members.values()])]),
  );
}

/** One schema for what any of several accepts. */
function toUnion(members: readonly SchemaNode[]): SchemaNode {
  if (members.length === 1) return members[0] as SchemaNode;
  const values = members.map(allowedValues);
  const known = values.filter((one) => one !== undefined);
  if (known.length < members.length) return { anyOf: [...members] };
  const all = new Map(known.flat().map((value) => [canonicalJson(value), value]));
  const { description } = members[0] as JsonSchema;
  return { ...(description !== undefined && { description }), enum: [...all.values()] };
}

/** The values of a schema that is nothing but a list of them. */
function allowedValues(node: SchemaNode): readonly JsonValue[] | undefined {
  if (typeof node === "boolean") return undefined;
  const { const: value, enum: values, ...rest } = node;
  if (!Object.keys(rest).every((keyword) => ["type", "title", "description"].includes(keyword))) {
    return undefined;
  }
  if (value !== undefined && values === undefined) return [value];
  return value === undefined && Array.isArray(values) ? asList(values as JsonValue) : undefined;
}

function isEqual(a: JsonValue | undefined, b: JsonValue): boolean {
  return a !== undefined && canonicalJson(a) === canonicalJson(b);
}

/**
 * A projected schema of which no definition comes back to itself, but through properties that need
 * not be there. Other ways back end in a schema that accepts everything.
 *
 * @param onCut called with where.
 */
export function withoutRequiredCycles(
  schema: JsonSchema,
  onCut: (path: string) => void,
): JsonSchema {
  const cuts = new Cuts(new Map(asEntries(schema["$defs"]).filter(isDefinition)));
  if (cuts.edges.size === 0) return schema;
  return cut(schema, "", "", cuts.edges, onCut) as JsonSchema;
}

/** The references that lead back, as `from to`, where both are names of definitions. */
class Cuts {
  readonly edges: ReadonlySet<string>;
  readonly #definitions: ReadonlyMap<string, SchemaNode>;
  readonly #found = new Set<string>();
  readonly #done = new Set<string>();

  constructor(definitions: ReadonlyMap<string, SchemaNode>) {
    this.#definitions = definitions;
    for (const name of definitions.keys()) this.#follow(name, new Set());
    this.edges = this.#found;
  }

  #follow(name: string, above: ReadonlySet<string>): void {
    if (this.#done.has(name)) return;
    const here = new Set(above).add(name);
    const targets = new Set<string>();
    eachNeeded(this.#definitions.get(name) ?? true, (target) => targets.add(target));
    for (const target of targets) {
      if (here.has(target)) this.#found.add(`${name} ${target}`);
      else this.#follow(target, here);
    }
    this.#done.add(name);
  }
}

/** Calls back for each reference that is not behind a property that may be absent. */
function eachNeeded(node: SchemaNode, onReference: (name: string) => void): void {
  if (typeof node === "boolean") return;
  const name = definitionName(node["$ref"]);
  if (name !== undefined) onReference(name);
  for (const [sub, step] of subschemas(node)) {
    if (!isFree(node, step)) eachNeeded(sub, onReference);
  }
}

function isFree(node: JsonSchema, [keyword, name]: SchemaStep): boolean {
  return keyword === "properties" && !asTexts(node["required"]).includes(String(name));
}

function cut(
  node: SchemaNode,
  path: string,
  from: string,
  edges: ReadonlySet<string>,
  onCut: (path: string) => void,
): SchemaNode {
  if (typeof node === "boolean") return node;
  const name = definitionName(node["$ref"]);
  if (name !== undefined && edges.has(`${from} ${name}`)) {
    onCut(path);
    return {};
  }
  const rest = mapSubschemas(node, (sub, step) => {
    if (isFree(node, step)) return sub;
    const definition = path === "" && step[0] === "$defs" ? String(step[1]) : from;
    return cut(sub, stepPointer(path, step), definition, edges, onCut);
  });
  // When one of them accepts everything, so do all.
  return asList(rest["anyOf"]).some(isEmpty) ? without(rest, "anyOf") : rest;
}

function isDefinition(member: readonly [string, unknown]): member is readonly [string, SchemaNode] {
  return isSchemaNode(member[1]);
}
