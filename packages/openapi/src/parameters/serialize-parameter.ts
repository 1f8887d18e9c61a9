import type { JsonValue } from "@toolweave/core";
import type { Parameter } from "../document/operation.ts";
import { formTextWriter } from "./form-text.ts";
import { reservedKeyCheck, type ReservedKeyCheck } from "./reserved-key-check.ts";
import { isJsonMediaType, mediaTypeName } from "../document/media-type.ts";
import { encodeStrict } from "./percent-encode.ts";
import { cookieOctets, scalarText, styleWriter, type ParameterWriter } from "./style-writer.ts";
import { emptyValueError, unrepresentableValue } from "./unrepresentable.ts";

/** A parameter and the argument that carries it. */
export interface ParameterArgument {
  readonly argument: string;
  readonly parameter: Parameter;
}

/**
 * Compiles how a parameter is written (OpenAPI 3.2, "Parameter Object"). The writer throws
 * `ToolError` `invalid_arguments` for a value that cannot travel there, and for a required one of which nothing would.
 *
 * @param argument the argument's name, for errors.
 * @param reserved names that no key of an exploded object may stand for.
 */
export function parameterWriter(
  parameter: Parameter,
  argument: string,
  reserved?: ReadonlySet<string>,
): ParameterWriter {
  const checkKey = reserved === undefined ? undefined : reservedKeyCheck(argument, reserved);
  const write =
    parameter.mediaType === undefined
      ? styleWriter(parameter, argument, checkKey)
      : contentWriter(parameter, parameter.mediaType, argument, checkKey);
  // A path says itself that nothing in it may be empty.
  if (parameter.in === "path") return write;
  const check =
    parameter.in === "cookie" ? undefined : parameter.in === "header" ? headerText : queryText;
  const empty = emptyForm(parameter);
  return (value) => {
    const text = write(value) ?? empty;
    if (text === undefined) {
      if (parameter.required) throw emptyValueError(argument);
      return undefined;
    }
    return check === undefined ? text : check(text, argument);
  };
}

/**
 * What is sent of a required parameter of which nothing would be left (OpenAPI 3.2, "Parameter Object", `allowEmptyValue`:
 * only in a query, and only of a style that has a form for what is empty). Optional ones are left out all the same.
 */
function emptyForm(parameter: Parameter): string | undefined {
  const { name, in: location, style, required, allowEmptyValue, mediaType } = parameter;
  const isAllowed = allowEmptyValue === true && location === "query" && style === "form";
  return isAllowed && required && mediaType === undefined ? `${encodeStrict(name)}=` : undefined;
}

/** A parameter with `content` is written as that media type and then encoded as a whole. */
function contentWriter(
  parameter: Parameter,
  mediaType: string,
  argument: string,
  checkKey: ReservedKeyCheck | undefined,
): ParameterWriter {
  const { in: location } = parameter;
  const json = isJsonMediaType(mediaType);
  const isForm = mediaTypeName(mediaType) === "application/x-www-form-urlencoded";
  const textOf = isForm
    ? formTextWriter(parameter, argument, location === "querystring" ? checkKey : undefined)
    : json
      ? (value: JsonValue) => JSON.stringify(value)
      : scalarText;
  switch (location) {
    case "querystring":
      // A form is a query already (OpenAPI 3.2, "Parameter Object Examples").
      if (isForm) return textOf;
      return (value) => {
        const text = encodeStrict(textOf(value));
        checkKey?.(text);
        return text;
      };
    case "header":
      return json ? (value) => escapeNonAscii(textOf(value)) : textOf;
    case "path":
      return (value) => encodeStrict(textOf(value));
    default: {
      const name = encodeStrict(parameter.name);
      // Text is what a cookie is made of (OpenAPI 3.2, appendix D); other media types have characters that it cannot hold.
      return location === "cookie" && !json && !isForm
        ? (value) => `${name}=${cookieOctets(textOf(value), argument)}`
        : (value) => `${name}=${encodeStrict(textOf(value))}`;
    }
  }
}

/**
 * The value of a header field, one character for each byte (RFC 9110 section 5.5). Throws `ToolError`
 * `invalid_arguments` for what would not arrive.
 */
function headerText(text: string, argument: string): string {
  if (/[^\t -~\u0080-\u00ff]/.test(text)) {
    throw /[\u0000-\u0008\u000a-\u001f\u007f]/.test(text)
      ? unrepresentableValue(
          argument,
          "is sent in a header, which cannot hold control characters: leave them out.",
        )
      : unrepresentableValue(
          argument,
          "is sent in a header, which cannot hold characters beyond Latin-1: leave them out, or encode them if the API says how.",
        );
  }
  if (/^[ \t]|[ \t]$/.test(text)) {
    throw unrepresentableValue(
      argument,
      "is sent in a header, which loses spaces and tabs at the beginning and the end: leave them out.",
    );
  }
  return text;
}

function queryText(text: string, argument: string): string {
  // Nobody needs a carriage return here, and a server that decodes it into a header of its own is harmed by it.
  if (/%0d/i.test(text)) {
    throw unrepresentableValue(
      argument,
      'is sent in the query, which cannot hold carriage returns: leave them out, "\\n" alone is a line break.',
    );
  }
  return text;
}

function escapeNonAscii(json: string): string {
  return json.replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
