/**
 * Starlark strings are sequences of bytes that hold UTF-8 (specification of starlark-go, "Strings"). They are stored as
 * JavaScript strings whose characters are those bytes, 0 to 255, which V8 stores in one byte each. ASCII is the same in
 * both forms. The functions of this file are the border between both.
 */

const nonAscii = /[^\u0000-\u007f]/;
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Whether all bytes are ASCII, so that bytes and characters are the same. */
export function isAscii(bytes: string): boolean {
  return !nonAscii.test(bytes);
}

/** The bytes of a JavaScript string. Lone surrogates become U+FFFD. */
export function toUtf8(text: string): string {
  return isAscii(text) ? text : fromBytes(encoder.encode(text));
}

/** The JavaScript string that the bytes encode. Each invalid byte becomes U+FFFD. */
export function fromUtf8(bytes: string): string {
  if (isAscii(bytes)) return bytes;
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
    const part = bytes.subarray(index, index + 8192) as unknown as number[];
    text += String.fromCharCode.apply(null, part);
  }
  return text;
}

/** A byte string as a byte array. */
export function toBytes(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index);
  return bytes;
}

/** The smallest code point of the characters of each length in bytes. */
const smallestPoints = [Infinity, Infinity, 0x80, 0x800, 0x10000];

/** The code point of the character at `index`; -1 for an invalid byte. */
function decodeAt(bytes: string, index: number): number {
  const first = bytes.charCodeAt(index);
  if (first < 0x80) return first;
  // The first byte starts with as many ones as the character has bytes.
  const length = Math.clz32(~(first << 24));
  let point = first & (0x7f >> length);
  for (let offset = 1; offset < length; offset++) {
    const next = bytes.charCodeAt(index + offset);
    if (next >> 6 !== 2) return -1;
    point = (point << 6) | (next & 0x3f);
  }
  const isSurrogate = point >= 0xd800 && point <= 0xdfff;
  if (point < (smallestPoints[length] ?? Infinity) || point > 0x10ffff || isSurrogate) return -1;
  return point;
}

/** The length in bytes of the character at `index`; 1 for an invalid byte. */
export function characterLength(bytes: string, index: number): number {
  const point = decodeAt(bytes, index);
  if (point < 0x80) return 1;
  return point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
}

/** The code point at `index`; U+FFFD for an invalid byte. */
export function codePointAt(bytes: string, index: number): number {
  const point = decodeAt(bytes, index);
  return point === -1 ? 0xfffd : point;
}

/** The characters in order; an invalid byte is one. */
export function* characters(bytes: string): Generator<string, void> {
  for (let start = 0; start < bytes.length;) {
    const end = start + characterLength(bytes, start);
    yield bytes.slice(start, end);
    start = end;
  }
}

/** The number of characters; an invalid byte is one. */
export function countCharacters(bytes: string): number {
  let count = 0;
  for (let index = 0; index < bytes.length; index += characterLength(bytes, index)) count++;
  return count;
}

/** All code points; invalid bytes are U+FFFD, each its own. */
export function codePoints(bytes: string): number[] {
  return Array.from(characters(bytes), (character) => codePointAt(character, 0));
}

/** The bytes of one code point. Surrogates become U+FFFD. */
export function encodeCodePoint(point: number): string {
  return toUtf8(String.fromCodePoint(point));
}

/** The same text with every invalid byte replaced by U+FFFD. */
export function replaceInvalid(bytes: string): string {
  return toUtf8(fromUtf8(bytes));
}
