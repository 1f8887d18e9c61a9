import { characterLength, codePointAt, fromUtf8 } from "./utf8.ts";

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
