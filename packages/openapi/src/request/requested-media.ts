import type { JsonSchema } from "@toolweave/core";
import type { MediaDescription } from "../document/operation.ts";
import { resolveSchema } from "../schema/resolve-schema.ts";
import { isEncodedSchema } from "./binary-content.ts";
import { isInRange, isJsonMediaType, mediaTypeName } from "./media-type.ts";

/**
 * The declared media type that the host asks for: the same with its parameters, else the same name, else a range that it
 * is in. It is sent as the host wrote it. `undefined`: the document declares none of them.
 */
export function requestedMedia(
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
export function decodedMedia(
  media: readonly MediaDescription[],
): readonly MediaDescription[] | undefined {
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
