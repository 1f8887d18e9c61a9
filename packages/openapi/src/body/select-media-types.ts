import type { JsonSchema } from "@toolweave/core";
import { getMediaTypeName, isJsonMediaType, visibleText } from "@toolweave/core/adapter";
import type { LayoutOptions } from "../settings/operation-options.ts";
import { OperationError, type MediaDescription, type RequestBody } from "../document/operation.ts";
import { resolveSchema } from "../schema/resolve-schema.ts";
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
    const { schema, defs } = one.schema;
    const resolved = resolveSchema(schema, defs);
    if (isJsonMediaType(one.mediaType) || !isEncodedSchema(resolved)) return one;
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
