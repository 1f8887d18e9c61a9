import { artifactKey, type JsonSchema, type JsonValue } from "@toolweave/core";
import type { SelfContainedSchema } from "../document/operation.ts";
import { resolveSchema, schemaTypes } from "../schema/resolve-schema.ts";
import type { ArtifactFiles, BodyFile } from "./artifact-files.ts";
import {
  isBinaryMediaType,
  isInRange,
  isJsonMediaType,
  isTextMediaType,
} from "../document/media-type.ts";
import { unrepresentableValue } from "../parameters/unrepresentable.ts";

/**
 * True for a schema whose value is bytes: `format: binary` (OpenAPI 3.0), or a value without an encoding of its own whose
 * media type is that of bytes (3.1, "Working with Binary Data"). Under a media type that is not known, a schema without
 * `type` is bytes, and `type: string` is text (3.1.1, "Encoding Object", default `contentType`).
 */
export function isBinarySchema(
  given: JsonSchema | boolean,
  defs: SelfContainedSchema["defs"],
  contentType?: string,
): boolean {
  const schema = resolveSchema(given, defs);
  if (typeof schema === "boolean") return isBinaryType(contentType);
  const types = schemaTypes(schema);
  if (types.length > 0 && !types.includes("string")) return false;
  if (schema["contentEncoding"] !== undefined || encodedFormats.has(schema["format"])) return false;
  if (schema["format"] === "binary") return true;
  const { contentMediaType } = schema;
  const mediaType = typeof contentMediaType === "string" ? contentMediaType : contentType;
  return types.includes("string") ? isKnownBinary(mediaType) : isBinaryType(mediaType);
}

/** Formats of texts that are base64 already: OpenAPI 3.0, "Data Types" and "Considerations for File Uploads"; the OpenAPI Format Registry. */
const encodedFormats: ReadonlySet<unknown> = new Set(["byte", "base64", "base64url"]);

function isKnownBinary(mediaType: string | undefined): boolean {
  const [first = ""] = mediaType?.split(",") ?? [];
  return isBinaryMediaType(first);
}

function isBinaryType(mediaType: string | undefined): boolean {
  if (mediaType === undefined) return false;
  const [first = ""] = mediaType.split(",");
  return first.trim() !== "" && !isTextMediaType(first) && !isJsonMediaType(first);
}

/** Bytes that are text in the request as well: `contentEncoding` (3.1), `format: byte` or `base64` (3.0), `format: base64url`. */
export function isEncodedSchema(schema: JsonSchema | boolean): boolean {
  if (typeof schema === "boolean") return false;
  const types = schemaTypes(schema);
  if (types.length > 0 && !types.includes("string")) return false;
  return schema["contentEncoding"] === undefined
    ? encodedFormats.has(schema["format"])
    : base64Alphabet(schema) !== undefined;
}

/** The alphabet of a schema's `contentEncoding`. `undefined`: it is another encoding. */
function base64Alphabet(schema: JsonSchema): "base64" | "base64url" | undefined {
  const usual = schema["format"] === "base64url" ? "base64url" : "base64";
  const encoding = schema["contentEncoding"] ?? usual;
  return encoding === "base64" || encoding === "base64url" ? encoding : undefined;
}

/**
 * What the model passes for bytes: base64 text, or the key of an artifact. Says so, and keeps what the document says
 * beside it.
 *
 * @param types how many media types the bytes may have: of several, a data URL says which.
 */
export function base64Schema(given: JsonSchema | boolean, types: number = 1): JsonSchema {
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
 * The bytes of an argument: base64 in the standard or the URL alphabet, a base64 data URL (RFC 2397), which says the
 * media type as well, or an artifact's key.
 *
 * @throws ToolError `invalid_arguments`
 */
export function toBodyFile(value: JsonValue, argument: string, files: ArtifactFiles): BodyFile {
  const key = artifactKey(value);
  if (key !== undefined) return withMediaType(files(key));
  const data = typeof value === "string" ? /^data:([^,]*);base64,/i.exec(value) : null;
  const given = data === null ? value : (value as string).slice(data[0].length);
  const text = typeof given === "string" ? given.replace(/\s+/g, "") : undefined;
  const digits = text?.replace(/={1,2}$/, "");
  if (digits === undefined || digits.length % 4 === 1 || !/^[A-Za-z0-9+/_-]*$/.test(digits)) {
    throw unrepresentableValue(
      argument,
      "must be base64, or the key of an artifact: encode the bytes and pass the text.",
    );
  }
  const bytes = Buffer.from(digits, "base64");
  const mediaType = data?.[1];
  return withMediaType(mediaType === undefined ? { bytes } : { bytes, mediaType });
}

/** Whoever has stored a file has said its media type: what no header can hold is not repeated in one. */
function withMediaType(file: BodyFile): BodyFile {
  if (file.mediaType === undefined || isMediaType(file.mediaType)) return file;
  const { mediaType: _, ...others } = file;
  return others;
}

/** The text for encoded bytes: what the model passed, or an artifact in the schema's own alphabet. */
export function encodedText(value: JsonValue, schema: JsonSchema, files: ArtifactFiles): JsonValue {
  const key = artifactKey(value);
  if (key === undefined) return value;
  const { buffer, byteOffset, byteLength } = files(key).bytes;
  const text = Buffer.from(buffer, byteOffset, byteLength).toString("base64");
  // With its padding, which not every reader can do without (RFC 4648 section 3.2).
  return base64Alphabet(schema) === "base64url"
    ? text.replaceAll("+", "-").replaceAll("/", "_")
    : text;
}

/**
 * The media type of a file where the document declares ranges only (OpenAPI 3.2, "Request Body Object", `content`).
 *
 * @throws ToolError `invalid_arguments` when the file's type is not known, or is in none of them.
 */
export function typeInRanges(
  ranges: readonly string[],
  { mediaType = "application/octet-stream", pending }: BodyFile,
  argument: string,
): string {
  if (pending === true || ranges.some((range) => isInRange(mediaType, range))) return mediaType;
  throw unrepresentableValue(
    argument,
    `must be ${ranges.join(" or ").slice(0, 100)}: pass a data URL that names the type (data:type/subtype;base64,…), or the key of such an artifact.`,
  );
}

/**
 * The text of a whole body whose schema is base64 (OpenAPI 3.0, "Considerations for File Uploads"; 3.1, "Working with
 * Binary Data"): it travels as base64. Of a data URL, what follows the comma.
 *
 * @throws ToolError `invalid_arguments` for what is not base64.
 */
export function encodedBody(
  value: JsonValue,
  schema: JsonSchema,
  argument: string,
  files: ArtifactFiles,
): { readonly text: string; readonly file: BodyFile } {
  const file = toBodyFile(value, argument, files);
  if (artifactKey(value) !== undefined) {
    return { text: encodedText(value, schema, files) as string, file };
  }
  const text = value as string;
  const isData = /^data:[^,]*;base64,/i.test(text);
  return { text: isData ? text.slice(text.indexOf(",") + 1) : text, file };
}

/** True for a concrete media type that a header can hold. */
export function isMediaType(text: string): boolean {
  return /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:[ \t]*;[ -~]*)?$/.test(text);
}
