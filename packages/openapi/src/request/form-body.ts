import { ToolError, type JsonObject, type JsonValue } from "@toolweave/core";
import type { MediaDescription, Parameter, ParameterStyle } from "../document/operation.ts";
import { encodeStrict } from "./percent-encode.ts";
import type { BodyWriter } from "./request-body.ts";
import { parameterWriter, scalarText, type ParameterWriter } from "./serialize-parameter.ts";

/**
 * Writes `application/x-www-form-urlencoded` (OpenAPI 3.1.1, "Encoding Object"). A property whose encoding
 * has a style is written like a query parameter; otherwise text stays text, a list is repeated, and an object is JSON.
 */
export function formBodyWriter(media: MediaDescription, argument: string): BodyWriter {
  const styled = new Map<string, ParameterWriter>();
  for (const [name, encoding] of Object.entries(media.encoding ?? {})) {
    const parameter = styledProperty(name, encoding);
    if (parameter !== undefined) styled.set(name, parameterWriter(parameter, name));
  }
  const contentType = media.mediaType;
  return (value) => {
    if (typeof value === "string") return { contentType, body: value };
    const pairs: string[] = [];
    for (const [name, member] of Object.entries(formObject(value, argument))) {
      if (member === null) continue;
      const write = styled.get(name);
      if (write !== undefined) {
        const text = write(member);
        if (text !== undefined) pairs.push(text);
        continue;
      }
      const key = encodeStrict(name);
      for (const item of listOf(member)) pairs.push(`${key}=${encodeStrict(scalarText(item))}`);
    }
    return { contentType, body: pairs.join("&") };
  };
}

/** The properties of a form body. Throws `ToolError` `invalid_arguments` when it is something else. */
export function formObject(value: JsonValue, argument: string): JsonObject {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as JsonObject;
  }
  throw new ToolError(
    "invalid_arguments",
    `"${argument}" must be an object: a form has named fields.`,
  );
}

/** A list as its items, anything else as one. */
export function listOf(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
}

function styledProperty(name: string, encoding: JsonValue): Parameter | undefined {
  if (typeof encoding !== "object" || encoding === null) return undefined;
  const { style, explode, allowReserved, delimiter } = encoding as JsonObject;
  if (style === undefined && explode === undefined && allowReserved === undefined) return undefined;
  const named = (typeof style === "string" ? style : "form") as ParameterStyle;
  return {
    name,
    in: "query",
    required: false,
    deprecated: false,
    style: named,
    explode: typeof explode === "boolean" ? explode : named === "form",
    allowReserved: allowReserved === true,
    ...(typeof delimiter === "string" ? { delimiter } : {}),
    schema: { schema: true, defs: new Map() },
  };
}
