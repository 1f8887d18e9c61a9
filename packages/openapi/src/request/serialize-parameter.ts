import { ToolError, type JsonObject, type JsonValue } from "@toolweave/core";
import { isJsonMediaType } from "./media-type.ts";
import type { Parameter, ParameterLocation } from "../document/operation.ts";
import { meansReserved } from "../arguments/reserved-names.ts";
import { encodeReservedInPath, encodeReservedInQuery, encodeStrict } from "./percent-encode.ts";

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
  /** Between the values of a list that is not exploded. */
  readonly delimiter: string;
}

/**
 * Compiles how a parameter is written (OpenAPI 3.2, "Style Values"; RFC 6570). The writer throws
 * `ToolError` `invalid_arguments` for a value that cannot travel there.
 *
 * @param argument the argument's name, for errors.
 * @param reserved names that no key of an exploded object may stand for.
 */
export function parameterWriter(
  parameter: Parameter,
  argument: string,
  reserved?: ReadonlySet<string>,
): ParameterWriter {
  const checkKey = reserved === undefined ? undefined : keyCheck(argument, reserved);
  const write =
    parameter.mediaType !== undefined
      ? contentWriter(parameter, parameter.mediaType, checkKey)
      : parameter.style === "deepObject"
        ? deepObjectWriter(parameter)
        : styleWriter(parameter, checkKey);
  switch (parameter.in) {
    case "header":
      return (value) => headerText(write(value), argument);
    case "cookie":
      return (value) => cookieText(write(value), argument);
    case "query":
    case "querystring":
      return (value) => queryText(write(value), argument);
    case "path":
      return write;
  }
}

/** Refuses a key, encoded as it travels, that the model must not choose. */
type KeyCheck = (key: string) => void;

function keyCheck(argument: string, reserved: ReadonlySet<string>): KeyCheck {
  return (key) => {
    if (!meansReserved(key, reserved)) return;
    throw new ToolError(
      "invalid_arguments",
      `"${argument}" must not hold the key ${JSON.stringify(key.slice(0, 100))}: that name means something else in this request. Leave it out.`,
    );
  };
}

function styleWriter(parameter: Parameter, checkKey?: KeyCheck): ParameterWriter {
  const { explode } = parameter;
  const { first, separator, named, ifEmpty, delimiter } = expansionOf(parameter);
  const encode = encoderOf(parameter);
  // With reserved characters left alone, a comma within an item would look like one between items.
  const encodeItem: Encode = parameter.allowReserved
    ? (text) => encode(text).replaceAll(",", "%2C")
    : encode;
  const name = encodeName(parameter);
  const pair = (key: string, text: string): string =>
    text === "" ? key + ifEmpty : `${key}=${text}`;
  const one = named ? (text: string) => first + pair(name, text) : (text: string) => first + text;

  return (value) => {
    if (value === null) return undefined;
    if (typeof value !== "object") return one(encode(String(value)));
    if (Array.isArray(value)) {
      const items = (value as readonly JsonValue[])
        .filter((item) => item !== null)
        .map((item) => encodeItem(scalarText(item)));
      if (items.length === 0) return undefined;
      if (!explode) return one(items.join(delimiter));
      return first + (named ? items.map((item) => pair(name, item)) : items).join(separator);
    }
    const members: string[] = [];
    for (const [key, member] of Object.entries(value)) {
      if (member === null) continue;
      const text = encodeItem(scalarText(member));
      const encoded = encodeItem(key);
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

function expansionOf(parameter: Parameter): Expansion {
  const { style } = parameter;
  const delimiter = listDelimiter(parameter);
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

function listDelimiter({ style, delimiter, in: location }: Parameter): string {
  const plain =
    delimiter ?? (style === "spaceDelimited" ? " " : style === "pipeDelimited" ? "|" : ",");
  return plain === "," || location === "header" ? plain : encodeStrict(plain);
}

function encoderOf({ name, style, allowReserved, in: location }: Parameter): Encode {
  if (location === "header") return (text) => text;
  if (style === "cookie") {
    return (text) => {
      if (text.includes(";")) throw refused(name, "cookie", '";"');
      return text;
    };
  }
  if (!allowReserved) return encodeStrict;
  return location === "path" ? encodeReservedInPath : encodeReservedInQuery;
}

function encodeName({ name, style }: Parameter): string {
  return style === "cookie" ? name : encodeStrict(name);
}

/**
 * `name[key]=value`. What the specification leaves open is written as the servers that use this style
 * read it: deeper members in more brackets, list items by index.
 */
function deepObjectWriter(parameter: Parameter): ParameterWriter {
  const encode = encoderOf(parameter);
  const name = encodeName(parameter);
  const pairs = (key: string, value: JsonValue, into: string[]): void => {
    if (value === null) return;
    if (typeof value !== "object") into.push(`${key}=${encode(String(value))}`);
    else {
      for (const [member, inner] of Object.entries(value as JsonObject)) {
        pairs(`${key}%5B${encodeStrict(member)}%5D`, inner, into);
      }
    }
  };
  return (value) => {
    const into: string[] = [];
    pairs(name, value, into);
    return into.length === 0 ? undefined : into.join("&");
  };
}

/** A parameter with `content` is written as that media type and then encoded as a whole. */
function contentWriter(
  parameter: Parameter,
  mediaType: string,
  checkKey: KeyCheck | undefined,
): ParameterWriter {
  const location = parameter.in;
  const json = isJsonMediaType(mediaType);
  const encode = encoderOf(parameter);
  const textOf = (value: JsonValue): string => {
    if (!json) return scalarText(value);
    const text = JSON.stringify(value);
    return location === "header" ? escapeNonAscii(text) : text;
  };
  if (location === "querystring") {
    return mediaType === "application/x-www-form-urlencoded"
      ? styleWriter({ ...parameter, in: "query", style: "form", explode: true }, checkKey)
      : (value) => {
          const text = encode(textOf(value));
          checkKey?.(text);
          return text;
        };
  }
  if (location === "path" || location === "header") return (value) => encode(textOf(value));
  const name = encodeName(parameter);
  return (value) => `${name}=${encode(textOf(value))}`;
}

/** A value where only text fits: text as it is, a list or an object within a list as JSON. */
export function scalarText(value: JsonValue): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

// oxlint-disable-next-line no-control-regex
const controlCharacter = /[\u0000-\u0008\u000a-\u001f\u007f]/;
// oxlint-disable-next-line no-control-regex
const beyondAscii = /[^\u0000-\u007f]/;

function headerText(text: string | undefined, argument: string): string | undefined {
  if (text === undefined) return undefined;
  if (controlCharacter.test(text)) throw refused(argument, "header", "control characters");
  if (!beyondAscii.test(text)) return text;
  // A header is bytes: UTF-8, one character for each byte (RFC 9110 section 5.5). Half a pair has none.
  encodeURIComponent(text);
  return Buffer.from(text, "utf8").toString("latin1");
}

function cookieText(text: string | undefined, argument: string): string | undefined {
  if (text !== undefined && controlCharacter.test(text)) {
    throw refused(argument, "cookie", "control characters");
  }
  return headerText(text, argument);
}

function queryText(text: string | undefined, argument: string): string | undefined {
  // Nobody needs a carriage return here, and a server that decodes it into a header of its own is harmed by it.
  if (text !== undefined && /%0d/i.test(text))
    throw refused(argument, "query", 'carriage returns (use "\\n")');
  return text;
}

function refused(argument: string, location: ParameterLocation, what: string): ToolError {
  return new ToolError(
    "invalid_arguments",
    `"${argument}" is sent in the ${location}, which cannot hold ${what}: leave them out.`,
  );
}

function escapeNonAscii(json: string): string {
  return json.replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
