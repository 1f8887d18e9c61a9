import type { Transform } from "node:stream";
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from "node:zlib";

/** The decoder of a `content-encoding` (RFC 9110, section 8.4.1); `"none"`: as it is; `undefined`: unknown. */
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
      // Some servers send bare deflate data; the low bits of a zlib header's first byte are always 8.
      return ((firstChunk[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw();
    case "br":
      return createBrotliDecompress();
    case "zstd":
      // RFC 9659: no more than 8 MB of window, which is what a frame can make us allocate.
      return createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: 23 } });
    default:
      return undefined;
  }
}
