import { fail } from "../values/error.ts";
import { chargeItems, chargeString, spend } from "../values/budget.ts";
import { ElementsView, type StarlarkBytes } from "../values/bytes.ts";
import type { Int } from "../values/int.ts";
import { toList } from "../values/list.ts";
import { toRange } from "../values/subscript.ts";
import { StarlarkTuple, toTuple } from "../values/tuple.ts";
import { countCharacters } from "../values/utf8.ts";
import { toItems, typeName, type Value } from "../values/value.ts";
import { argumentReader } from "./arguments.ts";
import { defineMethods, type Definition, type Method, type MethodTable } from "./method.ts";
import { caseMethods } from "./string-case.ts";
import { formatString } from "./string-format.ts";
import { splitCharacters, splitLines, splitOnSpace, splitOnText, strip } from "./string-parts.ts";

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
