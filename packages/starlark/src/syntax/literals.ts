import { escapes } from "../values/quote.ts";
import { encodeCodePoint, toUtf8 } from "../values/utf8.ts";
import { SyntaxFault } from "./source-text.ts";

/** The meaning of a character behind a backslash; most are those that `quote` writes. */
const simpleEscapes: ReadonlyMap<string, string> = new Map([
  ...Object.entries(escapes).map(([character, escape]) => [escape.charAt(1), character] as const),
  ["'", "'"],
  ["\n", ""],
]);

/** The digits of the escapes with hexadecimal numbers. */
const escapeSizes: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

const textOrEscape =
  /[^\\]+|\\(?:[0-7]{1,3}|x[^]{0,2}|u[^]{0,4}|U[^]{0,8}|[\ud800-\udbff][\udc00-\udfff]|[^]?)/g;

/**
 * The content of a string or bytes literal as a byte string, from the text between its quotes and the prefix before them
 * (specification of starlark-go, "String literals"). Faults are reported at `offset`.
 */
export function unquote(body: string, offset: number, prefix: string = ""): string {
  const text = body.replaceAll(/\r\n?/g, "\n");
  if (prefix.includes("r")) return toUtf8(text);
  return text.replaceAll(textOrEscape, (part) =>
    part.startsWith("\\") ? decodeEscape(part, offset, prefix === "b") : toUtf8(part),
  );
}

function decodeEscape(escape: string, offset: number, isBytes: boolean): string {
  const letter = escape.charAt(1);
  const simple = simpleEscapes.get(letter);
  if (simple !== undefined) return simple;
  const base = letter >= "0" && letter <= "7" ? "octal" : "hex";
  const digits = escape.slice(base === "octal" ? 1 : 2);
  const value = Number.parseInt(digits, base === "octal" ? 8 : 16);
  const isByte = base === "octal" || letter === "x";
  const point = value.toString(16).padStart(4, "0").toUpperCase();
  const invalid = `invalid escape sequence ${escape}`;
  const advice = `use \\u${point} for the UTF-8 encoding of U+${point}`;
  // The first one that holds is reported.
  const faults = [
    [escape.length < 2 + (escapeSizes[letter] ?? 0), `truncated escape sequence ${escape}`],
    [!/^[0-9A-Fa-f]+$/.test(digits), invalid],
    [isByte && !isBytes && value > 127, `non-ASCII ${base} escape ${escape} (${advice})`],
    [isByte && value > 255, invalid],
    [value > 0x10ffff, `code point out of range: ${escape} (max \\U0010ffff)`],
    [value >= 0xd800 && value <= 0xdfff, `invalid Unicode code point U+${point}`],
  ] as const;
  const fault = faults.find(([isFault]) => isFault);
  if (fault !== undefined) throw new SyntaxFault(offset, fault[1]);
  return isByte ? String.fromCharCode(value) : encodeCodePoint(value);
}

/** A piece of an f-string: text as bytes, or the place of an expression with its conversion. */
type FormatPiece =
  | string
  | { readonly start: number; readonly end: number; readonly conversion: "s" | "r" };

const formatText = /(?:[^{}\\]+|\\[^]?|\{\{|\}\})*/y;

/** Splits the text between the quotes of an f-string, which starts at `offset`. Doubled braces are text. */
export function splitFormat(body: string, offset: number): FormatPiece[] {
  const pieces: FormatPiece[] = [];
  for (let index = 0; index < body.length;) {
    formatText.lastIndex = index;
    const text = formatText.exec(body)?.[0] ?? "";
    const open = index + text.length;
    if (body[open] === "}") throw new SyntaxFault(offset + open, "single '}' in f-string");
    const content = unquote(text.replaceAll("{{", "{").replaceAll("}}", "}"), offset);
    if (content !== "") pieces.push(content);
    if (open === body.length) break;
    const close = closingBrace(body, open);
    if (close === -1) throw new SyntaxFault(offset + open, "unmatched '{' in f-string");
    const conversion = /!([rs])\s*$/.exec(body.slice(open + 1, close));
    const start = offset + open + 1;
    const end = conversion === null ? offset + close : start + conversion.index;
    pieces.push({ start, end, conversion: conversion?.[1] === "r" ? "r" : "s" });
    index = close + 1;
  }
  return pieces;
}

const stringOrBracket = /"[^"]*(?:"|$)|'[^']*(?:'|$)|[()[\]{}]/g;

/** The brace that closes the one at `open`, outside of nested brackets and strings; -1 if there is none. */
function closingBrace(body: string, open: number): number {
  let depth = 0;
  for (const { 0: part, index } of body.slice(open).matchAll(stringOrBracket)) {
    if ("([{".includes(part)) depth++;
    else if (")]}".includes(part) && --depth === 0) return open + index;
  }
  return -1;
}
