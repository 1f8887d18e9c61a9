import { artifactKey, type JsonSchema, type JsonValue } from "@toolweave/core";
import type { BodyFile } from "./artifact-files.ts";
import type { BodyWriter } from "./body-writer.ts";
import {
  base64Schema,
  encodedBody,
  toBodyFile,
  isBinarySchema,
  isEncodedSchema,
  typeInRanges,
} from "./binary-content.ts";
import { artifactFiller, holdsBytes, mayHoldArtifact } from "./artifact-body-fields.ts";
import { encodedBytesSchema, fileTextSchema, jsonArgumentSchema } from "./body-schemas.ts";
import { formBodyWriter } from "./form-body.ts";
import {
  isBinaryMediaType,
  isInRange,
  isJsonMediaType,
  isTextMediaType,
  mediaTypeName,
} from "../document/media-type.ts";
import {
  hasFileParts,
  hasParts,
  multipartArgumentSchema,
  multipartBodyWriter,
} from "./multipart-body.ts";
import { jsonPatchSchema, patchPenalty } from "./patch-type.ts";
import { formSchema } from "./form-schema.ts";
import { sequenceItemWriter, sequenceText } from "./sequence-body.ts";
import { scalarText } from "../parameters/style-writer.ts";
import { textEncoding } from "./text-charset.ts";
import type { FieldArgument } from "../parameters/unrepresentable.ts";
import type { MediaDescription } from "../document/operation.ts";
import { mayBe, resolveSchema, schemaTypes } from "../schema/resolve-schema.ts";
import { isUnconstrained } from "../schema/schema-keywords.ts";

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
    !isBytes(media) &&
    (isJsonMediaType(media.mediaType) ||
      (isAnyType(media) && !(isText(media) && isInRange("text/plain", media.mediaType)))),
  argumentSchema: (media) => jsonPatchSchema(media) ?? jsonArgumentSchema(media),
  writer(media, argument, argumentOf) {
    const contentType = media.mediaType.includes("*") ? "application/json" : media.mediaType;
    const fill = artifactFiller(media.schema, argumentOf);
    return (value, files) => {
      const body = JSON.stringify(value);
      return {
        contentType,
        body: mayHoldArtifact(body) ? JSON.stringify(fill(value, files, argument)) : body,
      };
    };
  },
};

const form: BodyFormat = {
  rank: 1,
  accepts: (media) => mediaTypeName(media.mediaType) === "application/x-www-form-urlencoded",
  // It has named fields; a text is one that is encoded already.
  canWrite: ({ schema: { schema, defs } }) => mayBe(schema, defs, ["object", "string"]),
  argumentSchema: (media) => formSchema(media.schema.schema, media),
  writer: formBodyWriter,
};

const multipart: BodyFormat = {
  rank: 2,
  accepts: ({ mediaType }) => mediaTypeName(mediaType).startsWith("multipart/"),
  canWrite: hasParts,
  argumentSchema: (media) => formSchema(multipartArgumentSchema(media), media),
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
    const { schema, itemSchema } = media;
    const fill = artifactFiller(
      itemSchema === undefined
        ? schema
        : {
            schema: { type: "array", items: itemSchema.schema as JsonSchema },
            defs: itemSchema.defs,
          },
    );
    return (value, files) => {
      const body = sequenceText(value, argument, write);
      return {
        contentType: mediaType,
        body: mayHoldArtifact(body)
          ? sequenceText(fill(value, files, argument), argument, write)
          : body,
      };
    };
  },
};

/** Every JSON text is YAML (YAML 1.2, section 1.3): what is an object or a list for the model is written as JSON. */
const yaml: BodyFormat = {
  rank: 4,
  accepts: ({ mediaType, schema: { schema, defs } }) =>
    /[/+.-]ya?ml$/.test(mediaTypeName(mediaType)) &&
    !isUnconstrained(resolveSchema(schema, defs)) &&
    !mayBe(schema, defs, ["string"]),
  argumentSchema: jsonArgumentSchema,
  writer: json.writer,
};

const plainText: BodyFormat = {
  rank: 4,
  accepts: (media) =>
    isTextMediaType(media.mediaType) ||
    // A file that holds JSON: a JSON string of it would be another document.
    (isBytes(media) && isJsonMediaType(media.mediaType)) ||
    (isText(media) && !isBytes(media) && (isAnyType(media) || !isBinaryMediaType(media.mediaType))),
  argumentSchema(media) {
    const {
      schema: { schema, defs },
      mediaType,
    } = media;
    const resolved = resolveSchema(schema, defs);
    const types = schemaTypes(resolved);
    if (isBytes(media)) return fileTextSchema(resolved);
    if (isEncodedSchema(resolved)) return encodedBytesSchema(resolved as JsonSchema);
    if (types.length > 0 && types.every((type) => type !== "object" && type !== "array")) {
      return schema;
    }
    const about = typeof resolved === "object" ? resolved["description"] : undefined;
    const before = typeof about === "string" ? `${about}\n\n` : "";
    const name = mediaTypeName(mediaType);
    const text = { type: "string", description: `${before}The body as ${name} text.` };
    // The model sees the fields, and writes the text: names and attributes of XML are the API's own.
    return mayBe(resolved, defs, ["object"]) && !isUnconstrained(resolved)
      ? { ...text, contentMediaType: name, contentSchema: schema }
      : text;
  },
  writer(media, argument) {
    const isRange = media.mediaType.includes("*");
    const usual = isJsonMediaType(media.mediaType) ? "application/json" : "text/plain";
    const contentType = isRange ? usual : media.mediaType;
    const encode = textEncoding(contentType);
    const schema = resolveSchema(media.schema.schema, media.schema.defs);
    if (isBytes(media)) {
      return (value, files) => ({
        contentType,
        body: isFileValue(value)
          ? toBodyFile(value, argument, files).bytes
          : encode(scalarText(value), argument),
      });
    }
    if (typeof schema === "object" && isEncodedSchema(schema)) {
      return (value, files) => ({
        contentType,
        body: encode(encodedBody(value, schema, argument, files).text, argument),
      });
    }
    return (value) => ({ contentType, body: encode(scalarText(value), argument) });
  },
};

const bytes: BodyFormat = {
  rank: 5,
  accepts: () => true,
  argumentSchema({ schema: { schema, defs }, mediaType }) {
    const resolved = resolveSchema(schema, defs);
    if (isEncodedSchema(resolved)) return encodedBytesSchema(resolved as JsonSchema);
    return hasOtherEncoding(resolved)
      ? schema
      : base64Schema(schema, mediaType.includes("*") ? 2 : 1);
  },
  writer(media, argument) {
    const { mediaType } = media;
    const schema = resolveSchema(media.schema.schema, media.schema.defs);
    const typeOf = mediaType.includes("*")
      ? (file: BodyFile) => typeInRanges([mediaType], file, argument)
      : () => mediaType;
    if (typeof schema === "object" && isEncodedSchema(schema)) {
      return (value, files) => {
        const { text, file } = encodedBody(value, schema, argument, files);
        return { contentType: typeOf(file), body: text };
      };
    }
    if (hasOtherEncoding(schema)) {
      const encode = textEncoding(mediaType);
      return (value) => ({
        contentType: mediaType,
        body: encode(scalarText(value), argument),
      });
    }
    return (value, files) => {
      const file = toBodyFile(value, argument, files);
      return { contentType: typeOf(file), body: file.bytes };
    };
  },
};

/** In order of trial: the first that accepts a media type has it. */
const bodyFormats: readonly BodyFormat[] = [
  json,
  form,
  multipart,
  sequence,
  yaml,
  plainText,
  bytes,
];

/** The media type that a body is sent as, and how. */
export interface ChosenBody {
  readonly media: MediaDescription;
  readonly format: BodyFormat;
}

/**
 * Chooses among the media types of a body: JSON, then forms, multipart, lines, text, bytes; in the document's order
 * when several are alike; `application/json` before other JSON. What the schema cannot mean comes last (a JSON Patch that
 * is an object), as do patches in YAML and CBOR; where the schema has bytes, JSON and forms come after multipart, which
 * has a form for them. `undefined` when no value can be written as any.
 */
export function chooseBody(media: readonly MediaDescription[]): ChosenBody | undefined {
  let chosen: ChosenBody | undefined;
  let best = Infinity;
  for (const one of media) {
    const format = writableFormat(one);
    if (format === undefined) continue;
    const name = mediaTypeName(one.mediaType);
    let rank = format.rank + (name.includes("*") ? 0.6 : name === "application/json" ? 0 : 0.3);
    if (media.length > 1) {
      rank += patchPenalty(one);
      // Bytes that may be JSON are bytes first.
      if (format === plainText && isJsonMediaType(name)) rank += 2;
      if (!hasBytes(format) && holdsBytes(one.schema.schema, one.schema.defs)) {
        rank += afterMultipart;
      }
    }
    if (rank < best) {
      best = rank;
      chosen = { media: one, format };
    }
  }
  return chosen;
}

/** Puts JSON behind multipart, and before what is neither. */
const afterMultipart = 2.5;

/**
 * The other media types of a body that can carry what the chosen one cannot: files beside JSON or a form, bytes of
 * another type. The model chooses among them; at most 20.
 */
export function otherBodies(
  media: readonly MediaDescription[],
  chosen: ChosenBody,
): readonly ChosenBody[] {
  const isFile = isFileBody(chosen);
  if (media.length < 2 || (chosen.format === multipart && hasFileParts(chosen.media))) {
    return [];
  }
  const others: ChosenBody[] = [];
  for (const one of media) {
    if (one === chosen.media || others.length === maxOthers) continue;
    const format = writableFormat(one);
    if (format === undefined) continue;
    const other = { media: one, format };
    const hasFiles = format === multipart ? !isFile && hasFileParts(one) : isFileBody(other);
    if (hasFiles && patchPenalty(one) === 0) others.push(other);
  }
  return others;
}

const maxOthers = 20;

function writableFormat(media: MediaDescription): BodyFormat | undefined {
  const format = bodyFormats.find((candidate) => candidate.accepts(media));
  return format?.canWrite?.(media) === false ? undefined : format;
}

function hasBytes(format: BodyFormat): boolean {
  return format === multipart || format === plainText || format === bytes;
}

/** True for a body that is one file: bytes, or a text that the document calls binary. */
export function isFileBody({ media, format }: ChosenBody): boolean {
  if (format === plainText) return isBytes(media);
  if (format !== bytes) return false;
  const { schema, defs } = media.schema;
  const resolved = resolveSchema(schema, defs);
  if (typeof resolved === "boolean") return isBinaryMediaType(media.mediaType);
  const structural = ["properties", "items", "allOf", "anyOf", "oneOf", "$ref"];
  return (
    !structural.some((keyword) => resolved[keyword] !== undefined) &&
    mayBe(resolved, defs, ["string"])
  );
}

/** True for a file in a place where text is expected: an artifact's key, or a data URL. */
function isFileValue(value: JsonValue): boolean {
  return (
    artifactKey(value) !== undefined ||
    (typeof value === "string" && /^data:[^,]*;base64,/i.test(value))
  );
}

/** An encoding that is not base64 is the caller's: the text travels as it is passed. */
function hasOtherEncoding(schema: JsonSchema | boolean): boolean {
  return (
    typeof schema === "object" &&
    schema["contentEncoding"] !== undefined &&
    !isEncodedSchema(schema)
  );
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
