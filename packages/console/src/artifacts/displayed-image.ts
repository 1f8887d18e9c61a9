import { sniffMediaType } from "@toolweave/core/adapter";

/** The largest image that is sent within JSON, in bytes. */
export const maxImageBytes = 1_048_576;

const displayedImages: readonly string[] = [
  "image/png",
  "image/jpeg",
  "image/webp",
  "image/gif",
  "image/avif",
];

/** Recognizes an image that a page may display by its first bytes; `undefined`: it is none. */
export function sniffDisplayedImage(bytes: Uint8Array): string | undefined {
  const mediaType = sniffMediaType(bytes);
  return mediaType !== undefined && displayedImages.includes(mediaType) ? mediaType : undefined;
}
