import { sniffMediaType } from "@toolweave/core/adapter";

/** The largest image that is sent within JSON, in bytes. */
export const maxImageBytes = 1_048_576;

const displayedImages: readonly string[] = ["image/png", "image/jpeg", "image/webp", "image/gif"];

/** Recognizes an image that a page may display by its first bytes; `undefined`: it is none. */
export function sniffDisplayedImage(bytes: Uint8Array): string | undefined {
  if (isAvif(bytes)) return "image/avif";
  const mediaType = sniffMediaType(bytes);
  return mediaType !== undefined && displayedImages.includes(mediaType) ? mediaType : undefined;
}

/** Not in the signatures of core: models do not take such images. @see https://aomediacodec.github.io/av1-avif/#brands */
function isAvif(bytes: Uint8Array): boolean {
  const brand = String.fromCharCode(...bytes.subarray(4, 12));
  return brand === "ftypavif" || brand === "ftypavis";
}
