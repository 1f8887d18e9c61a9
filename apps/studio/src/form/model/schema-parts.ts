import type { JsonObject, JsonSchema, JsonValue } from "@toolweave/core";
import {
  decodeFragment,
  getItemSchemas,
  isObject,
  isSchemaNode,
  mergeKeyword,
  resolvePointer,
  walkSubschemas,
  type SchemaNode,
} from "@toolweave/core/adapter";

/** The whole schema, to which references point. They are resolved when a field is opened, so that recursion is free. */
export interface SchemaRoot {
  readonly schema: JsonSchema;
}

/** The schemas that apply to one value in any case, and the parts of them that depend on the value. */
export interface SchemaParts {
  readonly base: JsonObject;
  readonly choices: readonly ChoiceParts[];
  /** Schemas with `if`, and `then` or `else`. */
  readonly conditions: readonly JsonSchema[];
  /** Schemas that apply if an object has the member. */
  readonly dependent: readonly (readonly [name: string, schema: SchemaNode])[];
  /** Schemas that the value must not match. */
  readonly excluded: readonly SchemaNode[];
  /** References without a target in the schema. */
  readonly dangling: readonly string[];
  /** True if no value matches. */
  readonly isImpossible: boolean;
}

/** `oneOf` or `anyOf`. */
export interface ChoiceParts {
  readonly keyword: "oneOf" | "anyOf";
  readonly branches: readonly SchemaNode[];
}

/** Keywords that are not merged as values. */
const structural: ReadonlySet<string> = new Set([
  "$ref",
  "$defs",
  "$id",
  "$anchor",
  "$schema",
  "$comment",
  "$dynamicAnchor",
  "$dynamicRef",
  "definitions",
  "allOf",
  "anyOf",
  "oneOf",
  "if",
  "then",
  "else",
  "not",
  "dependentSchemas",
  "dependencies",
]);

const cache = new WeakMap<SchemaRoot, WeakMap<object, SchemaParts>>();

/** Merges a schema with its `allOf` and the targets of its `$ref`. The outermost title and description are preserved. */
export function schemaParts(root: SchemaRoot, schema: SchemaNode | undefined): SchemaParts {
  if (!isObject(schema)) return combine(root, schema === false ? [false] : []);
  let known = cache.get(root);
  if (known === undefined) cache.set(root, (known = new WeakMap()));
  let parts = known.get(schema);
  if (parts === undefined) known.set(schema, (parts = combine(root, [schema])));
  return parts;
}

function combine(root: SchemaRoot, schemas: readonly SchemaNode[]): SchemaParts {
  const base: Record<string, JsonValue> = Object.create(null) as Record<string, JsonValue>;
  const choices: ChoiceParts[] = [];
  const conditions: JsonSchema[] = [];
  const dependent: [string, SchemaNode][] = [];
  const excluded: SchemaNode[] = [];
  const dangling: string[] = [];
  let isImpossible = false;
  const seen = new Set<object>();

  const add = (schema: JsonValue | undefined): void => {
    if (schema === false) isImpossible = true;
    if (!isObject(schema) || seen.has(schema)) return;
    seen.add(schema);
    addKeywords(base, schema);
    for (const keyword of ["$ref", "$dynamicRef"]) {
      const reference = schema[keyword];
      if (typeof reference !== "string") continue;
      const target = findTarget(root, reference);
      if (target === undefined) dangling.push(reference);
      else add(target);
    }
    if (Array.isArray(schema["allOf"])) for (const part of schema["allOf"]) add(part as JsonValue);
    for (const keyword of ["oneOf", "anyOf"] as const) {
      const branches = schema[keyword];
      if (!Array.isArray(branches) || branches.length === 0) continue;
      choices.push({ keyword, branches: branches.filter(isSchemaNode) });
    }
    if (isSchemaNode(schema["if"])) conditions.push(schema);
    if (isSchemaNode(schema["not"])) excluded.push(schema["not"]);
    for (const keyword of ["dependentSchemas", "dependencies"]) {
      const members = schema[keyword];
      for (const [name, member] of Object.entries(isObject(members) ? members : {})) {
        if (isSchemaNode(member)) dependent.push([name, member]);
        else if (Array.isArray(member)) dependent.push([name, { required: member }]);
      }
    }
  };
  for (const schema of schemas) add(schema);
  return { base, choices, conditions, dependent, excluded, dangling, isImpossible };
}

function addKeywords(base: Record<string, JsonValue>, schema: JsonSchema): void {
  const { prefix, rest } = getItemSchemas(schema);
  for (const [keyword, value] of Object.entries(schema)) {
    if (structural.has(keyword) || keyword === "additionalItems") continue;
    // A list of `items` (until 2019-09) is one of `prefixItems`.
    if (keyword === "items" && Array.isArray(value)) {
      addKeyword(base, "prefixItems", prefix as JsonValue[]);
      if (rest !== undefined) addKeyword(base, "items", rest);
    } else addKeyword(base, keyword, value);
  }
}

function addKeyword(base: Record<string, JsonValue>, keyword: string, value: JsonValue): void {
  const before = base[keyword];
  base[keyword] =
    before === undefined ? value : (mergeKeyword(keyword, before, value, bothSchemas) ?? before);
}

const merged = new WeakMap<object, WeakMap<object, JsonSchema>>();

/** The schema of values that match both: always the same object for the same two, so that caches by object hold. */
export function bothSchemas(a: SchemaNode, b: SchemaNode): SchemaNode {
  if (a === false || b === false) return false;
  if (a === true || a === b) return b;
  if (b === true) return a;
  let withA = merged.get(a);
  if (withA === undefined) merged.set(a, (withA = new WeakMap()));
  let both = withA.get(b);
  if (both === undefined) withA.set(b, (both = { allOf: [a, b] }));
  return both;
}

/** The schemas with an anchor or an `$id`, by reference. */
const anchors = new WeakMap<SchemaRoot, ReadonlyMap<string, JsonSchema>>();

function findTarget(root: SchemaRoot, reference: string): SchemaNode | undefined {
  if (/^#(?:\/|$)/.test(reference)) {
    const target = resolvePointer(root.schema, decodeFragment(reference.slice(1)));
    return isSchemaNode(target) ? target : undefined;
  }
  let known = anchors.get(root);
  if (known === undefined) anchors.set(root, (known = findAnchors(root.schema)));
  return known.get(reference);
}

function findAnchors(root: JsonSchema): Map<string, JsonSchema> {
  const found = new Map<string, JsonSchema>();
  for (const { schema } of walkSubschemas(root)) {
    for (const keyword of ["$anchor", "$dynamicAnchor"]) {
      if (typeof schema[keyword] === "string") found.set(`#${schema[keyword]}`, schema);
    }
    if (typeof schema["$id"] === "string") found.set(schema["$id"], schema);
  }
  return found;
}
