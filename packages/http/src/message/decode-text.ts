import { isUtf8 } from "node:buffer";
import { parseFieldValue } from "./header-fields.ts";

/**
 * Decodes a text: by its byte order mark, else as UTF-8 if it is valid UTF-8, else in the charset of its content type.
 * Servers label UTF-8 with other charsets, and text in another charset is almost never valid UTF-8. Invalid bytes become
 * U+FFFD.
 */
export function decodeText(bytes: Uint8Array, contentType: string | undefined): string {
  const marked = findUnicode(bytes);
  if (marked !== undefined) return new TextDecoder(marked).decode(bytes);
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

/** Recognizes Unicode by its byte order mark, and UTF-16 also by the zero bytes of two ASCII characters. */
function findUnicode(bytes: Uint8Array): string | undefined {
  const first = bytes[0];
  const second = bytes[1];
  if (first === 0xef && second === 0xbb && bytes[2] === 0xbf) return "utf-8";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0 && bytes[2] === 0) return second === 0 ? undefined : "utf-16be";
  return second === 0 && bytes[3] === 0 ? "utf-16le" : undefined;
}

/** Returns false for UTF-16 and ISO-2022, whose bytes may be valid UTF-8, with zeros and escapes as characters. */
function isPlainUtf8(bytes: Uint8Array): boolean {
  return isUtf8(bytes) && !bytes.includes(0) && !bytes.includes(0x1b);
}
