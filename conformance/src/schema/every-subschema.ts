import type { JsonObject } from "@toolweave/core";
import { subschemas, type Subschema } from "./subschemas.ts";

/** A schema and all schemas within it, each once; no reference is followed. */
export function everySubschema(root: JsonObject): Subschema[] {
  const found: Subschema[] = [{ schema: root, path: "" }];
  const seen = new Set<JsonObject>([root]);
  for (const { schema, path } of found) {
    for (const inner of subschemas(schema)) {
      if (seen.has(inner.schema)) continue;
      seen.add(inner.schema);
      found.push({ schema: inner.schema, path: `${path}${inner.path}` });
    }
  }
  return found;
}
