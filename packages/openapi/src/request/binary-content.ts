import { artifactKey, ToolError, type JsonSchema, type JsonValue } from "@toolweave/core";
import type { ArtifactFiles, BodyFile } from "./artifact-files.ts";
import { isJsonMediaType, isTextMediaType } from "./media-type.ts";
import type { SelfContainedSchema } from "../document/operation.ts";
import { resolveSchema, schemaTypes } from "../schema/resolve-schema.ts";

/**
 * True for a schema whose value is bytes: `format: binary` (OpenAPI 3.0), or a string whose media type is neither
 * text nor JSON and that has no encoding of its own (3.1, "Working with Binary Data").
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
  if (schema["contentEncoding"] !== undefined || schema["format"] === "byte") return false;
  const mediaType = schema["contentMediaType"];
  return (
    schema["format"] === "binary" ||
    isBinaryType(typeof mediaType === "string" ? mediaType : contentType)
  );
}

function isBinaryType(mediaType: string | undefined): boolean {
  if (mediaType === undefined) return false;
  const [first = ""] = mediaType.split(",");
  return first.trim() !== "" && !isTextMediaType(first) && !isJsonMediaType(first);
}

/** What the model passes for bytes: base64 text, or the key of an artifact. Says so, and keeps what the document says beside it. */
export function base64Schema(given: JsonSchema | boolean): JsonSchema {
  const schema = typeof given === "boolean" ? {} : given;
  const { title, description, contentMediaType } = schema;
  const about = typeof description === "string" ? `${description}\n\n` : "";
  return {
    type: "string",
    contentEncoding: "base64",
    ...(typeof contentMediaType === "string" ? { contentMediaType } : {}),
    ...(typeof title === "string" ? { title } : {}),
    description: `${about}The bytes, in base64, or the key of an artifact: art_…`,
  };
}

/**
 * The bytes of an argument: base64 in the standard or the URL alphabet, or an artifact's key.
 *
 * @throws ToolError `invalid_arguments`
 */
export function fileOf(value: JsonValue, argument: string, files: ArtifactFiles): BodyFile {
  const key = artifactKey(value);
  if (key !== undefined) return files(key);
  const text = typeof value === "string" ? value.replace(/\s+/g, "") : undefined;
  const digits = text?.replace(/={1,2}$/, "");
  if (digits === undefined || digits.length % 4 === 1 || !/^[A-Za-z0-9+/_-]*$/.test(digits)) {
    throw new ToolError(
      "invalid_arguments",
      `"${argument}" must be base64, or the key of an artifact: encode the bytes and pass the text.`,
    );
  }
  return { bytes: Buffer.from(digits, "base64") };
}
