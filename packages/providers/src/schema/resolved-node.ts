import type { JsonSchema } from "@toolweave/core";
import type { SchemaNode } from "@toolweave/core/adapter";
import { mergedSchemas, type MergeContext } from "./merged-schemas.ts";
import { definitionName, type PreparedSchema } from "./prepared-schema.ts";
import { without } from "./keywords.ts";

/** Merges of schemas that one tool may need. */
const maxMerges = 2000;

/** The context for merging of one prepared schema. */
export function mergeContext(
  prepared: PreparedSchema,
  onLost: (keyword: string) => void,
): MergeContext {
  const context: MergeContext = {
    resolved: (node) => resolvedNode(node, prepared, context),
    onLost,
    left: maxMerges,
    depth: 0,
  };
  return context;
}

/** The schema with its reference replaced by what that leads to, and by what stood beside it. */
function resolvedNode(
  node: JsonSchema,
  { definitions }: PreparedSchema,
  context: MergeContext,
): SchemaNode {
  let at: SchemaNode = node;
  for (let hops = 0; typeof at !== "boolean" && at["$ref"] !== undefined; hops++) {
    const target = definitions.get(definitionName(at["$ref"]) ?? "");
    // A reference that refers only to itself constrains nothing.
    if (target === undefined || hops > definitions.size) return true;
    const beside = without(at, "$ref");
    if (typeof target === "boolean" || Object.keys(beside).length === 0) {
      at = target;
      continue;
    }
    const { $ref, ...own } = target;
    const both = mergedSchemas(beside, own, context);
    at = $ref === undefined || typeof both === "boolean" ? both : { ...both, $ref };
  }
  return at;
}
