import type { JsonSchema } from "@toolweave/core";
import { getMediaTypeName } from "@toolweave/core/adapter";
import type { MediaDescription } from "../document/operation.ts";
import { mayBe, resolveSchema, getSchemaTypes } from "../schema/resolve-schema.ts";

/**
 * Returns the penalty on the rank of a media type: 0 unless it is a patch that does not match the schema, or one in
 * YAML or CBOR, which a host has to request.
 */
export function getPatchPenalty({ mediaType, schema: { schema, defs } }: MediaDescription): number {
  const name = getMediaTypeName(mediaType);
  if (/patch\+(?:yaml|cbor)$/.test(name)) return 30;
  if (isJsonPatch(name)) return mayBe(schema, defs, ["array"]) ? 0 : 20;
  // RFC 7396 section 2: a merge patch that is not an object replaces the whole document. The strategic merge patch of
  // Kubernetes is an object too.
  return name.endsWith("merge-patch+json") && !mayBe(schema, defs, ["object"]) ? 20 : 0;
}

/**
 * Returns the schema of a JSON Patch (RFC 6902 sections 3 and 4) for a document whose schema does not describe the
 * list, or only requires an object, which no JSON Patch is. `undefined` for other media types, and if the document
 * describes the value: its list, or the properties of an object, which frameworks also send under the name of a patch.
 */
export function toJsonPatchSchema({ mediaType, schema }: MediaDescription): JsonSchema | undefined {
  if (!isJsonPatch(getMediaTypeName(mediaType))) return undefined;
  const resolved = resolveSchema(schema.schema, schema.defs);
  const isDescribed =
    typeof resolved === "object" &&
    (getSchemaTypes(resolved).includes("array") ||
      describing.some((keyword) => keyword in resolved));
  if (isDescribed) return undefined;
  const description = typeof resolved === "object" ? resolved["description"] : undefined;
  return {
    ...(typeof description === "string" ? { description } : {}),
    type: "array",
    items: {
      type: "object",
      properties: {
        op: { enum: ["add", "remove", "replace", "move", "copy", "test"] },
        path: { type: "string", description: "A JSON pointer, such as /a/b" },
        from: { type: "string", description: "A JSON pointer, for move and copy." },
        value: { description: "For add, replace and test." },
      },
      required: ["op", "path"],
    },
  };
}

/** Keywords that describe the contents of a list or an object. */
const describing = ["items", "prefixItems", "properties", "allOf", "anyOf", "oneOf", "$ref"];

/** Matches `application/json-patch+json` (RFC 6902), and vendor types with that suffix. */
function isJsonPatch(name: string): boolean {
  return /[/.+-]json-patch\+json$|\/json-patch$/.test(name);
}
