import type { JsonObject, JsonValue } from "@toolweave/core";
import type { Parameter } from "../document/operation.ts";
import {
  encodeReservedInCookie,
  encodeReservedInPath,
  encodeReservedInQuery,
  encodeStrict,
} from "./percent-encode.ts";
import type { ReservedKeyCheck } from "./reserved-key-check.ts";
import { unrepresentableValue } from "./unrepresentable.ts";

/**
 * Writes one argument as it travels: the text that replaces `{name}` in a path, `name=value` pairs of
 * a query or a cookie, the value of a header. `undefined`: there is nothing to send.
 */
export type ParameterWriter = (value: JsonValue) => string | undefined;

type Encode = (text: string) => string;

/** What tells one style from another (RFC 6570 appendix A). */
interface Expansion {
  readonly first: string;
  /** Between exploded values, and between `name=value` pairs. */
  readonly separator: string;
  readonly named: boolean;
  /** What follows the name of an empty value. */
  readonly ifEmpty: "" | "=";
  /** Between the values of a list that is not exploded, as it travels. */
  readonly delimiter: string;
}

/**
 * Compiles a style (OpenAPI 3.2, "Style Values"; RFC 6570). Null, an empty list and an empty object are not sent, nor
 * is a member that is null (RFC 6570 section 2.3); a list or an object within a list is JSON. The writer throws
 * `ToolError` `invalid_arguments` for what could not be read back.
 *
 * @param argument the argument's name, for errors.
 */
export function styleWriter(
  parameter: Parameter,
  argument: string,
  checkKey?: ReservedKeyCheck,
): ParameterWriter {
  if (parameter.style === "deepObject") return deepObjectWriter(parameter, argument, checkKey);
  const { explode } = parameter;
  const { first, separator, named, ifEmpty, delimiter } = getExpansion(parameter);
  const encode = textEncoder(parameter, argument);
  const encodeItem = itemEncoder(parameter, argument, explode ? separator : delimiter, encode);
  const encodeKey = explode ? keyEncoder(parameter, argument, encodeItem) : encodeItem;
  const name = encodedName(parameter);
  const pair = (key: string, text: string): string =>
    text === "" ? key + ifEmpty : `${key}=${text}`;
  const one = named ? (text: string) => first + pair(name, text) : (text: string) => first + text;

  return (value) => {
    if (value === null) return undefined;
    if (typeof value !== "object") return one(encode(String(value)));
    if (Array.isArray(value)) {
      if (value.length === 0) return undefined;
      const items = (value as readonly JsonValue[]).map((item) =>
        encodeItem(itemText(item, argument, parameter.itemDelimiters)),
      );
      if (!explode) return one(items.join(delimiter));
      return first + (named ? items.map((item) => pair(name, item)) : items).join(separator);
    }
    const members: string[] = [];
    for (const [key, member] of Object.entries(value)) {
      if (member === null) continue;
      const text = encodeItem(scalarText(member));
      const encoded = encodeKey(key);
      if (!explode) members.push(encoded, text);
      else {
        checkKey?.(encoded);
        members.push(named ? pair(encoded, text) : `${encoded}=${text}`);
      }
    }
    if (members.length === 0) return undefined;
    return explode ? first + members.join(separator) : one(members.join(delimiter));
  };
}

/** A value where only text fits: text as it is, a list or an object as JSON. */
export function scalarText(value: JsonValue): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/**
 * The same for an item of a list, in which nothing could stand for null. Throws `ToolError` `invalid_arguments`.
 *
 * @param delimiters between the items of lists within the list, the outer ones first. Default: none, they are JSON.
 */
export function itemText(
  item: JsonValue,
  argument: string,
  delimiters: readonly string[] = [],
): string {
  assertNotNull(item, argument);
  const [delimiter, ...inner] = delimiters;
  if (delimiter === undefined || !Array.isArray(item)) return scalarText(item);
  if (item.length === 0) {
    throw unrepresentableValue(
      argument,
      "holds an empty list in a list, which cannot be sent: leave it out of the list.",
    );
  }
  const texts = (item as readonly JsonValue[]).map((one) => itemText(one, argument, inner));
  for (const text of texts) if (text.includes(delimiter)) throw separates(argument, delimiter);
  return texts.join(delimiter);
}

function assertNotNull(item: JsonValue, argument: string): void {
  if (item !== null) return;
  throw unrepresentableValue(
    argument,
    "holds null in a list, which cannot be sent: leave it out of the list.",
  );
}

function getExpansion(parameter: Parameter): Expansion {
  const { style } = parameter;
  const plain = getDelimiter(parameter);
  const delimiter = plain === "," || parameter.in === "header" ? plain : encodeStrict(plain);
  switch (style) {
    case "simple":
      return { first: "", separator: delimiter, named: false, ifEmpty: "", delimiter };
    case "label":
      return { first: ".", separator: ".", named: false, ifEmpty: "", delimiter };
    case "matrix":
      return { first: ";", separator: ";", named: true, ifEmpty: "", delimiter };
    default: {
      // A cookie header holds pairs with "; " between them (RFC 6265 section 4.2.1), whatever RFC 6570 says of forms.
      const separator = parameter.in === "cookie" ? "; " : "&";
      const named = parameter.in === "query" || parameter.in === "cookie";
      return { first: "", separator, named, ifEmpty: "=", delimiter };
    }
  }
}

/** What stands between the items of a list that is not exploded. */
export function getDelimiter({ style, delimiter }: Pick<Parameter, "style" | "delimiter">): string {
  return delimiter ?? (style === "spaceDelimited" ? " " : style === "pipeDelimited" ? "|" : ",");
}

/** Encodes a whole value. */
function textEncoder({ style, allowReserved, in: location }: Parameter, argument: string): Encode {
  if (location === "header") return (text) => text;
  if (style === "cookie") return (text) => cookieOctets(text, argument);
  if (!allowReserved) return encodeStrict;
  if (location === "cookie") return encodeReservedInCookie;
  if (location === "query") return encodeReservedInQuery;
  // A semicolon would begin another parameter.
  return style === "matrix"
    ? (text) => encodeReservedInPath(text).replaceAll(";", "%3B")
    : encodeReservedInPath;
}

/**
 * Encodes an item so that it cannot be taken for two. What is not percent-encoded, or is encoded when it separates as
 * well, has no such form ("Style Values": undefined) and is refused.
 */
function itemEncoder(
  parameter: Parameter,
  argument: string,
  between: string,
  encode: Encode,
): Encode {
  const { style, explode, allowReserved, in: location } = parameter;
  const plain = getDelimiter(parameter);
  if (location === "header") {
    return (text) => {
      if (text.includes(plain)) throw separates(argument, plain);
      // Optional whitespace around the items of a list means nothing (RFC 9110 section 5.6.1).
      if (/^[ \t]|[ \t]$/.test(text)) throw padded(argument);
      return text;
    };
  }
  const separating = style === "label" && explode ? "." : explode || plain === "," ? "" : plain;
  if (separating !== "") {
    return (text) => {
      if (text.includes(separating)) throw separates(argument, separating);
      return encode(text);
    };
  }
  // With reserved characters left alone, a comma within an item would look like one between items.
  return allowReserved && between === "," ? (text) => encode(text).replaceAll(",", "%2C") : encode;
}

function keyEncoder(
  { in: location, style, allowReserved }: Parameter,
  argument: string,
  encode: Encode,
): Encode {
  if (location === "header") {
    return (key) => {
      if (key.includes("=")) throw separates(argument, "=", "a key");
      return encode(key);
    };
  }
  if (style === "cookie") return (key) => cookieName(key, argument);
  return allowReserved ? (key) => encode(key).replaceAll("=", "%3D") : encode;
}

function encodedName({ name, style }: Parameter): string {
  return style === "cookie" && isToken(name) ? name : encodeStrict(name);
}

/**
 * The value of a cookie, which is sent as it is (OpenAPI 3.2, "Style Values"). Throws `ToolError` `invalid_arguments`
 * for what a cookie cannot hold (RFC 6265 section 4.1.1).
 */
export function cookieOctets(text: string, argument: string): string {
  if (/^(?:[!#-+\--:<-[\]-~]*|"[!#-+\--:<-[\]-~]*")$/.test(text)) return text;
  throw unrepresentableValue(
    argument,
    'is sent in a cookie, which cannot hold spaces, quotes, ",", ";", "\\" and anything beyond ASCII: encode them as the API expects it, percent-encoded for example.',
  );
}

function cookieName(key: string, argument: string): string {
  if (isToken(key)) return key;
  throw unrepresentableValue(
    argument,
    `holds the key ${JSON.stringify(key.slice(0, 100))}, which no cookie can be called: use letters, digits and "-", "_" or ".".`,
  );
}

function isToken(text: string): boolean {
  return /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(text);
}

/**
 * `name[key]=value`. What the specification leaves open is written as the servers that use this style
 * read it: deeper members in more brackets, list items by index.
 */
function deepObjectWriter(
  parameter: Parameter,
  argument: string,
  checkKey: ReservedKeyCheck | undefined,
): ParameterWriter {
  const encode = textEncoder(parameter, argument);
  const name = encodedName(parameter);
  return (value) => {
    const pairs: string[] = [];
    deepPairs(value, argument, (path, text) => {
      let key = name;
      for (const token of path) key += `%5B${encodeStrict(token)}%5D`;
      checkKey?.(key);
      pairs.push(`${key}=${encode(text)}`);
    });
    return pairs.length === 0 ? undefined : pairs.join("&");
  };
}

/** Calls back for every leaf of a value, with the keys that lead to it. Throws `ToolError` `invalid_arguments`. */
export function deepPairs(
  value: JsonValue,
  argument: string,
  add: (path: readonly string[], text: string) => void,
): void {
  // Says whether there was a leaf.
  const walk = (at: JsonValue, path: readonly string[]): boolean => {
    if (at !== null && typeof at !== "object") {
      add(path, String(at));
      return true;
    }
    const isList = Array.isArray(at);
    let leaves = 0;
    const members = Object.entries((at ?? {}) as JsonObject);
    for (const [key, member] of members) {
      if (!isList && (key === "" || /[[\]]/.test(key))) {
        throw unrepresentableValue(
          argument,
          'is sent with its keys in brackets: a key must not be empty and hold no "[" or "]".',
        );
      }
      if (isList) assertNotNull(member, argument);
      if (walk(member, [...path, key])) leaves++;
    }
    // A list of nothing but what is empty is empty; among others, it would be another list without it.
    if (isList && leaves > 0 && leaves < members.length) {
      throw unrepresentableValue(
        argument,
        "holds something empty in a list, which cannot be sent: leave it out of the list.",
      );
    }
    return leaves > 0;
  };
  walk(value, []);
}

const delimiterNames: Readonly<Record<string, string>> = { " ": "a space", "\t": "a tab" };

/** The error for a text that holds what separates it from the next. */
export function separates(argument: string, delimiter: string, what: string = "an item"): Error {
  const shown = delimiterNames[delimiter] ?? JSON.stringify(delimiter);
  return unrepresentableValue(
    argument,
    `is sent with ${shown} as the separator, and ${what} that holds one would be taken for two: leave it out.`,
  );
}

function padded(argument: string): Error {
  return unrepresentableValue(
    argument,
    "is sent in a header, which loses spaces and tabs at the beginning and the end: leave them out.",
  );
}
