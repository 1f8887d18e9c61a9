import { charge, chargeItems, chargeString, sizes, spend } from "../values/budget.ts";
import {
  characterLength,
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
import { argumentReader, defineMethods } from "./builtin.ts";
import type { Definition, Method, MethodTable } from "./builtin.ts";
import { caseMethods } from "./string-case.ts";
import { formatString } from "../values/format.ts";

/** The white space of Go's `unicode.IsSpace`. */
const whiteSpace = Array.from(
  "\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000",
);
const whiteSpacePoints = new Set(whiteSpace.map((character) => character.charCodeAt(0)));
const whiteSpaceRun = new RegExp(`((?:${whiteSpace.map(toUtf8).join("|")})+)`);
const everyWhiteSpaceRun = new RegExp(whiteSpaceRun, "g");

function chargeParts(count: number, text: string): void {
  charge(count * sizes.string + text.length);
}

/** The parts between runs of white space; at most `limit` splits, from the right if `fromRight`. */
function splitOnSpace(text: string, limit: number, fromRight: boolean): string[] {
  let count = 2;
  while (everyWhiteSpaceRun.test(text)) count += 2;
  chargeParts(count, text);
  // Words and the white space between them, in turns.
  const parts = text.split(whiteSpaceRun);
  const first = parts[0] === "" ? 2 : 0;
  const end = parts.at(-1) === "" ? parts.length - 2 : parts.length;
  const words = parts.slice(first, Math.max(first, end)).filter((_, index) => index % 2 === 0);
  if (limit < 0 || words.length <= limit) return words;
  // The part that is not split has the white space at its outer end.
  if (fromRight)
    return [parts.slice(0, end - 2 * limit).join(""), ...words.slice(words.length - limit)];
  return [...words.slice(0, limit), parts.slice(first + 2 * limit).join("")];
}

/** The parts between occurrences of a text; at most `limit` splits, from the right if `fromRight`. */
function splitOnText(
  text: string,
  separator: string,
  limit: number = -1,
  fromRight: boolean = false,
): string[] {
  let count = 1;
  let at = text.indexOf(separator);
  for (; at !== -1; at = text.indexOf(separator, at + separator.length)) count++;
  chargeParts(count, text);
  const parts = text.split(separator);
  const excess = limit < 0 ? 0 : parts.length - limit - 1;
  if (excess <= 0) return parts;
  if (fromRight) return [parts.slice(0, excess + 1).join(separator), ...parts.slice(excess + 1)];
  return [...parts.slice(0, limit), parts.slice(limit).join(separator)];
}

/** The lines, with their ends if `keepEnds`. */
function splitLines(text: string, keepEnds: boolean): string[] {
  if (text === "") return [];
  const lines = splitOnText(text, "\n");
  const complete = text.endsWith("\n");
  if (complete) lines.pop();
  if (!keepEnds) return lines;
  return lines.map((line, index) => (complete || index < lines.length - 1 ? `${line}\n` : line));
}

/** The characters; an invalid byte is one. */
function splitCharacters(text: string): string[] {
  const characters: string[] = [];
  for (let start = 0; start < text.length;) {
    const end = start + characterLength(text, start);
    characters.push(text.slice(start, end));
    start = end;
  }
  return characters;
}

/** The text without characters of `cutset` at its ends; without a cutset, without white space. */
function strip(text: string, cutset: string, left: boolean, right: boolean): string {
  const cut = cutset === "" ? whiteSpacePoints : new Set(codePoints(cutset));
  const isRemoved = (index: number): boolean => cut.has(codePointAt(text, index));
  let start = 0;
  let end = text.length;
  if (left) while (start < end && isRemoved(start)) start += characterLength(text, start);
  if (right) {
    for (let last = lastCharacter(text, end); start < end && isRemoved(last);) {
      end = last;
      last = lastCharacter(text, end);
    }
  }
  return text.slice(start, end);
}

/** The start of the character that ends before `end`. */
function lastCharacter(text: string, end: number): number {
  for (const length of [4, 3, 2]) {
    if (end >= length && characterLength(text, end - length) === length) return end - length;
  }
  return end - 1;
}

type StringMethod = Definition<[string]>;

/** The part of a text between two positions, and where it begins. */
function selectPart(
  text: string,
  low: Value = null,
  high: Value = null,
): [part: string, start: number] {
  const [start, end] = toRange(low, high, text.length);
  return [start < end ? text.slice(start, end) : "", start];
}

function searching(last: boolean, required: boolean): StringMethod {
  return [
    "string, any?, any?",
    (text, wanted: string, low?: Value, high?: Value) => {
      const [part, start] = selectPart(text, low, high);
      spend(part.length >> 6);
      const index = last ? part.lastIndexOf(wanted) : part.indexOf(wanted);
      if (index === -1) return required ? fail("substring not found") : -1;
      return index + start;
    },
  ];
}

function testing(matches: (text: string, affix: string) => boolean): StringMethod {
  return [
    "any, any?, any?",
    (text, affix: Value, low?: Value, high?: Value) => {
      const [part] = selectPart(text, low, high);
      if (typeof affix === "string") return matches(part, affix);
      if (!(affix instanceof StarlarkTuple))
        return fail(`got ${typeName(affix)}, want string or tuple of string`);
      return affix.elements.some((element, index) =>
        typeof element === "string"
          ? matches(part, element)
          : fail(`want string, got ${typeName(element)}, for element ${index}`),
      );
    },
  ];
}

function partitioning(last: boolean): StringMethod {
  return [
    "string",
    (text, separator: string) => {
      if (separator === "") fail("empty separator");
      chargeString(text.length);
      const index = last ? text.lastIndexOf(separator) : text.indexOf(separator);
      if (index === -1) return toTuple(last ? ["", "", text] : [text, "", ""]);
      return toTuple([text.slice(0, index), separator, text.slice(index + separator.length)]);
    },
  ];
}

/** The errors of both methods have the name `split`, as in starlark-go. */
function splitting(fromRight: boolean): Method<string> {
  const read = argumentReader(fromRight ? "rsplit" : "split", "any?, int?");
  return (text, args, named) => {
    const [separator = null, limit = -1] = read(args, named) as [Value?, Int?];
    spend(text.length >> 4);
    if (separator === null) return toList(splitOnSpace(text, Number(limit), fromRight));
    if (typeof separator !== "string")
      return fail(`split: got ${typeName(separator)} for separator, want string`);
    if (separator === "") fail("split: empty separator");
    return toList(splitOnText(text, separator, Number(limit), fromRight));
  };
}

function stripping(left: boolean, right: boolean): StringMethod {
  return [
    "string?",
    (text, cutset = "") => {
      spend(text.length >> 4);
      if (cutset !== "") chargeItems(cutset.length);
      return strip(text, cutset, left, right);
    },
  ];
}

function replace(text: string, wanted: string, replacement: string, given: Int = -1): Value {
  const limit = given < 0 ? Infinity : Number(given);
  if (limit === 0) return text;
  if (wanted === "") chargeItems(text.length);
  const parts = wanted === "" ? ["", ...splitCharacters(text), ""] : splitOnText(text, wanted);
  spend(text.length >> 4);
  const count = Math.min(parts.length - 1, limit);
  if (count === 0) return text;
  chargeString(text.length + count * (replacement.length - wanted.length));
  if (count === parts.length - 1) return parts.join(replacement);
  const head = parts.slice(0, count).join(replacement);
  return `${head}${replacement}${parts.slice(count).join(wanted)}`;
}

function join(separator: string, iterable: Value): Value {
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
  if (wanted === "") return countCharacters(part) + 1;
  let found = 0;
  let index = part.indexOf(wanted);
  for (; index !== -1; index = part.indexOf(wanted, index + wanted.length)) found++;
  return found;
}

function removePrefix(text: string, prefix: string): string {
  chargeString(0);
  return text.startsWith(prefix) ? text.slice(prefix.length) : text;
}

function removeSuffix(text: string, suffix: string): string {
  chargeString(0);
  return text.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : text;
}

function viewing(method: string): StringMethod {
  return ["", (text) => new ElementsView(text, method)];
}

/** The methods of strings (specification of starlark-go, "string·capitalize" and the following). */
export const stringMethods: MethodTable<string> = defineMethods({
  ...caseMethods,
  codepoint_ords: viewing("codepoint_ords"),
  codepoints: viewing("codepoints"),
  count: ["string, any?, any?", count],
  elem_ords: viewing("elem_ords"),
  elems: viewing("elems"),
  endswith: testing((text, affix) => text.endsWith(affix)),
  find: searching(false, false),
  format: formatString,
  index: searching(false, true),
  join: ["iterable", join],
  lstrip: stripping(true, false),
  partition: partitioning(false),
  removeprefix: ["string", removePrefix],
  removesuffix: ["string", removeSuffix],
  replace: ["string, string, int?", replace],
  rfind: searching(true, false),
  rindex: searching(true, true),
  rpartition: partitioning(true),
  rsplit: splitting(true),
  rstrip: stripping(false, true),
  split: splitting(false),
  splitlines: ["bool?", (text, keepEnds: boolean = false) => toList(splitLines(text, keepEnds))],
  startswith: testing((text, affix) => text.startsWith(affix)),
  strip: stripping(true, true),
});

export const bytesMethods: MethodTable<StarlarkBytes> = defineMethods({
  elems: ["", (bytes) => new ElementsView(bytes, "elems")],
});
