import type { JsonSchema, JsonValue } from "@toolweave/core";
import { decodeFragment, parsePointer } from "@toolweave/core/adapter";
import type { SelfContainedSchema } from "../document/operation.ts";
import { isJsonObject, ownValue, setOwn } from "../document/record.ts";
import { isAnnotation } from "./schema-keywords.ts";

type Schema = JsonSchema | boolean;
type Definitions = SelfContainedSchema["defs"];

const definitions = "#/$defs/";

/** Returns true if a reference leads to a definition itself, and not to a part of it. */
function isWhole(reference: string): boolean {
  return !reference.includes("/", definitions.length);
}

/**
 * Returns the definition to which a reference leads, or which contains its target; `undefined` if it is not in `$defs`.
 */
export function getDefinitionName(reference: unknown): string | undefined {
  if (typeof reference !== "string" || !reference.startsWith(definitions)) return undefined;
  const isPlain = !reference.includes("%") && !reference.includes("~");
  if (isPlain && isWhole(reference)) return reference.slice(definitions.length);
  return parsePointer(decodeFragment(reference.slice(1)))[1];
}

/**
 * Resolves a schema that is a reference with only annotations beside it. A reference that cannot be resolved is
 * returned unchanged.
 */
export function resolveSchema(schema: Schema, defs: Definitions): Schema {
  let current = schema;
  for (let steps = 0; steps < 50; steps++) {
    if (typeof current === "boolean" || current["$ref"] === undefined) return current;
    const reference = current["$ref"];
    const name = getDefinitionName(reference);
    const target = name === undefined || !isWhole(reference as string) ? undefined : defs.get(name);
    if (target === undefined || hasConstraintsBesideReference(current)) break;
    current = target;
  }
  return schema;
}

function hasConstraintsBesideReference(schema: JsonSchema): boolean {
  for (const key in schema) if (key !== "$ref" && !isAnnotation(key)) return true;
  return false;
}

const maxSchemas = 1000;

/** Returns schemas and those of which they are composed, without duplicates, as far as they apply to the same value. */
export function collectInPlaceSchemas(
  given: readonly Schema[],
  defs: Definitions,
): readonly JsonSchema[] {
  const found = new Set<JsonSchema>();
  const open = [...given];
  // Schemas that are added during the iteration are visited too.
  for (const one of open) {
    const schema = resolveSchema(one, defs);
    if (typeof schema === "boolean" || found.has(schema)) continue;
    if (found.size === maxSchemas) break;
    found.add(schema);
    open.push(...getApplied(schema, defs), ...getBranches(schema, "anyOf"));
    open.push(...getBranches(schema, "oneOf"));
  }
  return [...found];
}

/** Returns the schemas that apply to every value of a schema: its `allOf`, and the reference beside its constraints. */
function getApplied(schema: JsonSchema, defs: Definitions): readonly Schema[] {
  const name = getDefinitionName(schema["$ref"]);
  const target = name === undefined ? undefined : defs.get(name);
  const branches = getBranches(schema, "allOf");
  return target === undefined ? branches : [target, ...branches];
}

function getBranches(schema: JsonSchema, keyword: string): readonly Schema[] {
  const branches = schema[keyword];
  return Array.isArray(branches) ? (branches as readonly Schema[]) : [];
}

/** Returns the required properties of an object, from the schema itself and those that it applies to every value. */
export function getRequiredNames(schema: Schema, defs: Definitions): ReadonlySet<string> {
  const names = new Set<string>();
  const open = [schema];
  for (let seen = 0; open.length > 0 && seen < maxSchemas; seen++) {
    const resolved = resolveSchema(open.pop() as JsonSchema, defs);
    if (typeof resolved === "boolean") continue;
    const { required } = resolved;
    if (Array.isArray(required)) for (const name of required) names.add(name as string);
    open.push(...getApplied(resolved, defs));
  }
  return names;
}

const deepest = 8;

/** Returns false if no value of a schema has one of these types. */
export function mayBe(
  schema: Schema,
  defs: Definitions,
  types: readonly string[],
  depth: number = 0,
): boolean {
  const resolved = resolveSchema(schema, defs);
  if (typeof resolved === "boolean" || depth > deepest) return resolved !== false;
  const own = getSchemaTypes(resolved);
  if (own.length > 0 && !own.some((type) => types.includes(type))) return false;
  const isOne = (branch: Schema): boolean => mayBe(branch, defs, types, depth + 1);
  const isChoice = (branches: readonly Schema[]): boolean =>
    branches.length === 0 || branches.some(isOne);
  return (
    getApplied(resolved, defs).every(isOne) &&
    isChoice(getBranches(resolved, "anyOf")) &&
    isChoice(getBranches(resolved, "oneOf"))
  );
}

const maxAlternatives = 64;
const maxExpanded = 500;

/**
 * Returns what a value may be, other than null: schemas without references and compositions, of which a value matches
 * one. The members of `allOf` are merged, and each branch of `anyOf` and `oneOf` is an alternative of its own. A schema
 * with too many alternatives is returned unchanged.
 *
 * Most constraints that two merged schemas both have are not combined: the result serves to recognize a value (text,
 * file, list, object), and not to validate it.
 */
export function toAlternatives(schema: Schema, defs: Definitions): readonly JsonSchema[] {
  return expandAll(schema, defs).filter((one) => getSchemaTypes(one).join() !== "null");
}

/** Returns true if a schema names null among its types. */
export function isNullable(schema: Schema, defs: Definitions): boolean {
  return expandAll(schema, defs).some((one) => getSchemaTypes(one).includes("null"));
}

/**
 * Returns the only alternative of a schema (see `toAlternatives`). If there are several, or none, the schema is
 * returned, with references resolved that have only annotations beside them.
 */
export function toPlainSchema(schema: Schema, defs: Definitions): Schema {
  if (typeof schema === "boolean" || !isComposed(schema)) return schema;
  const target = getPlainTarget(schema, defs);
  if (target !== undefined) return target;
  const [only, another] = toAlternatives(schema, defs);
  return only === undefined || another !== undefined ? resolveSchema(schema, defs) : only;
}

/** Returns the plain schema to which a reference leads that has nothing beside it, as most do. */
function getPlainTarget(schema: JsonSchema, defs: Definitions): Schema | undefined {
  if (schema["$ref"] === undefined || Object.keys(schema).length > 1) return undefined;
  const target = resolveSchema(schema, defs);
  return typeof target === "boolean" || !isComposed(target) ? target : undefined;
}

function isComposed({ $ref, allOf, anyOf, oneOf }: JsonSchema): boolean {
  return $ref !== undefined || allOf !== undefined || anyOf !== undefined || oneOf !== undefined;
}

function expandAll(schema: Schema, defs: Definitions): readonly JsonSchema[] {
  if (typeof schema === "boolean") return schema ? [{}] : [];
  if (!isComposed(schema)) return [schema];
  const target = getPlainTarget(schema, defs);
  if (typeof target === "object") return [target];
  return expand(schema, defs, { left: maxExpanded }) ?? [resolveSchema(schema, defs) as JsonSchema];
}

/** Returns the alternatives of a schema, null among them; `undefined` if there are too many. */
function expand(
  schema: Schema,
  defs: Definitions,
  budget: { left: number },
): readonly JsonSchema[] | undefined {
  if (typeof schema === "boolean") return schema ? [{}] : [];
  if (!isComposed(schema)) return [schema];
  const { $ref: _, allOf: __, anyOf: ___, oneOf: ____, ...own } = schema;
  const hasOwn = Object.keys(own).length > 0;
  let found: readonly JsonSchema[] | undefined = hasOwn ? [own] : undefined;
  const applied = getApplied(schema, defs).map((one) => [one]);
  const choices = ["anyOf", "oneOf"].map((keyword) => getBranches(schema, keyword));
  for (const group of [...applied, ...choices.filter((branches) => branches.length > 0)]) {
    const inner: JsonSchema[] = [];
    for (const branch of group) {
      const expanded = budget.left-- > 0 ? expand(branch, defs, budget) : undefined;
      if (expanded === undefined) return undefined;
      inner.push(...expanded);
    }
    if (inner.length * (found?.length ?? 1) > maxAlternatives) return undefined;
    found = found?.flatMap((outer) => inner.flatMap((one) => mergeSchemas(outer, one))) ?? inner;
  }
  return found ?? [own];
}

/** Merges two schemas that both apply; texts of the first are preferred. Nothing, if no type is in both. */
function mergeSchemas(first: JsonSchema, second: JsonSchema): readonly JsonSchema[] {
  const merged: Record<string, JsonValue> = { ...second, ...first };
  const types = intersectTypes(getSchemaTypes(first), getSchemaTypes(second));
  if (types?.length === 0) return [];
  if (types !== undefined) merged["type"] = types.length === 1 ? (types[0] as string) : types;
  const names = [first, second].flatMap(({ required }) =>
    Array.isArray(required) ? required : [],
  );
  if (names.length > 0) merged["required"] = [...new Set(names)];
  const { properties, items } = first;
  if (isJsonObject(properties) && isJsonObject(second["properties"])) {
    const all: Record<string, JsonValue> = { ...second["properties"], ...properties };
    for (const name of Object.keys(properties)) {
      const other = ownValue(second["properties"], name) as JsonValue | undefined;
      if (other !== undefined) setOwn(all, name, { allOf: [properties[name], other] });
    }
    merged["properties"] = all;
  }
  if (items !== undefined && second["items"] !== undefined) {
    merged["items"] = { allOf: [items, second["items"]] };
  }
  return [merged];
}

function intersectTypes(
  first: readonly string[],
  second: readonly string[],
): readonly string[] | undefined {
  if (first.length === 0 || second.length === 0) {
    const known = first.length === 0 ? second : first;
    return known.length === 0 ? undefined : known;
  }
  const isIn = (type: string, types: readonly string[]): boolean =>
    types.includes(type) || (type === "integer" && types.includes("number"));
  return [
    ...new Set([
      ...first.filter((type) => isIn(type, second)),
      ...second.filter((type) => isIn(type, first)),
    ]),
  ];
}

/** Returns the types that a schema allows; empty if it does not restrict them. */
export function getSchemaTypes(schema: Schema): readonly string[] {
  if (typeof schema === "boolean") return [];
  const { type } = schema;
  if (typeof type === "string") return [type];
  return Array.isArray(type) ? type.filter((one): one is string => typeof one === "string") : [];
}
