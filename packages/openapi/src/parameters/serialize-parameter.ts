import { getMediaTypeName, isJsonMediaType, stringifyExact } from "@toolweave/core/adapter";
import type { Parameter } from "../document/operation.ts";
import { createFormTextWriter } from "./form-text.ts";
import { createReservedKeyCheck, type ReservedKeyCheck } from "./reserved-names.ts";
import { encodeStrict } from "./percent-encode.ts";
import {
  checkCookieValue,
  toText,
  createStyleWriter,
  type ParameterWriter,
} from "./style-writer.ts";
import { emptyValueError, unrepresentableValueError } from "./unrepresentable.ts";

/** A parameter and the argument that carries it. */
export interface ParameterArgument {
  readonly argument: string;
  readonly parameter: Parameter;
}

/**
 * Compiles the serialization of a parameter (OpenAPI 3.2, "Parameter Object"). The writer throws `ToolError`
 * `invalid_arguments` for a value that cannot be sent there, and for a required one with an empty result.
 *
 * @param argument the argument's name, for errors.
 * @param reserved names that no key of an exploded object may have.
 */
export function createParameterWriter(
  parameter: Parameter,
  argument: string,
  reserved?: ReadonlySet<string>,
): ParameterWriter {
  const checkKey = reserved === undefined ? undefined : createReservedKeyCheck(argument, reserved);
  const write =
    parameter.mediaType === undefined
      ? createStyleWriter(parameter, argument, checkKey)
      : createContentWriter(parameter, parameter.mediaType, argument, checkKey);
  // The path template itself refuses empty values.
  if (parameter.in === "path") return write;
  const check =
    parameter.in === "cookie"
      ? undefined
      : parameter.in === "header"
        ? checkHeaderText
        : checkQueryText;
  const empty = getEmptyForm(parameter);
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
 * Returns the form of a required parameter whose result is empty (OpenAPI 3.2, "Parameter Object", `allowEmptyValue`:
 * only in a query, and only for a style with a form for empty values). Optional ones are omitted nevertheless.
 */
function getEmptyForm(parameter: Parameter): string | undefined {
  const { name, in: location, style, required, allowEmptyValue, mediaType } = parameter;
  const isAllowed = allowEmptyValue === true && location === "query" && style === "form";
  return isAllowed && required && mediaType === undefined ? `${encodeStrict(name)}=` : undefined;
}

/** Creates a writer for a parameter with `content`, which is written as that media type and then encoded as a whole. */
function createContentWriter(
  parameter: Parameter,
  mediaType: string,
  argument: string,
  checkKey: ReservedKeyCheck | undefined,
): ParameterWriter {
  const { in: location } = parameter;
  const json = isJsonMediaType(mediaType);
  const isForm = getMediaTypeName(mediaType) === "application/x-www-form-urlencoded";
  const writeText = isForm
    ? createFormTextWriter(parameter, argument, location === "querystring" ? checkKey : undefined)
    : json
      ? stringifyExact
      : toText;
  switch (location) {
    case "querystring":
      // A form already is a query (OpenAPI 3.2, "Parameter Object Examples").
      if (isForm) return writeText;
      return (value) => {
        const text = encodeStrict(writeText(value));
        checkKey?.(text);
        return text;
      };
    case "header":
      return json ? (value) => escapeNonAscii(writeText(value)) : writeText;
    case "path":
      return (value) => encodeStrict(writeText(value));
    default: {
      const name = encodeStrict(parameter.name);
      // A cookie contains text (OpenAPI 3.2, appendix D); other media types have characters that it cannot contain.
      return location === "cookie" && !json && !isForm
        ? (value) => `${name}=${checkCookieValue(writeText(value), argument)}`
        : (value) => `${name}=${encodeStrict(writeText(value))}`;
    }
  }
}

/**
 * Returns the value of a header field, one character for each byte (RFC 9110 section 5.5). Throws `ToolError`
 * `invalid_arguments` for a value that would not arrive unchanged.
 */
function checkHeaderText(text: string, argument: string): string {
  if (/[^\t -~\u0080-\u00ff]/.test(text)) {
    throw /[\u0000-\u0008\u000a-\u001f\u007f]/.test(text)
      ? unrepresentableValueError(
          argument,
          "is sent in a header, which cannot contain control characters: remove them.",
        )
      : unrepresentableValueError(
          argument,
          "is sent in a header, which cannot contain characters beyond Latin-1: remove them, or encode them if the API defines how.",
        );
  }
  if (/^[ \t]|[ \t]$/.test(text)) {
    throw unrepresentableValueError(
      argument,
      "is sent in a header, which loses leading and trailing spaces and tabs: remove them.",
    );
  }
  return text;
}

/** Returns a text of a query. Throws `ToolError` `invalid_arguments` for an encoded carriage return. */
export function checkQueryText(text: string, argument: string): string {
  // No value needs a carriage return, and a server that decodes it into one of its own headers would be vulnerable.
  if (/%0d/i.test(text)) {
    throw unrepresentableValueError(
      argument,
      'is sent in the query, which cannot contain carriage returns: remove them and use "\\n" for a line break.',
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
