import type { Transform } from "node:stream";
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from "node:zlib";

/**
 * Creates the decoder of a `content-encoding` (RFC 9110, section 8.4.1). `"none"`: the body is not encoded;
 * `undefined`: the encoding is unknown.
 */
export function contentDecoder(
  encoding: string | readonly string[] | undefined,
  firstChunk: Uint8Array,
): Transform | "none" | undefined {
  if (encoding === undefined) return "none";
  switch (String(encoding).trim().toLowerCase()) {
    case "":
    case "identity":
      return "none";
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "deflate":
      // Some servers send raw deflate data; the low bits of a zlib header's first byte are always 8.
      return ((firstChunk[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw();
    case "br":
      return createBrotliDecompress();
    case "zstd":
      // RFC 9659: a window of at most 8 MB, which bounds what a frame can make this process allocate.
      return createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: 23 } });
    default:
      return undefined;
  }
}
