import { sniffMediaType } from "@toolweave/core/adapter";

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
