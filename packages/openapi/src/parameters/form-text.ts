import type { JsonObject, JsonValue } from "@toolweave/core";
import { isJsonMediaType, stringifyExact } from "@toolweave/core/adapter";
import { getOtherFields, createReservedKeyCheck, type ReservedKeyCheck } from "./reserved-names.ts";
import type { Encoding, Encodings, Parameter, SelfContainedSchema } from "../document/operation.ts";
import { collectInPlaceSchemas, getRequiredNames } from "../schema/resolve-schema.ts";
import { encodeFormText } from "./percent-encode.ts";
import { toItemText, createStyleWriter, type ParameterWriter } from "./style-writer.ts";
import {
  emptyValueError,
  fieldName,
  unrepresentableValueError,
  type FieldArgument,
} from "./unrepresentable.ts";
import { isJsonObject } from "../document/record.ts";

/**
 * Compiles the conversion of an object to `application/x-www-form-urlencoded` text (OpenAPI 3.2, "Encoding the
 * x-www-form-urlencoded Media Type"). A property whose encoding has a style is written like a query parameter;
 * otherwise text is written as text, a list is repeated, and an object is JSON. A field with an empty result is not
 * sent, and is refused if it is required. The writer throws `ToolError` `invalid_arguments`.
 *
 * @param argument the argument's name, for errors.
 * @param checkKey refuses names, encoded as they are sent.
 * @param toArgument returns the name of a field in errors.
 */
export function createFormTextWriter(
  { encoding = {}, schema }: Encodings & { readonly schema: SelfContainedSchema },
  argument: string,
  checkKey?: ReservedKeyCheck,
  toArgument: FieldArgument = fieldName,
): (value: JsonValue) => string {
  const styled = new Map<string, ParameterWriter>();
  const json = new Set<string>();
  for (const [name, one] of Object.entries(encoding)) {
    const parameter = toStyledProperty(name, one);
    if (parameter !== undefined) {
      const others = getOtherFields(getFieldNames(schema), name);
      const checkField = createReservedKeyCheck(toArgument(name), others);
      const checkBoth = (key: string): void => (checkField(key), checkKey?.(key));
      styled.set(name, createStyleWriter(parameter, toArgument(name), checkBoth));
    } else if (isJsonMediaType(one.contentType ?? "")) json.add(name);
  }
  const required = getRequiredNames(schema.schema, schema.defs);
  return (value) => {
    const pairs: string[] = [];
    for (const [name, member] of Object.entries(toFormObject(value, argument))) {
      const before = pairs.length;
      writeField(pairs, name, member);
      if (pairs.length === before && required.has(name)) throw emptyValueError(toArgument(name));
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
      const text = json.has(name) ? stringifyExact(item) : toItemText(item, toArgument(name));
      pairs.push(`${key}=${encodeFormText(text)}`);
    }
  }
}

/** Returns the fields that a schema names. */
function getFieldNames({ schema, defs }: SelfContainedSchema): string[] {
  return collectInPlaceSchemas([schema], defs).flatMap(({ properties }) =>
    Object.keys((properties ?? {}) as object),
  );
}

/** Returns the properties of a form body. Throws `ToolError` `invalid_arguments` if it is not an object. */
export function toFormObject(value: JsonValue, argument: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw unrepresentableValueError(argument, "must be an object: a form has named fields.");
}

/** Returns the items of a list, or any other value as a single item. */
export function toList(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
}

/**
 * Returns the query parameter as which a property with its own style, `explode` or `allowReserved` is written (OpenAPI
 * 3.2, "Fixed Fields for RFC6570-style Serialization"). `undefined`: its content type determines its form.
 */
export function toStyledProperty(name: string, encoding: Encoding): Parameter | undefined {
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
