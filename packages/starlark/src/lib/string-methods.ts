import { fail } from "../values/error.ts";
import { charge, chargeItems, chargeString, sizes, spend } from "../values/budget.ts";
import { toList } from "../values/list.ts";
import { StringCodePoints, StringElements } from "../values/string-view.ts";
import { toRange } from "../values/subscript.ts";
import { StarlarkTuple, toTuple } from "../values/tuple.ts";
import { characterLength, codePoints, isAscii } from "../values/utf8.ts";
import { toItems, typeName } from "../values/value.ts";
import type { NamedArguments, Value } from "../values/value.ts";
import { withName, unpackPositional } from "./arguments.ts";
import type { Method } from "./method.ts";
import { caseMethods } from "./string-case.ts";
import { formatString } from "./string-format.ts";
import { splitLines, splitOnSpace, splitOnText, strip } from "./string-parts.ts";

/** A method without parameters. */
function plain(name: string, compute: (text: string) => Value): Method<string> {
  return (text, args, names) => {
    unpackPositional(name, args, names, 0, []);
    spend(text.length >> 6);
    return compute(text);
  };
}

/** The part of a text that `start` and `end` select, and where it begins. */
function selectPart(
  name: string,
  text: string,
  args: readonly (Value | undefined)[],
): [part: string, start: number] {
  if (args.length < 2) return [text, 0];
  const [start, end] = withName(name, () => toRange(args[1] ?? null, args[2] ?? null, text.length));
  return [start < end ? text.slice(start, end) : "", start];
}

function search(name: string, last: boolean, required: boolean): Method<string> {
  return (text, args, names) => {
    unpackPositional(name, args, names, 1, ["string", "any", "any"]);
    const [part, start] = selectPart(name, text, args);
    spend(part.length >> 6);
    const wanted = args[0] as string;
    const index = last ? part.lastIndexOf(wanted) : part.indexOf(wanted);
    if (index === -1) return required ? fail(`${name}: substring not found`) : -1;
    return index + start;
  };
}

function affix(name: "startswith" | "endswith"): Method<string> {
  return (text, args, names) => {
    unpackPositional(name, args, names, 1, ["any", "any", "any"]);
    const [part] = selectPart(name, text, args);
    const matches = (wanted: string): boolean =>
      name === "startswith" ? part.startsWith(wanted) : part.endsWith(wanted);
    const [wanted] = args as [Value];
    if (typeof wanted === "string") return matches(wanted);
    if (!(wanted instanceof StarlarkTuple)) {
      return fail(`${name}: got ${typeName(wanted)}, want string or tuple of string`);
    }
    for (const [index, element] of wanted.elements.entries()) {
      if (typeof element !== "string")
        fail(`${name}: want string, got ${typeName(element)}, for element ${index}`);
      if (matches(element as string)) return true;
    }
    return false;
  };
}

function partition(name: "partition" | "rpartition"): Method<string> {
  return (text, args, names) => {
    unpackPositional(name, args, names, 1, ["string"]);
    const separator = args[0] as string;
    if (separator === "") fail(`${name}: empty separator`);
    chargeString(text.length);
    const index = name === "partition" ? text.indexOf(separator) : text.lastIndexOf(separator);
    if (index === -1) return toTuple(name === "partition" ? [text, "", ""] : ["", "", text]);
    return toTuple([text.slice(0, index), separator, text.slice(index + separator.length)]);
  };
}

function split(name: "split" | "rsplit"): Method<string> {
  return (text, args, names) => {
    unpackPositional(name, args, names, 0, ["any", "int"]);
    const separator = args[0] ?? null;
    const limit = args.length > 1 ? Number(args[1]) : -1;
    spend(text.length >> 4);
    if (separator === null)
      return toTextList(splitOnSpace(text, limit, name === "rsplit"), text.length);
    if (typeof separator !== "string") {
      return fail(`split: got ${typeName(separator)} for separator, want string`);
    }
    if (separator === "") fail("split: empty separator");
    return toTextList(splitOnText(text, separator, limit, name === "rsplit"), text.length);
  };
}

function toTextList(parts: string[], length: number): Value {
  charge(parts.length * sizes.string + length);
  return toList(parts);
}

function stripping(name: "strip" | "lstrip" | "rstrip"): Method<string> {
  return (text, args, names) => {
    unpackPositional(name, args, names, 0, ["string"]);
    spend(text.length >> 4);
    return strip(text, (args[0] as string | undefined) ?? "", name !== "rstrip", name !== "lstrip");
  };
}

function replace(text: string, args: Value[], names: NamedArguments): Value {
  unpackPositional("replace", args, names, 2, ["string", "string", "int"]);
  const [wanted, replacement] = args as [string, string];
  const limit = args.length > 2 && Number(args[2]) >= 0 ? Number(args[2]) : Infinity;
  if (limit === 0) return text;
  const parts = wanted === "" ? splitCharacters(text) : text.split(wanted);
  spend(text.length >> 4);
  chargeItems(parts.length);
  const count = Math.min(parts.length - 1, limit);
  if (count === 0) return text;
  chargeString(text.length + count * (replacement.length - wanted.length));
  if (count === parts.length - 1) return parts.join(replacement);
  const head = parts.slice(0, count).join(replacement);
  return `${head}${replacement}${parts.slice(count).join(wanted)}`;
}

/** The characters with empty texts around them, so that a replacement of "" stands before, between and behind them. */
function splitCharacters(text: string): string[] {
  chargeItems(text.length);
  const parts = [""];
  for (let index = 0; index < text.length;) {
    const length = characterLength(text, index);
    parts.push(text.slice(index, index + length));
    index += length;
  }
  parts.push("");
  return parts;
}

function join(separator: string, args: Value[], names: NamedArguments): Value {
  unpackPositional("join", args, names, 1, ["iterable"]);
  const items = toItems(args[0] as Value) as readonly Value[];
  let length = Math.max(0, items.length - 1) * separator.length;
  for (const item of items) {
    if (typeof item !== "string") return fail(`join: in list, want string, got ${typeName(item)}`);
    length += item.length;
  }
  spend(items.length >> 2);
  chargeString(length);
  return items.join(separator);
}

function count(text: string, args: Value[], names: NamedArguments): Value {
  unpackPositional("count", args, names, 1, ["string", "any", "any"]);
  const [part] = selectPart("count", text, args);
  const wanted = args[0] as string;
  spend(part.length >> 4);
  if (wanted === "") return (isAscii(part) ? part.length : codePoints(part).length) + 1;
  let found = 0;
  for (
    let index = part.indexOf(wanted);
    index !== -1;
    index = part.indexOf(wanted, index + wanted.length)
  )
    found++;
  return found;
}

function removing(name: "removeprefix" | "removesuffix"): Method<string> {
  return (text, args, names) => {
    unpackPositional(name, args, names, 1, ["string"]);
    const part = args[0] as string;
    if (part === "") return text;
    chargeString(0);
    if (name === "removeprefix") return text.startsWith(part) ? text.slice(part.length) : text;
    return text.endsWith(part) ? text.slice(0, text.length - part.length) : text;
  };
}

/** The methods of strings (specification of starlark-go, "string·capitalize" and the following). */
export const stringMethods: Record<string, Method<string>> = {
  ...Object.fromEntries(
    Object.entries(caseMethods).map(([name, compute]) => [name, plain(name, compute)]),
  ),
  codepoint_ords: plain("codepoint_ords", (text) => new StringCodePoints(text, true)),
  codepoints: plain("codepoints", (text) => new StringCodePoints(text, false)),
  count,
  elem_ords: plain("elem_ords", (text) => new StringElements(text, true)),
  elems: plain("elems", (text) => new StringElements(text, false)),
  endswith: affix("endswith"),
  find: search("find", false, false),
  format: formatString,
  index: search("index", false, true),
  join,
  lstrip: stripping("lstrip"),
  partition: partition("partition"),
  removeprefix: removing("removeprefix"),
  removesuffix: removing("removesuffix"),
  replace,
  rfind: search("rfind", true, false),
  rindex: search("rindex", true, true),
  rpartition: partition("rpartition"),
  rsplit: split("rsplit"),
  rstrip: stripping("rstrip"),
  split: split("split"),
  splitlines: (text, args, names) => {
    unpackPositional("splitlines", args, names, 0, ["bool"]);
    return toTextList(splitLines(text, args[0] === true), text.length);
  },
  startswith: affix("startswith"),
  strip: stripping("strip"),
};
