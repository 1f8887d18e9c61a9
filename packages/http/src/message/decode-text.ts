import { isUtf8 } from "node:buffer";
import { decodeWideText } from "@toolweave/core/adapter";
import { parseFieldValue } from "./header-fields.ts";

/**
 * Decodes a text: by its byte order mark or the zero bytes of UTF-16 and UTF-32, else as UTF-8 if it is valid UTF-8, else
 * in the charset of its content type.
 * Servers label UTF-8 with other charsets, and text in another charset is almost never valid UTF-8. Invalid bytes become
 * U+FFFD.
 */
export function decodeText(bytes: Uint8Array, contentType: string | undefined): string {
  const wide = decodeWideText(bytes);
  if (wide !== undefined) return wide;
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    return new TextDecoder().decode(bytes);
  }
  const charset = getCharset(contentType);
  if (charset === undefined || /^utf-?8$/i.test(charset) || isPlainUtf8(bytes)) {
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  }
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    // An unknown label: UTF-8 still decodes the ASCII part, which is better than no text.
    return new TextDecoder().decode(bytes);
  }
}

function getCharset(contentType: string | undefined): string | undefined {
  // Most answers have no parameter.
  if (contentType === undefined || !contentType.includes(";")) return undefined;
  return parseFieldValue(contentType).parameters.get("charset") || undefined;
}

/** Returns false for UTF-16 and ISO-2022, whose bytes may be valid UTF-8, with zeros and escapes as characters. */
function isPlainUtf8(bytes: Uint8Array): boolean {
  return isUtf8(bytes) && !bytes.includes(0) && !bytes.includes(0x1b);
}
