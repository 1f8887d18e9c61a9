import type { JsonObject, JsonValue } from "@toolweave/core";
import { stringifyExact } from "@toolweave/core/adapter";
import type { Parameter } from "../document/operation.ts";
import {
  encodeReservedInCookie,
  encodeReservedInPath,
  encodeReservedInQuery,
  encodeStrict,
} from "./percent-encode.ts";
import type { ReservedKeyCheck } from "./reserved-names.ts";
import { unrepresentableValueError } from "./unrepresentable.ts";

/**
 * Serializes one argument: the text that replaces `{name}` in a path, `name=value` pairs of a query or a cookie, or the
 * value of a header. `undefined`: nothing is sent.
 */
export type ParameterWriter = (value: JsonValue) => string | undefined;

type Encode = (text: string) => string;

/** The differences between styles (RFC 6570 appendix A). */
interface Expansion {
  readonly first: string;
  /** Between exploded values, and between `name=value` pairs. */
  readonly separator: string;
  readonly named: boolean;
  /** The text after the name of an empty value. */
  readonly ifEmpty: "" | "=";
  /** Between the values of a list that is not exploded, as it is sent. */
  readonly delimiter: string;
}

/**
 * Compiles a style (OpenAPI 3.2, "Style Values"; RFC 6570). Null, an empty list and an empty object are not sent, nor
 * is a member that is null (RFC 6570 section 2.3). A list within an exploded object of a query repeats its name; other
 * lists and objects within lists and objects are JSON. The writer throws
 * `ToolError` `invalid_arguments` for a value that could not be read back.
 *
 * @param argument the argument's name, for errors.
 */
export function createStyleWriter(
  parameter: Parameter,
  argument: string,
  checkKey?: ReservedKeyCheck,
): ParameterWriter {
  if (parameter.style === "deepObject")
    return createDeepObjectWriter(parameter, argument, checkKey);
  const { explode } = parameter;
  const { first, separator, named, ifEmpty, delimiter } = getExpansion(parameter);
  const encode = getTextEncoder(parameter, argument);
  const encodeItem = getItemEncoder(parameter, argument, explode ? separator : delimiter, encode);
  const encodeKey = explode ? getKeyEncoder(parameter, argument, encodeItem) : encodeItem;
  const name = encodeName(parameter);
  const pair = (key: string, text: string): string =>
    text === "" ? key + ifEmpty : `${key}=${text}`;
  // As servers read it, such as those of Spring with `sort` of a `Pageable`.
  const repeats = explode && parameter.in === "query";
  const one = named ? (text: string) => first + pair(name, text) : (text: string) => first + text;

  return (value) => {
    if (value === null) return undefined;
    if (typeof value !== "object") return one(encode(String(value)));
    if (Array.isArray(value)) {
      if (value.length === 0) return undefined;
      const items = (value as readonly JsonValue[]).map((item) =>
        encodeItem(toItemText(item, argument, parameter.itemDelimiters)),
      );
      if (!explode) return one(items.join(delimiter));
      return first + (named ? items.map((item) => pair(name, item)) : items).join(separator);
    }
    const members: string[] = [];
    for (const [key, member] of Object.entries(value)) {
      if (member === null) continue;
      const encoded = encodeKey(key);
      if (explode) checkKey?.(encoded);
      if (repeats && Array.isArray(member)) {
        for (const item of member as readonly JsonValue[])
          members.push(pair(encoded, encodeItem(toItemText(item, argument))));
        continue;
      }
      const text = encodeItem(toText(member));
      if (!explode) members.push(encoded, text);
      else members.push(named ? pair(encoded, text) : `${encoded}=${text}`);
    }
    if (members.length === 0) return undefined;
    return explode ? first + members.join(separator) : one(members.join(delimiter));
  };
}

/** Returns a value as text: a string unchanged, a list or an object as JSON. */
export function toText(value: JsonValue): string {
  return typeof value === "object" ? stringifyExact(value) : String(value);
}

/**
 * Same for an item of a list, in which null cannot be represented. Throws `ToolError` `invalid_arguments`.
 *
 * @param delimiters between the items of nested lists, the outer ones first. Default: none, they are JSON.
 */
export function toItemText(
  item: JsonValue,
  argument: string,
  delimiters: readonly string[] = [],
): string {
  assertNotNull(item, argument);
  const [delimiter, ...inner] = delimiters;
  if (delimiter === undefined || !Array.isArray(item)) return toText(item);
  if (item.length === 0) {
    throw unrepresentableValueError(
      argument,
      "contains an empty list in a list, which cannot be sent: remove it from the list.",
    );
  }
  const texts = (item as readonly JsonValue[]).map((one) => toItemText(one, argument, inner));
  for (const text of texts) if (text.includes(delimiter)) throw delimiterError(argument, delimiter);
  return texts.join(delimiter);
}

function assertNotNull(item: JsonValue, argument: string): void {
  if (item !== null) return;
  throw unrepresentableValueError(
    argument,
    "contains null in a list, which cannot be sent: remove it from the list.",
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
      // A cookie header contains pairs separated by "; " (RFC 6265 section 4.2.1), unlike the forms of RFC 6570.
      const separator = parameter.in === "cookie" ? "; " : "&";
      const named = parameter.in === "query" || parameter.in === "cookie";
      return { first: "", separator, named, ifEmpty: "=", delimiter };
    }
  }
}

/** Returns the delimiter between the items of a list that is not exploded. */
export function getDelimiter({ style, delimiter }: Pick<Parameter, "style" | "delimiter">): string {
  return delimiter ?? (style === "spaceDelimited" ? " " : style === "pipeDelimited" ? "|" : ",");
}

/** Returns the encoder of a whole value. */
function getTextEncoder(parameter: Parameter, argument: string): Encode {
  const encode = getSegmentEncoder(parameter, argument);
  if (parameter.in !== "path" || parameter.multiSegment !== true) return encode;
  return (text) => {
    const segments = text.split("/");
    if (segments.length > 1 && segments.includes("")) {
      throw unrepresentableValueError(
        argument,
        'is several segments of the path: it must not begin or end with "/" or contain "//". Remove these.',
      );
    }
    return segments.map(encode).join("/");
  };
}

/** Returns the encoder of a value, or of one segment of it. */
function getSegmentEncoder(
  { style, allowReserved, in: location }: Parameter,
  argument: string,
): Encode {
  if (location === "header") return (text) => text;
  if (style === "cookie") return (text) => checkCookieValue(text, argument);
  if (!allowReserved) return encodeStrict;
  if (location === "cookie") return encodeReservedInCookie;
  if (location === "query") return encodeReservedInQuery;
  // A semicolon would begin another parameter.
  return style === "matrix"
    ? (text) => encodeReservedInPath(text).replaceAll(";", "%3B")
    : encodeReservedInPath;
}

/**
 * Returns the encoder of an item, which ensures that it cannot be read as two. If a delimiter in an item cannot be
 * distinguished by its encoding, there is no valid form ("Style Values": undefined), and the value is refused.
 */
function getItemEncoder(
  parameter: Parameter,
  argument: string,
  between: string,
  encode: Encode,
): Encode {
  const { style, explode, allowReserved, in: location } = parameter;
  const plain = getDelimiter(parameter);
  if (location === "header") {
    return (text) => {
      if (text.includes(plain)) throw delimiterError(argument, plain);
      // Optional whitespace around the items of a list is ignored (RFC 9110 section 5.6.1).
      if (/^[ \t]|[ \t]$/.test(text)) throw paddingError(argument);
      return text;
    };
  }
  const separating = style === "label" && explode ? "." : explode || plain === "," ? "" : plain;
  if (separating !== "") {
    return (text) => {
      if (text.includes(separating)) throw delimiterError(argument, separating);
      return encode(text);
    };
  }
  // Since reserved characters are not encoded, a comma within an item would be read as a delimiter.
  return allowReserved && between === "," ? (text) => encode(text).replaceAll(",", "%2C") : encode;
}

function getKeyEncoder(
  { in: location, style, allowReserved }: Parameter,
  argument: string,
  encode: Encode,
): Encode {
  if (location === "header") {
    return (key) => {
      if (key.includes("=")) throw delimiterError(argument, "=", "a key");
      return encode(key);
    };
  }
  if (style === "cookie") return (key) => checkCookieName(key, argument);
  return allowReserved ? (key) => encode(key).replaceAll("=", "%3D") : encode;
}

function encodeName({ name, style }: Parameter): string {
  return style === "cookie" && isToken(name) ? name : encodeStrict(name);
}

/**
 * Returns the value of a cookie, which is sent without encoding (OpenAPI 3.2, "Style Values"). Throws `ToolError`
 * `invalid_arguments` for characters that a cookie cannot contain (RFC 6265 section 4.1.1).
 */
export function checkCookieValue(text: string, argument: string): string {
  if (/^(?:[!#-+\--:<-[\]-~]*|"[!#-+\--:<-[\]-~]*")$/.test(text)) return text;
  throw unrepresentableValueError(
    argument,
    'is sent in a cookie, which cannot contain spaces, quotes, ",", ";", "\\" or non-ASCII characters: encode them as the API expects, for example percent-encoded.',
  );
}

function checkCookieName(key: string, argument: string): string {
  if (isToken(key)) return key;
  throw unrepresentableValueError(
    argument,
    `contains the key ${JSON.stringify(key.slice(0, 100))}, which is not a valid cookie name: use letters, digits and "-", "_" or ".".`,
  );
}

function isToken(text: string): boolean {
  return /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(text);
}

/**
 * Writes `name[key]=value`. Cases that the specification leaves undefined are written as the servers that use this
 * style read them: nested members in further brackets, list items by index.
 */
function createDeepObjectWriter(
  parameter: Parameter,
  argument: string,
  checkKey: ReservedKeyCheck | undefined,
): ParameterWriter {
  const encode = getTextEncoder(parameter, argument);
  const name = encodeName(parameter);
  return (value) => {
    const pairs: string[] = [];
    forEachLeaf(value, argument, (path, text) => {
      let key = name;
      for (const token of path) key += `%5B${encodeStrict(token)}%5D`;
      checkKey?.(key);
      pairs.push(`${key}=${encode(text)}`);
    });
    return pairs.length === 0 ? undefined : pairs.join("&");
  };
}

/** Calls back for every leaf of a value, with the keys that lead to it. Throws `ToolError` `invalid_arguments`. */
export function forEachLeaf(
  value: JsonValue,
  argument: string,
  add: (path: readonly string[], text: string) => void,
): void {
  // Returns whether there was a leaf.
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
        throw unrepresentableValueError(
          argument,
          'is sent with its keys in brackets: a key must not be empty or contain "[" or "]".',
        );
      }
      if (isList) assertNotNull(member, argument);
      if (walk(member, [...path, key])) leaves++;
    }
    // A list that contains only empty values is empty; an empty value among others would change the list if it were
    // omitted.
    if (isList && leaves > 0 && leaves < members.length) {
      throw unrepresentableValueError(
        argument,
        "contains an empty value in a list, which cannot be sent: remove it from the list.",
      );
    }
    return leaves > 0;
  };
  walk(value, []);
}

const delimiterNames: Readonly<Record<string, string>> = { " ": "a space", "\t": "a tab" };

/** Creates the error for a text that contains its own delimiter. */
export function delimiterError(
  argument: string,
  delimiter: string,
  what: string = "an item",
): Error {
  const separator = delimiterNames[delimiter] ?? JSON.stringify(delimiter);
  return unrepresentableValueError(
    argument,
    `is sent with ${separator} as the separator, and ${what} that contains one would be read as two: remove it.`,
  );
}

function paddingError(argument: string): Error {
  return unrepresentableValueError(
    argument,
    "is sent in a header, which loses leading and trailing spaces and tabs: remove them.",
  );
}
