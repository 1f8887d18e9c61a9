import type { JsonSchema } from "@toolweave/core";
import { decodeFragment, parsePointer } from "@toolweave/core/adapter";
import type { SelfContainedSchema } from "../document/operation.ts";
import { isAnnotation } from "./schema-keywords.ts";

type Definitions = SelfContainedSchema["defs"];

/**
 * Returns the definition to which a reference leads, or which contains its target; `undefined` if it is not in `$defs`.
 */
export function getDefinitionName(reference: unknown): string | undefined {
  if (typeof reference !== "string" || !reference.startsWith("#/$defs/")) return undefined;
  return parsePointer(decodeFragment(reference.slice(1)))[1];
}

/**
 * Resolves a schema that is a reference with only annotations beside it. A reference that cannot be resolved is
 * returned unchanged.
 */
export function resolveSchema(
  schema: JsonSchema | boolean,
  defs: Definitions,
): JsonSchema | boolean {
  let current = schema;
  for (let steps = 0; steps < 50; steps++) {
    if (typeof current === "boolean" || current["$ref"] === undefined) return current;
    const reference = current["$ref"];
    const isWhole = typeof reference === "string" && reference.split("/").length === 3;
    const name = isWhole ? getDefinitionName(reference) : undefined;
    const target = name === undefined ? undefined : defs.get(name);
    if (
      target === undefined ||
      !Object.keys(current).every((key) => key === "$ref" || isAnnotation(key))
    )
      break;
    current = target;
  }
  return schema;
}

const maxSchemas = 1000;

/** Returns schemas and those of which they are composed, without duplicates, as far as they apply to the same value. */
export function collectInPlaceSchemas(
  given: readonly (JsonSchema | boolean)[],
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
    for (const keyword of ["allOf", "anyOf", "oneOf"]) {
      const branches = schema[keyword];
      if (!Array.isArray(branches)) continue;
      for (const branch of branches as readonly (JsonSchema | boolean)[]) open.push(branch);
    }
  }
  return [...found];
}

/** Returns the required properties of an object, from the schema itself and its `allOf`. */
export function getRequiredNames(
  schema: JsonSchema | boolean,
  defs: Definitions,
): ReadonlySet<string> {
  const names = new Set<string>();
  const open = [schema];
  for (let seen = 0; open.length > 0 && seen < maxSchemas; seen++) {
    const resolved = resolveSchema(open.pop() as JsonSchema, defs);
    if (typeof resolved === "boolean") continue;
    const { required, allOf } = resolved;
    if (Array.isArray(required)) for (const name of required) names.add(name as string);
    if (Array.isArray(allOf)) open.push(...(allOf as readonly (JsonSchema | boolean)[]));
  }
  return names;
}

const deepest = 8;

/** Returns false if no value of a schema has one of these types. */
export function mayBe(
  schema: JsonSchema | boolean,
  defs: Definitions,
  types: readonly string[],
  depth: number = 0,
): boolean {
  const resolved = resolveSchema(schema, defs);
  if (typeof resolved === "boolean" || depth > deepest) return resolved !== false;
  const own = getSchemaTypes(resolved);
  if (own.length > 0 && !own.some((type) => types.includes(type))) return false;
  const branches = (keyword: string): readonly JsonSchema[] | undefined =>
    Array.isArray(resolved[keyword]) ? (resolved[keyword] as JsonSchema[]) : undefined;
  const isOne = (branch: JsonSchema): boolean => mayBe(branch, defs, types, depth + 1);
  return (
    branches("allOf")?.every(isOne) !== false &&
    branches("anyOf")?.some(isOne) !== false &&
    branches("oneOf")?.some(isOne) !== false
  );
}

/** Returns the types that a schema allows; empty if it does not restrict them. */
export function getSchemaTypes(schema: JsonSchema | boolean): readonly string[] {
  if (typeof schema === "boolean") return [];
  const { type } = schema;
  if (typeof type === "string") return [type];
  return Array.isArray(type) ? type.filter((one): one is string => typeof one === "string") : [];
}
