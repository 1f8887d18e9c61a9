import type { JsonObject, JsonSchema, JsonValue } from "@toolweave/core";
import type { ArtifactFiles } from "./artifact-files.ts";
import { base64Schema, fileOf, isBinarySchema, isEncodedSchema } from "./binary-content.ts";
import { artifactFiller, mayHoldArtifact } from "./encoded-places.ts";
import { formBodyWriter } from "./form-body.ts";
import { isJsonMediaType, isTextMediaType, mediaTypeName } from "./media-type.ts";
import { hasParts, multipartArgumentSchema, multipartBodyWriter } from "./multipart-body.ts";
import { sendableForm } from "./sendable-schema.ts";
import { sequenceItemWriter, sequenceText } from "./sequence-body.ts";
import { scalarText } from "./style-writer.ts";
import { textEncoding } from "./text-charset.ts";
import type { FieldArgument } from "./unsendable.ts";
import type { MediaDescription } from "../document/operation.ts";
import { mayBe, resolveSchema, schemaTypes } from "../schema/resolve-schema.ts";

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
  /** False when no value that the schema allows could be written. Default: true. */
  canWrite?(media: MediaDescription): boolean;
  /** What the model passes; `undefined`: what the document says. Refers to the same definitions. */
  argumentSchema?(media: MediaDescription): JsonSchema | boolean;
  /**
   * @param argument the argument's name, for errors.
   * @param argumentOf what errors call a field of the body. Default: its name.
   */
  writer(media: MediaDescription, argument: string, argumentOf?: FieldArgument): BodyWriter;
}

const json: BodyFormat = {
  rank: 0,
  accepts: (media) =>
    isJsonMediaType(media.mediaType) || (isAnyType(media) && !isText(media) && !isBytes(media)),
  argumentSchema: jsonArgumentSchema,
  writer(media) {
    const contentType = isAnyType(media) ? "application/json" : media.mediaType;
    const fill = artifactFiller(media.schema);
    return (value, files) => {
      const body = JSON.stringify(value);
      return {
        contentType,
        body: mayHoldArtifact(body) ? JSON.stringify(fill(value, files)) : body,
      };
    };
  },
};

const form: BodyFormat = {
  rank: 1,
  accepts: (media) => mediaTypeName(media.mediaType) === "application/x-www-form-urlencoded",
  // It has named fields; a text is one that is encoded already.
  canWrite: ({ schema: { schema, defs } }) => mayBe(schema, defs, ["object", "string"]),
  argumentSchema: (media) => sendableForm(media.schema.schema, media),
  writer: formBodyWriter,
};

const multipart: BodyFormat = {
  rank: 2,
  accepts: ({ mediaType }) => mediaTypeName(mediaType).startsWith("multipart/"),
  canWrite: hasParts,
  argumentSchema: (media) => sendableForm(multipartArgumentSchema(media), media),
  writer: multipartBodyWriter,
};

const sequence: BodyFormat = {
  rank: 3,
  accepts: (media) =>
    sequenceItemWriter(media) !== undefined && (media.itemSchema !== undefined || isList(media)),
  argumentSchema: ({ schema, itemSchema }) =>
    itemSchema === undefined
      ? schema.schema
      : { type: "array", items: itemSchema.schema as JsonSchema },
  writer(media, argument) {
    const { mediaType } = media;
    const write = sequenceItemWriter(media) as NonNullable<ReturnType<typeof sequenceItemWriter>>;
    return (value) => ({ contentType: mediaType, body: sequenceText(value, argument, write) });
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
  writer(media, argument) {
    const contentType = isAnyType(media) || isTextRange(media) ? "text/plain" : media.mediaType;
    const encode = textEncoding(contentType);
    return (value) => ({ contentType, body: encode(scalarText(value), argument) });
  },
};

const bytes: BodyFormat = {
  rank: 5,
  accepts: () => true,
  argumentSchema: ({ schema, mediaType }) =>
    base64Schema(schema.schema, mediaType.includes("*") ? 2 : 1),
  writer(media, argument) {
    const known = media.mediaType.includes("*") ? undefined : media.mediaType;
    return (value, files) => {
      const { bytes, mediaType = "application/octet-stream" } = fileOf(value, argument, files);
      return { contentType: known ?? mediaType, body: bytes };
    };
  },
};

/** In order of trial: the first that accepts a media type has it. */
const bodyFormats: readonly BodyFormat[] = [json, form, multipart, sequence, plainText, bytes];

/** The media type that a body is sent as, and how. */
export interface ChosenBody {
  readonly media: MediaDescription;
  readonly format: BodyFormat;
}

/**
 * Chooses among the media types of a body: JSON, then forms, multipart, lines, text, bytes; in the document's order
 * when several are alike; `application/json` before other JSON. `undefined` when no value can be written as any.
 */
export function chooseBody(media: readonly MediaDescription[]): ChosenBody | undefined {
  let chosen: ChosenBody | undefined;
  let best = Infinity;
  for (const one of media) {
    const format = bodyFormats.find((candidate) => candidate.accepts(one));
    if (format === undefined || format.canWrite?.(one) === false) continue;
    const name = mediaTypeName(one.mediaType);
    const rank = format.rank + (name.includes("*") ? 0.6 : name === "application/json" ? 0 : 0.3);
    if (rank < best) {
      best = rank;
      chosen = { media: one, format };
    }
  }
  return chosen;
}

/** What the document says; of a property that is encoded bytes, that an artifact's key will do. */
function jsonArgumentSchema({ schema: { schema, defs } }: MediaDescription): JsonSchema | boolean {
  const root = resolveSchema(schema, defs);
  if (typeof root === "boolean") return schema;
  const properties = root["properties"] as
    | Readonly<Record<string, JsonSchema | boolean>>
    | undefined;
  let changed: Record<string, JsonValue> | undefined;
  for (const [name, property] of Object.entries(properties ?? {})) {
    const resolved = resolveSchema(property, defs);
    if (typeof resolved === "boolean" || !isEncodedSchema(resolved)) continue;
    const { description } = resolved;
    const about = typeof description === "string" ? `${description}\n\n` : "";
    changed ??= { ...(properties as JsonObject) };
    changed[name] = {
      ...resolved,
      description: `${about}Base64, or the key of an artifact: art_…`,
    };
  }
  return changed === undefined ? schema : { ...root, properties: changed };
}

function isTextRange({ mediaType }: MediaDescription): boolean {
  return mediaTypeName(mediaType) === "text/*";
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
