import type { JsonSchema } from "@toolweave/core";
import { decodeFragment, resolvePointer } from "@toolweave/core/adapter";
import { dataKeywords, isObject, namingKeywords } from "./schema-keywords.ts";

/** Maximum number of parts of a schema that are searched; beyond it the executor's own limits apply. */
const maxParts = 100_000;

/**
 * Finds a reference of the schema that leads outside of it, or nowhere; `undefined`: there is none. Remote references
 * of a server's schemas are never fetched.
 */
export function findMissingReference(schema: JsonSchema): string | undefined {
  const references: string[] = [];
  const names = new Set<string>(["#"]);
  const schemas: unknown[] = [schema];
  for (let seen = 0; schemas.length > 0 && seen < maxParts; seen++) {
    const part = schemas.pop();
    if (typeof part !== "object" || part === null) continue;
    const { $ref, $dynamicRef, $id, $anchor, $dynamicAnchor } = part as Record<string, unknown>;
    for (const reference of [$ref, $dynamicRef]) {
      if (typeof reference === "string") references.push(reference);
    }
    if (typeof $id === "string") names.add($id);
    for (const anchor of [$anchor, $dynamicAnchor]) {
      if (typeof anchor === "string") names.add(`#${anchor}`);
    }
    for (const [keyword, value] of Object.entries(part)) {
      if (dataKeywords.has(keyword)) continue;
      if (namingKeywords.has(keyword) && isObject(value)) schemas.push(...Object.values(value));
      else schemas.push(value);
    }
  }
  return references.find((reference) => !names.has(reference) && !resolvesIn(reference, schema));
}

function resolvesIn(reference: string, schema: JsonSchema): boolean {
  if (!reference.startsWith("#/")) return false;
  return resolvePointer(schema, decodeFragment(reference.slice(1))) !== undefined;
}
