import type { JsonSchema } from "@toolweave/core";
import { resolveReference, walkSubschemas } from "@toolweave/core/adapter";

/** Maximum number of parts of a schema that are searched; beyond it the executor's own limits apply. */
const maxParts = 100_000;

/**
 * Finds a reference of the schema that leads outside of it, or nowhere; `undefined`: there is none. Remote references
 * of a server's schemas are never fetched.
 */
export function findMissingReference(schema: JsonSchema): string | undefined {
  const references: string[] = [];
  const names = new Set<string>();
  for (const { schema: part } of walkSubschemas(schema, maxParts, true)) {
    const { $ref, $dynamicRef, $id, $anchor, $dynamicAnchor } = part;
    for (const reference of [$ref, $dynamicRef]) {
      if (typeof reference === "string") references.push(reference);
    }
    if (typeof $id === "string") names.add($id);
    for (const anchor of [$anchor, $dynamicAnchor]) {
      if (typeof anchor === "string") names.add(`#${anchor}`);
    }
  }
  return references.find(
    (reference) => !names.has(reference) && resolveReference(schema, reference) === undefined,
  );
}
