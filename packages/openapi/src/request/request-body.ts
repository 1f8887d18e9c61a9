import { ToolError, type JsonSchema, type JsonValue } from "@toolweave/core";
import type { ArtifactFiles } from "./artifact-files.ts";
import { base64Schema, fileOf, isBinarySchema } from "./binary-content.ts";
import { formBodyWriter } from "./form-body.ts";
import {
  isJsonLinesMediaType,
  isJsonMediaType,
  isTextMediaType,
  mediaTypeName,
} from "./media-type.ts";
import { multipartArgumentSchema, multipartBodyWriter } from "./multipart-body.ts";
import type { MediaDescription } from "../document/operation.ts";
import { resolveSchema, schemaTypes } from "../schema/resolve-schema.ts";

/** A body as it travels. */
export interface EncodedBody {
  readonly contentType: string;
  readonly body: string | Uint8Array;
}

/**
 * Writes the body argument. Throws `ToolError` `invalid_arguments` for a value that the media type
 * cannot carry.
 */
export type BodyWriter = (value: JsonValue, files: ArtifactFiles) => EncodedBody;

/** How bodies of some media types become an argument, and the argument a body. */
interface BodyFormat {
  /** Which of several is chosen: the lowest. */
  readonly rank: number;
  accepts(media: MediaDescription): boolean;
  /** What the model passes; `undefined`: what the document says. Refers to the same definitions. */
  argumentSchema?(media: MediaDescription): JsonSchema | boolean;
  /** @param argument the argument's name, for errors. */
  writer(media: MediaDescription, argument: string): BodyWriter;
}

const json: BodyFormat = {
  rank: 0,
  accepts: (media) =>
    isJsonMediaType(media.mediaType) || (isAnyType(media) && !isText(media) && !isBytes(media)),
  writer(media) {
    const contentType = isAnyType(media) ? "application/json" : media.mediaType;
    return (value) => ({ contentType, body: JSON.stringify(value) });
  },
};

const form: BodyFormat = {
  rank: 1,
  accepts: (media) => mediaTypeName(media.mediaType) === "application/x-www-form-urlencoded",
  writer: formBodyWriter,
};

const multipart: BodyFormat = {
  rank: 2,
  accepts: (media) => mediaTypeName(media.mediaType) === "multipart/form-data",
  argumentSchema: multipartArgumentSchema,
  writer: multipartBodyWriter,
};

const jsonLines: BodyFormat = {
  rank: 3,
  accepts: (media) =>
    isJsonLinesMediaType(media.mediaType) && (media.itemSchema !== undefined || isList(media)),
  argumentSchema: ({ schema, itemSchema }) =>
    itemSchema === undefined
      ? schema.schema
      : { type: "array", items: itemSchema.schema as JsonSchema },
  writer(media, argument) {
    return (value) => {
      if (!Array.isArray(value)) {
        throw new ToolError(
          "invalid_arguments",
          `"${argument}" must be a list: one entry for each line.`,
        );
      }
      const lines = (value as readonly JsonValue[]).map((line) => `${JSON.stringify(line)}\n`);
      return { contentType: media.mediaType, body: lines.join("") };
    };
  },
};

const plainText: BodyFormat = {
  rank: 4,
  accepts: (media) =>
    isTextMediaType(media.mediaType) || (isAnyType(media) && isText(media) && !isBytes(media)),
  argumentSchema({ schema: { schema, defs }, mediaType }) {
    const resolved = resolveSchema(schema, defs);
    const types = schemaTypes(resolved);
    if (types.length > 0 && types.every((type) => type !== "object" && type !== "array")) {
      return schema;
    }
    const about = typeof resolved === "object" ? resolved["description"] : undefined;
    const before = typeof about === "string" ? `${about}\n\n` : "";
    return {
      type: "string",
      description: `${before}The body as ${mediaTypeName(mediaType)} text.`,
    };
  },
  writer(media) {
    const contentType = isAnyType(media) ? "text/plain" : media.mediaType;
    return (value) => ({
      contentType,
      body: typeof value === "string" ? value : JSON.stringify(value),
    });
  },
};

const bytes: BodyFormat = {
  rank: 5,
  accepts: (media) => !mediaTypeName(media.mediaType).startsWith("multipart/"),
  argumentSchema: ({ schema }) => base64Schema(schema.schema),
  writer(media, argument) {
    const known = media.mediaType.includes("*") ? undefined : media.mediaType;
    return (value, files) => {
      const { bytes, mediaType = "application/octet-stream" } = fileOf(value, argument, files);
      return { contentType: known ?? mediaType, body: bytes };
    };
  },
};

/** In order of trial: the first that accepts a media type has it. */
const bodyFormats: readonly BodyFormat[] = [json, form, multipart, jsonLines, plainText, bytes];

/** The media type that a body is sent as, and how. */
export interface ChosenBody {
  readonly media: MediaDescription;
  readonly format: BodyFormat;
}

/**
 * Chooses among the media types of a body: JSON, then forms, multipart, lines, text, bytes; in the document's order
 * when several are alike; `application/json` before other JSON. `undefined` when none can be written.
 */
export function chooseBody(media: readonly MediaDescription[]): ChosenBody | undefined {
  let chosen: ChosenBody | undefined;
  let best = Infinity;
  for (const one of media) {
    const format = bodyFormats.find((candidate) => candidate.accepts(one));
    if (format === undefined) continue;
    const name = mediaTypeName(one.mediaType);
    const rank = format.rank + (name.includes("*") ? 0.6 : name === "application/json" ? 0 : 0.3);
    if (rank < best) {
      best = rank;
      chosen = { media: one, format };
    }
  }
  return chosen;
}

function isAnyType({ mediaType }: MediaDescription): boolean {
  const name = mediaTypeName(mediaType);
  return name === "*/*" || name === "application/*";
}

function isText({ schema: { schema, defs } }: MediaDescription): boolean {
  const types = schemaTypes(resolveSchema(schema, defs));
  return types.length === 1 && types[0] === "string";
}

function isBytes({ schema: { schema, defs } }: MediaDescription): boolean {
  return isBinarySchema(schema, defs);
}

function isList({ schema: { schema, defs } }: MediaDescription): boolean {
  return schemaTypes(resolveSchema(schema, defs)).includes("array");
}
