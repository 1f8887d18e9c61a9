import type { JsonSchema } from "@toolweave/core";
import type { MediaDescription } from "../document/operation.ts";
import { mayBe, resolveSchema, schemaTypes } from "../schema/resolve-schema.ts";
import { mediaTypeName } from "../document/media-type.ts";

/**
 * How far behind its own kind a media type stands as the type of a body: 0 unless it is a patch that the schema cannot
 * mean, or that is written in YAML or CBOR, which a host has to ask for.
 */
export function patchPenalty({ mediaType, schema: { schema, defs } }: MediaDescription): number {
  const name = mediaTypeName(mediaType);
  if (/patch\+(?:yaml|cbor)$/.test(name)) return 30;
  if (isJsonPatch(name)) return mayBe(schema, defs, ["array"]) ? 0 : 20;
  // RFC 7396 section 2: a merge patch that is no object replaces the whole. Kubernetes' strategic one is an object, too.
  return name.endsWith("merge-patch+json") && !mayBe(schema, defs, ["object"]) ? 20 : 0;
}

/**
 * The schema of a JSON Patch (RFC 6902 sections 3 and 4) for a document whose schema says nothing of its list, or says no
 * more than that it is an object, which no JSON Patch can be. `undefined` for other media types, and where the document
 * describes what is sent: its list, or the members of an object, which frameworks send by the name of a patch as well.
 */
export function jsonPatchSchema({ mediaType, schema }: MediaDescription): JsonSchema | undefined {
  if (!isJsonPatch(mediaTypeName(mediaType))) return undefined;
  const resolved = resolveSchema(schema.schema, schema.defs);
  const isDescribed =
    typeof resolved === "object" &&
    (schemaTypes(resolved).includes("array") || describing.some((keyword) => keyword in resolved));
  if (isDescribed) return undefined;
  const description = typeof resolved === "object" ? resolved["description"] : undefined;
  return {
    ...(typeof description === "string" ? { description } : {}),
    type: "array",
    items: {
      type: "object",
      properties: {
        op: { enum: ["add", "remove", "replace", "move", "copy", "test"] },
        path: { type: "string", description: "A JSON pointer: /a/b" },
        from: { type: "string", description: "A JSON pointer, for move and copy." },
        value: { description: "For add, replace and test." },
      },
      required: ["op", "path"],
    },
  };
}

/** Keywords that say what is in a list or an object. */
const describing = ["items", "prefixItems", "properties", "allOf", "anyOf", "oneOf", "$ref"];

/** `application/json-patch+json` (RFC 6902), and types of vendors that end so. */
function isJsonPatch(name: string): boolean {
  return /[/.+-]json-patch\+json$|\/json-patch$/.test(name);
}
