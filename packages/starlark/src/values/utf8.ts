/**
 * Starlark strings are sequences of bytes that hold UTF-8 (specification of starlark-go, "Strings"). They are stored as
 * JavaScript strings whose characters are those bytes, 0 to 255, which V8 stores in one byte each. ASCII is the same in
 * both forms. The functions of this file are the border between both.
 */

const nonAscii = /[^\u0000-\u007f]/;
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The bytes of a JavaScript string. Lone surrogates become U+FFFD. */
export function toUtf8(text: string): string {
  return nonAscii.test(text) ? fromBytes(encoder.encode(text)) : text;
}

/** The JavaScript string that the bytes encode. Each invalid byte becomes U+FFFD. */
export function fromUtf8(bytes: string): string {
  if (!nonAscii.test(bytes)) return bytes;
  try {
    return decoder.decode(toBytes(bytes));
  } catch {
    return codePoints(bytes)
      .map((point) => String.fromCodePoint(point))
      .join("");
  }
}

/** A byte array as a byte string. */
export function fromBytes(bytes: Uint8Array): string {
  let ascii = 0;
  while (ascii < bytes.length && (bytes[ascii] as number) < 0x80) ascii++;
  if (ascii === bytes.length) return decoder.decode(bytes);
  let text = "";
  for (let index = 0; index < bytes.length; index += 8192) {
    text += String.fromCharCode.apply(
      null,
      bytes.subarray(index, index + 8192) as unknown as number[],
    );
  }
  return text;
}

/** A byte string as a byte array. */
export function toBytes(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index);
  return bytes;
}

/** Whether all bytes are ASCII, so that bytes and characters are the same. */
export function isAscii(bytes: string): boolean {
  return !nonAscii.test(bytes);
}

/** The code point that `U+FFFD` stands for in decoded text: an invalid byte. */
const replacementCharacter = 0xfffd;

/** The length in bytes of the character at `index`; 1 for an invalid byte. */
export function characterLength(bytes: string, index: number): number {
  const first = bytes.charCodeAt(index);
  if (first < 0x80) return 1;
  const length = first < 0xc2 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 1;
  if (length === 1) return 1;
  const second = bytes.charCodeAt(index + 1);
  const low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (!(second >= low && second <= high)) return 1;
  for (let offset = 2; offset < length; offset++) {
    const next = bytes.charCodeAt(index + offset);
    if (!(next >= 0x80 && next <= 0xbf)) return 1;
  }
  return length;
}

/** The code point at `index`; U+FFFD for an invalid byte. */
export function codePointAt(bytes: string, index: number): number {
  const first = bytes.charCodeAt(index);
  if (first < 0x80) return first;
  const length = characterLength(bytes, index);
  if (length === 1) return replacementCharacter;
  let point = first & (0xff >> (length + 1));
  for (let offset = 1; offset < length; offset++)
    point = (point << 6) | (bytes.charCodeAt(index + offset) & 0x3f);
  return point;
}

/** The number of characters; an invalid byte is one. */
export function countCharacters(bytes: string): number {
  let count = 0;
  for (let index = 0; index < bytes.length; index += characterLength(bytes, index)) count++;
  return count;
}

/** All code points; invalid bytes are U+FFFD, each its own. */
export function codePoints(bytes: string): number[] {
  const points: number[] = [];
  for (let index = 0; index < bytes.length; index += characterLength(bytes, index)) {
    points.push(codePointAt(bytes, index));
  }
  return points;
}

/** The bytes of one code point. Surrogates become U+FFFD. */
export function encodeCodePoint(point: number): string {
  return point < 0x80 ? String.fromCharCode(point) : toUtf8(String.fromCodePoint(point));
}

/** The same text with every invalid byte replaced by U+FFFD. */
export function replaceInvalid(bytes: string): string {
  return toUtf8(fromUtf8(bytes));
}

const needsEscape = /[^\u0020\u0021\u0023-\u005b\u005d-\u007e]/;
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u;
const escapes: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
};

/** A byte string as a literal: printable characters as they are, all others escaped. */
export function quote(bytes: string, isBytes = false): string {
  const prefix = isBytes ? 'b"' : '"';
  if (!needsEscape.test(bytes)) return `${prefix}${bytes}"`;
  const parts = [prefix];
  for (let index = 0; index < bytes.length;) {
    const length = characterLength(bytes, index);
    const character = bytes.slice(index, index + length);
    parts.push(length === 1 ? quoteByte(character) : quoteCharacter(character));
    index += length;
  }
  parts.push('"');
  return parts.join("");
}

function quoteByte(byte: string): string {
  const known = escapes[byte];
  if (known !== undefined) return known;
  const code = byte.charCodeAt(0);
  return code >= 0x20 && code < 0x7f ? byte : `\\x${code.toString(16).padStart(2, "0")}`;
}

function quoteCharacter(bytes: string): string {
  if (printable.test(fromUtf8(bytes))) return bytes;
  const point = codePointAt(bytes, 0);
  return point < 0x10000
    ? `\\u${point.toString(16).padStart(4, "0")}`
    : `\\U${point.toString(16).padStart(8, "0")}`;
}
