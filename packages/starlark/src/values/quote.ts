import { charge, sizes, spend } from "./budget.ts";
import { characters, codePointAt, fromUtf8, toUtf8 } from "./utf8.ts";

const needsEscape = /[^\u0020\u0021\u0023-\u005b\u005d-\u007e]/;
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u;
/** The characters that are written as a backslash and a letter, with what is written. */
export const escapes: Readonly<Record<string, string>> = {
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
  spend(bytes.length >> 6);
  let text = "";
  if (needsEscape.test(bytes)) {
    for (const character of characters(bytes)) {
      charge(sizes.string);
      spend(1);
      text += quoteCharacter(character);
    }
  } else text = bytes;
  return `${isBytes ? "b" : ""}"${text}"`;
}

function quoteCharacter(bytes: string): string {
  const escape = escapes[bytes];
  if (escape !== undefined) return escape;
  const isByte = bytes.length === 1;
  const code = isByte ? bytes.charCodeAt(0) : codePointAt(bytes, 0);
  const isPlain = isByte ? !needsEscape.test(bytes) : printable.test(String.fromCodePoint(code));
  if (isPlain) return bytes;
  const [prefix, size] = isByte ? ["x", 2] : code < 0x10000 ? ["u", 4] : ["U", 8];
  return `\\${prefix}${code.toString(16).padStart(size, "0")}`;
}

type Replace = (character: string) => string;

/** The text with all characters that match a pattern replaced. It is done in parts: V8 stores all matches of one text. */
export function replaceCharacters(text: string, pattern: RegExp, replace: Replace): string {
  const parts = fromUtf8(text).match(/[^]{1,4096}/gu) ?? [];
  const replaced = parts.map((part) => {
    spend(part.length);
    return part.replaceAll(pattern, replace);
  });
  return toUtf8(replaced.join(""));
}
