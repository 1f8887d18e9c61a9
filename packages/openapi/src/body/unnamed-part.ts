import type { JsonSchema } from "@toolweave/core";
import { getMediaTypeName } from "@toolweave/core/adapter";
import { getMediaTypeParameter } from "../document/media-type.ts";
import type { MediaDescription, RequestBody } from "../document/operation.ts";
import { unrepresentableValueError } from "../parameters/unrepresentable.ts";
import { getSchemaTypes, mayBe, toPlainSchema } from "../schema/resolve-schema.ts";
import { hasParts } from "./multipart-body.ts";
import { isFormData } from "./multipart-parts.ts";

/** The name that most APIs give a single file. */
const usualName = "file";

/**
 * Returns a `multipart/form-data` body whose schema is a string, or a list of strings, as an object with one property.
 * Each part of a form has a name (RFC 7578, section 4.2), and in OpenAPI the name is that of a property (3.0.3,
 * "Special Considerations for multipart Content"). These documents have no name for the part. It is the only one that
 * has an encoding, or else the host names it, or else it is assumed.
 */
export function withNamedPart(
  media: MediaDescription,
  { required }: Pick<RequestBody, "required">,
  hostName: string | undefined,
): MediaDescription {
  const { schema, defs } = media.schema;
  if (!isFormData(media) || media.itemSchema !== undefined || hasParts(media)) return media;
  if (getStringTypes(media.schema) === undefined && !isListOfStrings(media)) return media;
  const names = Object.keys(media.encoding ?? {});
  const declared = names.length === 1 ? names[0] : undefined;
  const name = declared ?? hostName ?? usualName;
  const named: JsonSchema = {
    type: "object",
    properties: { [name]: schema },
    ...(required ? { required: [name] } : {}),
  };
  const part = { ...media, schema: { ...media.schema, schema: named, defs } };
  return declared === undefined ? { ...part, partName: name } : part;
}

/**
 * Returns true for a multipart body of another type whose schema is a string: the caller writes the parts and their
 * boundary.
 */
export function isRawMultipart(media: MediaDescription): boolean {
  const name = getMediaTypeName(media.mediaType);
  if (!name.startsWith("multipart/") || name.includes("*") || isFormData(media)) return false;
  return media.itemSchema === undefined && getStringTypes(media.schema)?.length === 1;
}

/**
 * Returns the media type of a multipart body that the caller has written, with its boundary: the declared one, or that
 * of the first line (RFC 2046, section 5.1.1).
 *
 * @throws ToolError `invalid_arguments` if neither is there.
 */
export function toRawMultipartType(
  mediaType: string,
  body: string | Uint8Array,
  argument: string,
): string {
  if (getMediaTypeParameter(mediaType, "boundary") !== undefined) return mediaType;
  const start = typeof body === "string" ? body : Buffer.from(body).toString("latin1", 0, 100);
  const [, boundary] = /^(?:\r?\n)*--([\w'()+,./:=?-]{1,70})[ \t]*\r?\n/.exec(start) ?? [];
  if (boundary === undefined) {
    throw unrepresentableValueError(
      argument,
      `must be a whole ${getMediaTypeName(mediaType)} body, whose first line is "--" and the boundary of its parts.`,
    );
  }
  return `${mediaType}; boundary="${boundary}"`;
}

/** Returns the types of a schema that allows only strings and null. */
function getStringTypes({
  schema,
  defs,
}: MediaDescription["schema"]): readonly string[] | undefined {
  const types = getSchemaTypes(toPlainSchema(schema, defs));
  const isString =
    types.includes("string") && types.every((type) => type === "string" || type === "null");
  return isString ? types : undefined;
}

function isListOfStrings({ schema: { schema, defs } }: MediaDescription): boolean {
  const list = toPlainSchema(schema, defs);
  if (typeof list === "boolean" || !getSchemaTypes(list).includes("array")) return false;
  return mayBe((list["items"] ?? true) as JsonSchema | boolean, defs, ["string"]);
}
