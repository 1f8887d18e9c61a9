import type { JsonObject, JsonValue } from "@toolweave/core";
import { otherFields } from "./reserved-names.ts";
import type { Encoding, Encodings, Parameter, SelfContainedSchema } from "../document/operation.ts";
import { inPlaceSchemas, requiredNames } from "../schema/resolve-schema.ts";
import { reservedKeyCheck, type ReservedKeyCheck } from "./reserved-key-check.ts";
import { isJsonMediaType } from "../document/media-type.ts";
import { encodeFormText } from "./percent-encode.ts";
import { itemText, styleWriter, type ParameterWriter } from "./style-writer.ts";
import {
  emptyValueError,
  fieldName,
  unrepresentableValue,
  type FieldArgument,
} from "./unrepresentable.ts";
import { isJsonObject } from "../document/record.ts";

/**
 * Compiles how an object becomes `application/x-www-form-urlencoded` text (OpenAPI 3.2, "Encoding the
 * x-www-form-urlencoded Media Type"). A property whose encoding has a style is written like a query parameter; otherwise
 * text stays text, a list is repeated, and an object is JSON. A field of which nothing is left is not sent, and refused
 * when it is required. The writer throws `ToolError` `invalid_arguments`.
 *
 * @param argument the argument's name, for errors.
 * @param checkKey refuses names, encoded as they travel.
 * @param argumentOf what errors call a field.
 */
export function formTextWriter(
  { encoding = {}, schema }: Encodings & { readonly schema: SelfContainedSchema },
  argument: string,
  checkKey?: ReservedKeyCheck,
  argumentOf: FieldArgument = fieldName,
): (value: JsonValue) => string {
  const styled = new Map<string, ParameterWriter>();
  const json = new Set<string>();
  for (const [name, one] of Object.entries(encoding)) {
    const parameter = styledProperty(name, one);
    if (parameter !== undefined) {
      const others = otherFields(fieldNames(schema), name);
      const checkField = reservedKeyCheck(argumentOf(name), others);
      const checkBoth = (key: string): void => (checkField(key), checkKey?.(key));
      styled.set(name, styleWriter(parameter, argumentOf(name), checkBoth));
    } else if (isJsonMediaType(one.contentType ?? "")) json.add(name);
  }
  const required = requiredNames(schema.schema, schema.defs);
  return (value) => {
    const pairs: string[] = [];
    for (const [name, member] of Object.entries(formObject(value, argument))) {
      const before = pairs.length;
      writeField(pairs, name, member);
      if (pairs.length === before && required.has(name)) throw emptyValueError(argumentOf(name));
    }
    return pairs.join("&");
  };

  function writeField(pairs: string[], name: string, member: JsonValue): void {
    if (member === null) return;
    const key = encodeFormText(name);
    checkKey?.(key);
    const write = styled.get(name);
    if (write !== undefined) {
      const text = write(member);
      if (text !== undefined) pairs.push(text);
      return;
    }
    for (const item of toList(member)) {
      const text = json.has(name) ? JSON.stringify(item) : itemText(item, argumentOf(name));
      pairs.push(`${key}=${encodeFormText(text)}`);
    }
  }
}

/** The fields that a schema names. */
function fieldNames({ schema, defs }: SelfContainedSchema): string[] {
  return inPlaceSchemas([schema], defs).flatMap(({ properties }) =>
    Object.keys((properties ?? {}) as object),
  );
}

/** The properties of a form body. Throws `ToolError` `invalid_arguments` when it is something else. */
export function formObject(value: JsonValue, argument: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw unrepresentableValue(argument, "must be an object: a form has named fields.");
}

/** A list as its items, anything else as one. */
export function toList(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
}

/**
 * The query parameter that a property with a style, `explode` or `allowReserved` of its own is written like (OpenAPI
 * 3.2, "Fixed Fields for RFC6570-style Serialization"). `undefined`: its content type says how it is written.
 */
export function styledProperty(name: string, encoding: Encoding): Parameter | undefined {
  const { style, explode, allowReserved, delimiter, itemDelimiters } = encoding;
  if ([style, explode, allowReserved, delimiter].every((one) => one === undefined)) {
    return undefined;
  }
  return {
    name,
    in: "query",
    required: false,
    deprecated: false,
    style: style ?? "form",
    explode: explode ?? (style ?? "form") === "form",
    allowReserved: allowReserved === true,
    ...(delimiter === undefined ? {} : { delimiter }),
    ...(itemDelimiters === undefined ? {} : { itemDelimiters }),
    schema: { schema: true, defs: new Map() },
  };
}
