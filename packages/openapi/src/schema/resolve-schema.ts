import type { JsonSchema } from "@toolweave/core";
import { decodeFragment, pointerTokens } from "../document/references/json-pointer.ts";
import type { SelfContainedSchema } from "../document/operation.ts";

type Definitions = SelfContainedSchema["defs"];

const annotations = new Set([
  "$ref",
  "title",
  "description",
  "default",
  "example",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
  "x-secret",
  "$comment",
]);

/** The definition that a reference names or reaches into; `undefined` when it is not one of `$defs`. */
export function definitionName(reference: unknown): string | undefined {
  if (typeof reference !== "string" || !reference.startsWith("#/$defs/")) return undefined;
  return pointerTokens(decodeFragment(reference.slice(1)))[1];
}

/**
 * Follows a schema that is a reference, with nothing beside it but annotations, to the one that says
 * something. What cannot be followed comes back as it is.
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
    const name = isWhole ? definitionName(reference) : undefined;
    const target = name === undefined ? undefined : defs.get(name);
    if (target === undefined || !Object.keys(current).every((key) => annotations.has(key))) break;
    current = target;
  }
  return schema;
}

const maxSchemas = 1000;

/** Schemas and what they are composed of, each once, as far as that speaks of the same value. */
export function inPlaceSchemas(
  given: readonly (JsonSchema | boolean)[],
  defs: Definitions,
): readonly JsonSchema[] {
  const found = new Set<JsonSchema>();
  const open = [...given];
  // What is added meanwhile is met, too.
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

/** The names that an object must have, by what the schema says itself and in `allOf`. */
export function requiredNames(
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

/** False when a schema says that a value is of none of these types. */
export function mayBe(
  schema: JsonSchema | boolean,
  defs: Definitions,
  types: readonly string[],
  depth: number = 0,
): boolean {
  const resolved = resolveSchema(schema, defs);
  if (typeof resolved === "boolean" || depth > deepest) return resolved !== false;
  const own = schemaTypes(resolved);
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

/** The names of the types a schema allows, as far as it says so. */
export function schemaTypes(schema: JsonSchema | boolean): readonly string[] {
  if (typeof schema === "boolean") return [];
  const { type } = schema;
  if (typeof type === "string") return [type];
  return Array.isArray(type) ? type.filter((one): one is string => typeof one === "string") : [];
}
