import type { JsonSchema } from "@toolweave/core";
import { getMediaTypeName, isJsonMediaType, visibleText } from "@toolweave/core/adapter";
import type { LayoutOptions } from "../settings/operation-options.ts";
import { OperationError, type MediaDescription, type RequestBody } from "../document/operation.ts";
import { getSchemaTypes, mayBe, resolveSchema, toPlainSchema } from "../schema/resolve-schema.ts";
import { isEncodedSchema } from "./binary-content.ts";
import { withNamedPart } from "./unnamed-part.ts";
import { isInRange } from "../document/media-type.ts";

/**
 * Finds the declared media type that the host requests: the same one including parameters, else the same name, else a
 * range that contains it. It is sent as the host wrote it. `undefined`: the document does not declare it.
 */
function findRequestedMedia(
  media: readonly MediaDescription[],
  requested: string,
): MediaDescription | undefined {
  const same = requested.toLowerCase();
  const name = getMediaTypeName(requested);
  const found =
    media.find(({ mediaType }) => mediaType.toLowerCase() === same) ??
    media.find(({ mediaType }) => getMediaTypeName(mediaType) === name) ??
    media.find(({ mediaType }) => isInRange(requested, mediaType));
  return found === undefined ? undefined : { ...found, mediaType: requested };
}

/** Replaces base64 text by bytes in the media types whose whole body is base64. `undefined`: there is none. */
function decodeMedia(media: readonly MediaDescription[]): readonly MediaDescription[] | undefined {
  let changed = false;
  const decoded = media.map((one): MediaDescription => {
    if (isJsonMediaType(one.mediaType)) return one;
    const { schema, defs } = one.schema;
    const resolved = toPlainSchema(schema, defs);
    if (!isEncodedSchema(resolved)) return one;
    changed = true;
    const { contentEncoding: _, ...others } = resolved as JsonSchema;
    return { ...one, schema: { schema: { ...others, format: "binary" }, defs } };
  });
  return changed ? decoded : undefined;
}

/**
 * Returns the media types of a body, as the host requests them.
 *
 * @param warnings receives the requests that have no effect; full sentences.
 * @throws OperationError if the host requests a media type that the document does not declare.
 */
export function selectMediaTypes(
  { media, required }: RequestBody,
  { requestMediaType, partName, decodeBase64Body }: LayoutOptions,
  pointer: string,
  warnings: string[],
): readonly MediaDescription[] {
  let wished = media;
  if (requestMediaType !== undefined) {
    const found = findRequestedMedia(media, requestMediaType);
    if (found === undefined) {
      const declared = media.map(({ mediaType }) => visibleText(mediaType).slice(0, 100));
      throw new OperationError(
        `overrides sets requestMediaType to ${requestMediaType}, which the document does not declare: it has ${declared.slice(0, 20).join(", ")}`,
        pointer,
      );
    }
    wished = [found];
  }
  wished = wished.map((one) => withNamedPart(one, { required }, partName));
  if (partName !== undefined && wished.every((one) => one.partName === undefined)) {
    warnings.push("overrides sets a partName, but the document names the parts of the body.");
  }
  if (decodeBase64Body !== true) return wished;
  const decoded = decodeMedia(wished);
  if (decoded === undefined) {
    warnings.push("overrides sets decodeBase64Body, but the whole body is not base64.");
  }
  return decoded ?? wished;
}

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
