import { charge, chargeItems, chargeString, sizes, spend } from "../values/budget.ts";
import {
  characterLength,
  characters,
  codePointAt,
  codePoints,
  countCharacters,
  toUtf8,
} from "../values/utf8.ts";
import { fail } from "../values/error.ts";
import { ElementsView, type StarlarkBytes } from "../values/bytes.ts";
import type { Int } from "../values/int.ts";
import { StarlarkTuple, toList, toTuple } from "../values/sequence.ts";
import { toRange } from "../values/operators.ts";
import { toItems, typeName, type Value } from "../values/value.ts";
import { defineMethods, type MethodTable } from "./builtin.ts";
import { caseMethods } from "./string-case.ts";
import { formatString } from "../values/format.ts";

/** The white space of Go's `unicode.IsSpace`. */
const whiteSpace = Array.from(
  "\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000",
);
const whiteSpacePoints = new Set(whiteSpace.map((character) => character.charCodeAt(0)));
const whiteSpaceRun = new RegExp(`((?:${whiteSpace.map(toUtf8).join("|")})+)`);
const everyWhiteSpaceRun = new RegExp(whiteSpaceRun, "g");

/** Accounts for `count` parts of a text. */
function chargeParts(count: number, text: string): void {
  charge(count * sizes.string + text.length);
}

/** The parts between runs of white space; at most `limit` splits, from the right if `fromRight`. */
function splitOnSpace(text: string, limit: number, fromRight: boolean): string[] {
  let count = 2;
  everyWhiteSpaceRun.lastIndex = 0;
  for (; everyWhiteSpaceRun.test(text); count += 2) spend(1);
  chargeParts(count, text);
  // Words and the white space between them, in turns. White space at the other end stays with a part that is not split.
  const parts = strip(text, "", !fromRight, fromRight).split(whiteSpaceRun);
  const words = parts.filter((part, index) => index % 2 === 0 && part !== "");
  if (limit < 0 || words.length <= limit) return words;
  if (!fromRight) return [...words.slice(0, limit), parts.slice(2 * limit).join("")];
  const rest = parts.slice(0, parts.length - 2 * limit).join("");
  return [rest, ...words.slice(words.length - limit)];
}

function countOccurrences(text: string, wanted: string): number {
  let found = 0;
  let at = text.indexOf(wanted);
  for (; at !== -1; at = text.indexOf(wanted, at + wanted.length)) found++;
  return found;
}

/**
 * The parts between occurrences of a text; at most `limit` splits, from the right if `fromRight`. The empty text is before and
 * after every character.
 */
function splitOnText(text: string, separator: string, limit = -1, fromRight = false): string[] {
  chargeParts(separator === "" ? text.length + 2 : countOccurrences(text, separator) + 1, text);
  const parts = separator === "" ? ["", ...characters(text), ""] : text.split(separator);
  const excess = limit < 0 ? 0 : parts.length - limit - 1;
  if (excess <= 0) return parts;
  if (fromRight) return [parts.slice(0, excess + 1).join(separator), ...parts.slice(excess + 1)];
  return [...parts.slice(0, limit), parts.slice(limit).join(separator)];
}

/** The lines, with their ends if `keepEnds`. */
function splitLines(text: string, keepEnds: boolean = false): Value {
  chargeParts(countOccurrences(text, "\n") + 1, text);
  const lines = text.split(keepEnds ? /(?<=\n)/ : "\n");
  if (lines.at(-1) === "") lines.pop();
  return toList(lines);
}

/** The text without characters of `cutset` at its ends; without a cutset, without white space. */
function strip(text: string, cutset: string, left: boolean, right: boolean): string {
  const cut = cutset === "" ? whiteSpacePoints : new Set(codePoints(cutset));
  const isRemoved = (index: number): boolean => {
    spend(1);
    return cut.has(codePointAt(text, index));
  };
  let start = 0;
  let end = text.length;
  if (left) while (start < end && isRemoved(start)) start += characterLength(text, start);
  if (right) {
    while (start < end && isRemoved(lastCharacter(text, end))) end = lastCharacter(text, end);
  }
  return text.slice(start, end);
}

/** The start of the character that ends before `end`. */
function lastCharacter(text: string, end: number): number {
  return end - ([4, 3, 2].find((length) => characterLength(text, end - length) === length) ?? 1);
}

/** The part of a text between two positions, and where it begins. */
function selectPart(text: string, low: Value = null, high: Value = null): [string, number] {
  const [start, end] = toRange(low, high, text.length);
  return [text.slice(start, Math.max(start, end)), start];
}

function searching(method: "indexOf" | "lastIndexOf", isRequired: boolean = false) {
  return (text: string, wanted: string, low?: Value, high?: Value): number => {
    const [part, start] = selectPart(text, low, high);
    spend(part.length >> 6);
    const index = part[method](wanted);
    if (index === -1 && isRequired) fail("substring not found");
    return index === -1 ? -1 : index + start;
  };
}

function testing(method: "startsWith" | "endsWith") {
  return (text: string, affix: Value, low?: Value, high?: Value): boolean => {
    const [part] = selectPart(text, low, high);
    const has = (wanted: string): boolean => {
      spend(wanted.length >> 6);
      return part[method](wanted);
    };
    if (typeof affix === "string") return has(affix);
    if (!(affix instanceof StarlarkTuple))
      return fail(`got ${typeName(affix)}, want string or tuple of string`);
    return affix.elements.some((element, index) =>
      typeof element === "string"
        ? has(element)
        : fail(`want string, got ${typeName(element)}, for element ${index}`),
    );
  };
}

function partition(text: string, separator: string, last: boolean = false): Value {
  if (separator === "") fail("empty separator");
  chargeString(text.length);
  const index = last ? text.lastIndexOf(separator) : text.indexOf(separator);
  if (index === -1) return toTuple(last ? ["", "", text] : [text, "", ""]);
  return toTuple([text.slice(0, index), separator, text.slice(index + separator.length)]);
}

/** The errors of both methods have the name `split`, as in starlark-go. */
function split(text: string, separator: Value = null, limit: Int = -1, fromRight = false): Value {
  spend(text.length >> 4);
  if (separator === null) return toList(splitOnSpace(text, Number(limit), fromRight));
  if (typeof separator !== "string")
    return fail(`split: got ${typeName(separator)} for separator, want string`);
  if (separator === "") fail("split: empty separator");
  return toList(splitOnText(text, separator, Number(limit), fromRight));
}

function stripping(left: boolean, right: boolean) {
  return (text: string, cutset: string = ""): string => {
    if (cutset !== "") chargeItems(cutset.length);
    return strip(text, cutset, left, right);
  };
}

function replace(text: string, wanted: string, replacement: string, limit: Int = -1): Value {
  spend(text.length >> 4);
  const parts = splitOnText(text, wanted, Number(limit));
  if (parts.length === 1) return text;
  chargeString(text.length + (parts.length - 1) * (replacement.length - wanted.length));
  return parts.join(replacement);
}

/** `separator.join(iterable)`, for an iterable of strings. */
export function join(separator: string, iterable: Value): string {
  const items = toItems(iterable) as readonly Value[];
  let length = Math.max(0, items.length - 1) * separator.length;
  for (const item of items) {
    if (typeof item !== "string") return fail(`in list, want string, got ${typeName(item)}`);
    length += item.length;
  }
  spend(items.length >> 2);
  chargeString(length);
  return items.join(separator);
}

function count(text: string, wanted: string, low?: Value, high?: Value): Value {
  const [part] = selectPart(text, low, high);
  spend(part.length >> 4);
  return wanted === "" ? countCharacters(part) + 1 : countOccurrences(part, wanted);
}

function removing(method: "startsWith" | "endsWith") {
  return (text: string, affix: string): string => {
    chargeString(0);
    spend(affix.length >> 6);
    if (!text[method](affix)) return text;
    return method === "startsWith"
      ? text.slice(affix.length)
      : text.slice(0, text.length - affix.length);
  };
}

/** The methods of strings (specification of starlark-go, "string·capitalize" and the following). */
export const stringMethods: MethodTable<string> = new Map([
  ...defineMethods<string>({
    ...caseMethods,
    "codepoint_ords()": (text) => new ElementsView(text, "codepoint_ords"),
    "codepoints()": (text) => new ElementsView(text, "codepoints"),
    "count(string, any?, any?)": count,
    "elem_ords()": (text) => new ElementsView(text, "elem_ords"),
    "elems()": (text) => new ElementsView(text, "elems"),
    "endswith(any, any?, any?)": testing("endsWith"),
    "find(string, any?, any?)": searching("indexOf"),
    "index(string, any?, any?)": searching("indexOf", true),
    "join(iterable)": join,
    "lstrip(string?)": stripping(true, false),
    "partition(string)": (text, separator: string) => partition(text, separator),
    "removeprefix(string)": removing("startsWith"),
    "removesuffix(string)": removing("endsWith"),
    "replace(string, string, int?)": replace,
    "rfind(string, any?, any?)": searching("lastIndexOf"),
    "rindex(string, any?, any?)": searching("lastIndexOf", true),
    "rpartition(string)": (text, separator: string) => partition(text, separator, true),
    "rstrip(string?)": stripping(false, true),
    "splitlines(bool?)": splitLines,
    "startswith(any, any?, any?)": testing("startsWith"),
    "strip(string?)": stripping(true, true),
  }),
  ...defineMethods<string>(
    {
      "format(*, **)": formatString,
      "split(any?, int?)": split,
      "rsplit(any?, int?)": (text, separator?: Value, limit?: Int) =>
        split(text, separator, limit, true),
    },
    "plain errors",
  ),
]);

export const bytesMethods: MethodTable<StarlarkBytes> = defineMethods<StarlarkBytes>({
  "elems()": (bytes) => new ElementsView(bytes, "elems"),
});
