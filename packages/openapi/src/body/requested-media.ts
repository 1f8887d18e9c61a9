import { visibleText, type JsonSchema } from "@toolweave/core";
import type { LayoutOptions } from "../settings/operation-options.ts";
import { OperationError, type MediaDescription, type RequestBody } from "../document/operation.ts";
import { resolveSchema } from "../schema/resolve-schema.ts";
import { isEncodedSchema } from "./binary-content.ts";
import { isInRange, isJsonMediaType, mediaTypeName } from "../document/media-type.ts";

/**
 * The declared media type that the host asks for: the same with its parameters, else the same name, else a range that it
 * is in. It is sent as the host wrote it. `undefined`: the document declares none of them.
 */
function requestedMedia(
  media: readonly MediaDescription[],
  requested: string,
): MediaDescription | undefined {
  const same = requested.toLowerCase();
  const name = mediaTypeName(requested);
  const found =
    media.find(({ mediaType }) => mediaType.toLowerCase() === same) ??
    media.find(({ mediaType }) => mediaTypeName(mediaType) === name) ??
    media.find(({ mediaType }) => isInRange(requested, mediaType));
  return found === undefined ? undefined : { ...found, mediaType: requested };
}

/** The media types with bytes in place of base64 text, where a whole body is that. `undefined`: none is. */
function decodedMedia(media: readonly MediaDescription[]): readonly MediaDescription[] | undefined {
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
 * The media types of a body, as the host wants them.
 *
 * @param warnings gets what the host has asked for in vain; whole sentences.
 * @throws OperationError when the host asks for a media type that the document does not declare.
 */
export function requestedMediaTypes(
  { media }: RequestBody,
  { requestMediaType, decodeBase64Body }: LayoutOptions,
  pointer: string,
  warnings: string[],
): readonly MediaDescription[] {
  let wished = media;
  if (requestMediaType !== undefined) {
    const found = requestedMedia(media, requestMediaType);
    if (found === undefined) {
      const declared = media.map(({ mediaType }) => visibleText(mediaType).slice(0, 100));
      throw new OperationError(
        `overrides sends its body as ${requestMediaType}, which the document does not declare: it has ${declared.slice(0, 20).join(", ")}`,
        pointer,
      );
    }
    wished = [found];
  }
  if (decodeBase64Body !== true) return wished;
  const decoded = decodedMedia(wished);
  if (decoded === undefined) {
    warnings.push("overrides has decodeBase64Body for it, and its body is not base64 as a whole.");
  }
  return decoded ?? wished;
}
