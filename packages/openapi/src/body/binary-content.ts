import type { JsonSchema, JsonValue } from "@toolweave/core";
import { isReadableMediaType } from "@toolweave/core/adapter";
import { artifactKey } from "@toolweave/core/stores";
import type { SelfContainedSchema } from "../document/operation.ts";
import { getSchemaTypes, toAlternatives } from "../schema/resolve-schema.ts";
import type { ArtifactFiles, BodyFile } from "./body-writer.ts";
import { isBinaryMediaType, isInRange } from "../document/media-type.ts";
import { unrepresentableValueError } from "../parameters/unrepresentable.ts";

/**
 * Returns true for a schema whose value is bytes: `format: binary` (OpenAPI 3.0), or a value without an encoding of its
 * own whose media type is binary (3.1, "Working with Binary Data"). Under an unknown media type, a schema without
 * `type` is bytes, and `type: string` is text (3.1.1, "Encoding Object", default `contentType`). Null beside it makes the
 * value optional.
 */
export function isBinarySchema(
  given: JsonSchema | boolean,
  defs: SelfContainedSchema["defs"],
  contentType?: string,
): boolean {
  if (typeof given === "boolean") return isBinaryType(contentType);
  const alternatives = toAlternatives(given, defs);
  return alternatives.length > 0 && alternatives.every((one) => isPlainBinary(one, contentType));
}

/** Returns true if the keywords of a schema itself, without those of which it is composed, mean bytes. */
export function isPlainBinary(schema: JsonSchema, contentType?: string): boolean {
  const types = getSchemaTypes(schema);
  if (types.length > 0 && !types.includes("string")) return false;
  if (schema["contentEncoding"] !== undefined || encodedFormats.has(schema["format"])) return false;
  if (schema["format"] === "binary") return true;
  const { contentMediaType } = schema;
  const mediaType = typeof contentMediaType === "string" ? contentMediaType : contentType;
  return types.includes("string") ? isKnownBinary(mediaType) : isBinaryType(mediaType);
}

/**
 * Formats of texts that are already base64: OpenAPI 3.0, "Data Types" and "Considerations for File Uploads"; the
 * OpenAPI Format Registry.
 */
const encodedFormats: ReadonlySet<unknown> = new Set(["byte", "base64", "base64url"]);

function isKnownBinary(mediaType: string | undefined): boolean {
  const [first = ""] = mediaType?.split(",") ?? [];
  return isBinaryMediaType(first);
}

function isBinaryType(mediaType: string | undefined): boolean {
  if (mediaType === undefined) return false;
  const [first = ""] = mediaType.split(",");
  return first.trim() !== "" && !isReadableMediaType(first);
}

/**
 * Returns true for bytes that are encoded as text in the request too: `contentEncoding` (3.1), `format: byte` or
 * `base64` (3.0), `format: base64url`.
 */
export function isEncodedSchema(schema: JsonSchema | boolean): boolean {
  if (typeof schema === "boolean") return false;
  const types = getSchemaTypes(schema);
  if (types.length > 0 && !types.includes("string")) return false;
  return schema["contentEncoding"] === undefined
    ? encodedFormats.has(schema["format"])
    : getBase64Alphabet(schema) !== undefined;
}

/** Returns the alphabet of a schema's `contentEncoding`; `undefined` for an encoding other than base64. */
function getBase64Alphabet(schema: JsonSchema): "base64" | "base64url" | undefined {
  const usual = schema["format"] === "base64url" ? "base64url" : "base64";
  const encoding = schema["contentEncoding"] ?? usual;
  return encoding === "base64" || encoding === "base64url" ? encoding : undefined;
}

/**
 * Creates the schema of bytes as the model passes them: base64 text, or the key of an artifact. The description of the
 * document is preserved.
 *
 * @param types number of media types that the bytes may have: if there are several, a data URL names the type.
 */
export function toBase64Schema(given: JsonSchema | boolean, types: number = 1): JsonSchema {
  const schema = typeof given === "boolean" ? {} : given;
  const { title, description, contentMediaType } = schema;
  const about = typeof description === "string" ? `${description}\n\n` : "";
  const data = types > 1 ? ", or a data URL (data:type/subtype;base64,…)" : "";
  return {
    type: "string",
    contentEncoding: "base64",
    ...(typeof contentMediaType === "string" ? { contentMediaType } : {}),
    ...(typeof title === "string" ? { title } : {}),
    description: `${about}The bytes, in base64, or the key of an artifact: art_…${data}`,
  };
}

/**
 * Converts an argument to bytes: base64 in the standard or the URL alphabet, a base64 data URL (RFC 2397), which also
 * names the media type, or an artifact's key.
 *
 * @throws ToolError `invalid_arguments`
 */
export function toBodyFile(value: JsonValue, argument: string, files: ArtifactFiles): BodyFile {
  const key = artifactKey(value);
  if (key !== undefined) return withValidMediaType(files(key));
  const data = typeof value === "string" ? /^data:([^,]*);base64,/i.exec(value) : null;
  const given = data === null ? value : (value as string).slice(data[0].length);
  const text = typeof given === "string" ? given.replace(/\s+/g, "") : undefined;
  const digits = text?.replace(/={1,2}$/, "");
  if (digits === undefined || digits.length % 4 === 1 || !/^[A-Za-z0-9+/_-]*$/.test(digits)) {
    throw unrepresentableValueError(
      argument,
      "must be base64, or the key of an artifact: encode the bytes and pass the text.",
    );
  }
  const bytes = Buffer.from(digits, "base64");
  const mediaType = data?.[1];
  return withValidMediaType(mediaType === undefined ? { bytes } : { bytes, mediaType });
}

/** Returns true for a file where text is allowed too: an artifact's key, or a data URL. */
export function isFileValue(value: JsonValue): boolean {
  return (
    artifactKey(value) !== undefined ||
    (typeof value === "string" && /^data:[^,]*;base64,/i.test(value))
  );
}

/** Removes the media type of a file if no header can contain it: the caller that stored the file chose it. */
function withValidMediaType(file: BodyFile): BodyFile {
  if (file.mediaType === undefined || isMediaType(file.mediaType)) return file;
  const { mediaType: _, ...others } = file;
  return others;
}

/** Returns the text of encoded bytes: the text that the model passed, or an artifact in the schema's own alphabet. */
export function toEncodedText(
  value: JsonValue,
  schema: JsonSchema,
  files: ArtifactFiles,
): JsonValue {
  const key = artifactKey(value);
  if (key === undefined) return value;
  const { buffer, byteOffset, byteLength } = files(key).bytes;
  const text = Buffer.from(buffer, byteOffset, byteLength).toString("base64");
  // With padding, which not every decoder can do without (RFC 4648 section 3.2).
  return getBase64Alphabet(schema) === "base64url"
    ? text.replaceAll("+", "-").replaceAll("/", "_")
    : text;
}

/**
 * Returns the media type of a file whose document declares only ranges (OpenAPI 3.2, "Request Body Object", `content`).
 *
 * @throws ToolError `invalid_arguments` if the file's type is unknown, or in none of them.
 */
export function getTypeInRanges(
  ranges: readonly string[],
  { mediaType = "application/octet-stream", pending }: BodyFile,
  argument: string,
): string {
  if (pending === true || ranges.some((range) => isInRange(mediaType, range))) return mediaType;
  throw unrepresentableValueError(
    argument,
    `must be ${ranges.join(" or ").slice(0, 100)}: pass a data URL that names the type (data:type/subtype;base64,…), or the key of such an artifact.`,
  );
}

/**
 * Returns the text of a whole body whose schema is base64 (OpenAPI 3.0, "Considerations for File Uploads"; 3.1,
 * "Working with Binary Data"), which is sent as base64. For a data URL, the part after the comma.
 *
 * @throws ToolError `invalid_arguments` for a value that is not base64.
 */
export function toEncodedBody(
  value: JsonValue,
  schema: JsonSchema,
  argument: string,
  files: ArtifactFiles,
): { readonly text: string; readonly file: BodyFile } {
  const file = toBodyFile(value, argument, files);
  if (artifactKey(value) !== undefined) {
    return { text: toEncodedText(value, schema, files) as string, file };
  }
  const text = value as string;
  const isData = /^data:[^,]*;base64,/i.test(text);
  return { text: isData ? text.slice(text.indexOf(",") + 1) : text, file };
}

/** Returns true for a concrete media type that a header can contain. */
export function isMediaType(text: string): boolean {
  return /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:[ \t]*;[ -~]*)?$/.test(text);
}
