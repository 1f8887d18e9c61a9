import type { JsonSchema } from "@toolweave/core";
import { decodeFragment, pointerTokens } from "../document/json-pointer.ts";
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

const mostSchemas = 1000;

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
    if (found.size === mostSchemas) break;
    found.add(schema);
    for (const keyword of ["allOf", "anyOf", "oneOf"]) {
      const branches = schema[keyword];
      if (!Array.isArray(branches)) continue;
      for (const branch of branches as readonly (JsonSchema | boolean)[]) open.push(branch);
    }
  }
  return [...found];
}

/** The names of the types a schema allows, as far as it says so. */
export function schemaTypes(schema: JsonSchema | boolean): readonly string[] {
  if (typeof schema === "boolean") return [];
  const { type } = schema;
  if (typeof type === "string") return [type];
  return Array.isArray(type) ? type.filter((one): one is string => typeof one === "string") : [];
}
