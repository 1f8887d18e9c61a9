import { isUtf8 } from "node:buffer";
import { decodeWideText, getMediaTypeName } from "@toolweave/core/adapter";
import { findDeclaredCharset } from "./declared-charset.ts";
import { parseFieldValue } from "./header-fields.ts";

/** A text with the encoding that it was read in. */
export interface DecodedText {
  readonly text: string;
  /** The name of the encoding in lower case (WHATWG Encoding), such as `utf-8` or `windows-1251`. */
  readonly encoding: string;
  /** True if the bytes are not UTF-8 and neither they nor their label name an encoding that is known. */
  readonly isGuessed: boolean;
}

/**
 * Decodes a text: by its byte order mark or the zero bytes of UTF-16 and UTF-32, else as UTF-8 if it is valid UTF-8, else
 * in the charset of its content type, else, if it is HTML or XML, in the charset that it declares itself (HTML 13.2.3.2).
 * Servers label UTF-8 with other charsets, and text in another charset is almost never valid UTF-8. Invalid bytes become
 * U+FFFD.
 *
 * HTML and XML without a charset that are mostly not UTF-8 are read as windows-1252, the default of the HTML standard,
 * and the result is marked as guessed. Other types without a charset are read as UTF-8.
 */
export function decodeDocument(bytes: Uint8Array, contentType: string | undefined): DecodedText {
  const wide = decodeWideText(bytes);
  if (wide !== undefined) return { text: wide, encoding: "utf-16", isGuessed: false };
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  if (hasMark) return toUtf8(new TextDecoder().decode(bytes));
  const label = getCharset(contentType);
  const mediaType = getMediaTypeName(contentType ?? "");
  const isMarkup = isMarkupType(mediaType) || (mediaType === "" && isTagStart(bytes));
  // The charset of most answers, which needs no check of the bytes.
  const isAlwaysUtf8 = label === undefined ? !isMarkup : /^utf-?8$/i.test(label);
  const utf8 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  if (isAlwaysUtf8 || isPlainUtf8(bytes)) return toUtf8(utf8);
  for (const charset of [label, isMarkup ? findDeclaredCharset(bytes) : undefined]) {
    const decoded = charset === undefined ? undefined : tryDecode(bytes, charset);
    if (decoded !== undefined) return decoded;
  }
  if (!isMarkup || isMostlyUtf8(utf8)) return toUtf8(utf8);
  return { ...decodeAs(bytes, "windows-1252"), isGuessed: true };
}

/** Returns the text of `decodeDocument`. */
export function decodeText(bytes: Uint8Array, contentType: string | undefined): string {
  return decodeDocument(bytes, contentType).text;
}

function toUtf8(text: string): DecodedText {
  return { text, encoding: "utf-8", isGuessed: false };
}

function decodeAs(bytes: Uint8Array, charset: string): DecodedText {
  const decoder = new TextDecoder(charset);
  return { text: decoder.decode(bytes), encoding: decoder.encoding, isGuessed: false };
}

/** Returns `undefined` for an unknown label, and for one that no decoder may support. */
function tryDecode(bytes: Uint8Array, charset: string): DecodedText | undefined {
  try {
    return decodeAs(bytes, charset);
  } catch {
    return undefined;
  }
}

function isMarkupType(mediaType: string): boolean {
  return /^text\/html$|[/+]xml$/.test(mediaType);
}

/** True if the first byte that is not white space begins a tag. */
function isTagStart(bytes: Uint8Array): boolean {
  return bytes.find((byte) => byte > 0x20) === 0x3c;
}

function getCharset(contentType: string | undefined): string | undefined {
  // Most answers have no parameter.
  if (contentType === undefined || !contentType.includes(";")) return undefined;
  // Some servers quote the label as in HTML.
  return parseFieldValue(contentType).parameters.get("charset")?.replaceAll("'", "") || undefined;
}

/** Returns false for UTF-16 and ISO-2022, whose bytes may be valid UTF-8, with zeros and escapes as characters. */
function isPlainUtf8(bytes: Uint8Array): boolean {
  return isUtf8(bytes) && !bytes.includes(0) && !bytes.includes(0x1b);
}

/** True if there are more characters beyond ASCII than invalid bytes: one is damaged, or the text was cut in it. */
function isMostlyUtf8(text: string): boolean {
  let [invalid, valid] = [0, 0];
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === 0xfffd) invalid += 1;
    else if (code > 0x7f) valid += 1;
  }
  return valid >= invalid;
}
