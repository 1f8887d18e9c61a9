import type { JsonSchema } from "@toolweave/core";
import {
  getMediaTypeName,
  isJsonMediaType,
  isTextMediaType,
  stringifyExact,
} from "@toolweave/core/adapter";
import type { BodyFile, BodyWriter } from "./body-writer.ts";
import {
  toBase64Schema,
  toEncodedBody,
  toBodyFile,
  isBinarySchema,
  isEncodedSchema,
  isFileValue,
  getTypeInRanges,
} from "./binary-content.ts";
import { createArtifactFiller, containsBytes, mayContainArtifact } from "./artifact-body-fields.ts";
import { toEncodedBytesSchema, toFileTextSchema, toJsonArgumentSchema } from "./body-schemas.ts";
import { createFormWriter, toFormSchema } from "./form-body.ts";
import { isBinaryMediaType, isInRange } from "../document/media-type.ts";
import {
  hasFileParts,
  hasParts,
  toMultipartSchema,
  createMultipartWriter,
} from "./multipart-body.ts";
import { toJsonPatchSchema, getPatchPenalty } from "./select-media-types.ts";
import { getItemWriter, toSequenceText } from "./sequence-body.ts";
import { isRawMultipart, toRawMultipartType } from "./unnamed-part.ts";
import { toText } from "../parameters/style-writer.ts";
import { getTextEncoding } from "./text-charset.ts";
import type { FieldArgument } from "../parameters/unrepresentable.ts";
import type { MediaDescription } from "../document/operation.ts";
import {
  getSchemaTypes,
  mayBe,
  resolveSchema,
  toAlternatives,
  toPlainSchema,
} from "../schema/resolve-schema.ts";
import { isUnconstrained } from "../schema/schema-keywords.ts";

/** The conversion between an argument and the bodies of some media types. */
interface BodyFormat {
  /** Priority: of several formats the one with the lowest rank is chosen. */
  readonly rank: number;
  accepts(media: MediaDescription): boolean;
  /** Returns false if no value that the schema allows can be written. Default: true. */
  canWrite?(media: MediaDescription): boolean;
  /** The schema that the model sees; `undefined`: that of the document. It refers to the same definitions. */
  argumentSchema?(media: MediaDescription): JsonSchema | boolean;
  /**
   * @param argument the argument's name, for errors.
   * @param toArgument returns the name of a field of the body in errors. Default: the field's name.
   */
  writer(media: MediaDescription, argument: string, toArgument?: FieldArgument): BodyWriter;
}

const json: BodyFormat = {
  rank: 0,
  accepts: (media) =>
    !isBytes(media) &&
    (isJsonMediaType(media.mediaType) ||
      (isAnyType(media) && !(isText(media) && isInRange("text/plain", media.mediaType)))),
  argumentSchema: (media) => toJsonPatchSchema(media) ?? toJsonArgumentSchema(media),
  writer(media, argument, toArgument) {
    const contentType = media.mediaType.includes("*") ? "application/json" : media.mediaType;
    const fill = createArtifactFiller(media.schema, toArgument);
    return (value, files) => {
      const body = stringifyExact(value);
      return {
        contentType,
        body: mayContainArtifact(body) ? stringifyExact(fill(value, files, argument)) : body,
      };
    };
  },
};

const form: BodyFormat = {
  rank: 1,
  accepts: (media) => getMediaTypeName(media.mediaType) === "application/x-www-form-urlencoded",
  // The body has named fields; a string is an already encoded form.
  canWrite: ({ schema: { schema, defs } }) => mayBe(schema, defs, ["object", "string"]),
  argumentSchema: (media) => toFormSchema(media.schema.schema, media),
  writer: createFormWriter,
};

const multipart: BodyFormat = {
  rank: 2,
  accepts: (media) =>
    getMediaTypeName(media.mediaType).startsWith("multipart/") && !isRawMultipart(media),
  canWrite: hasParts,
  argumentSchema: (media) => toFormSchema(toMultipartSchema(media), media),
  writer: createMultipartWriter,
};

const sequence: BodyFormat = {
  rank: 3,
  accepts: (media) =>
    getItemWriter(media) !== undefined && (media.itemSchema !== undefined || isList(media)),
  argumentSchema: ({ schema, itemSchema }) =>
    itemSchema === undefined
      ? schema.schema
      : { type: "array", items: itemSchema.schema as JsonSchema },
  writer(media, argument) {
    const { mediaType } = media;
    const write = getItemWriter(media) as NonNullable<ReturnType<typeof getItemWriter>>;
    const { schema, itemSchema } = media;
    const fill = createArtifactFiller(
      itemSchema === undefined
        ? schema
        : {
            schema: { type: "array", items: itemSchema.schema as JsonSchema },
            defs: itemSchema.defs,
          },
    );
    return (value, files) => {
      const body = toSequenceText(value, argument, write);
      return {
        contentType: mediaType,
        body: mayContainArtifact(body)
          ? toSequenceText(fill(value, files, argument), argument, write)
          : body,
      };
    };
  },
};

/** Every JSON text is YAML (YAML 1.2, section 1.3): an object or a list is written as JSON. */
const yaml: BodyFormat = {
  rank: 4,
  accepts: ({ mediaType, schema: { schema, defs } }) =>
    /[/+.-]ya?ml$/.test(getMediaTypeName(mediaType)) &&
    !isUnconstrained(resolveSchema(schema, defs)) &&
    !mayBe(schema, defs, ["string"]),
  argumentSchema: toJsonArgumentSchema,
  writer: json.writer,
};

/** Objects and lists under a type that names no format: only JSON can be meant, under the declared type. */
const structure: BodyFormat = {
  rank: 4,
  accepts: ({ mediaType, schema: { schema, defs } }) =>
    !isTextMediaType(mediaType) &&
    !isBinaryMediaType(mediaType) &&
    isStructure(toAlternatives(schema, defs)),
  argumentSchema: toJsonArgumentSchema,
  writer: json.writer,
};

const plainText: BodyFormat = {
  rank: 4,
  accepts: (media) =>
    isTextMediaType(media.mediaType) ||
    isRawMultipart(media) ||
    // A file of JSON: encoding it as a JSON string would make it another document.
    (isBytes(media) && isJsonMediaType(media.mediaType)) ||
    (isText(media) && !isBytes(media) && (isAnyType(media) || !isBinaryMediaType(media.mediaType))),
  argumentSchema(media) {
    const {
      schema: { schema, defs },
      mediaType,
    } = media;
    const resolved = toPlainSchema(schema, defs);
    const types = getSchemaTypes(resolved);
    if (isBytes(media)) return toFileTextSchema(resolved);
    if (isEncodedSchema(resolved)) return toEncodedBytesSchema(resolved as JsonSchema);
    if (types.length > 0 && types.every((type) => type !== "object" && type !== "array")) {
      return schema;
    }
    const about = typeof resolved === "object" ? resolved["description"] : undefined;
    const before = typeof about === "string" ? `${about}\n\n` : "";
    const name = getMediaTypeName(mediaType);
    const text = { type: "string", description: `${before}The body as ${name} text.` };
    // The model sees the fields and writes the text, because only the API defines the names and attributes of its XML.
    return mayBe(resolved, defs, ["object"]) && !isUnconstrained(resolved)
      ? { ...text, contentMediaType: name, contentSchema: schema }
      : text;
  },
  writer(media, argument) {
    const isRange = media.mediaType.includes("*");
    const usual = isJsonMediaType(media.mediaType) ? "application/json" : "text/plain";
    const contentType = isRange ? usual : media.mediaType;
    const encode = getTextEncoding(contentType);
    const schema = toPlainSchema(media.schema.schema, media.schema.defs);
    const isRaw = isRawMultipart(media);
    if (isBytes(media) || isRaw) {
      return (value, files) => {
        const body = isFileValue(value)
          ? toBodyFile(value, argument, files).bytes
          : encode(toText(value), argument);
        return {
          contentType: isRaw ? toRawMultipartType(contentType, body, argument) : contentType,
          body,
        };
      };
    }
    if (typeof schema === "object" && isEncodedSchema(schema)) {
      return (value, files) => ({
        contentType,
        body: encode(toEncodedBody(value, schema, argument, files).text, argument),
      });
    }
    return (value) => ({ contentType, body: encode(toText(value), argument) });
  },
};

const bytes: BodyFormat = {
  rank: 5,
  accepts: () => true,
  argumentSchema({ schema: { schema, defs }, mediaType }) {
    const resolved = toPlainSchema(schema, defs);
    if (isEncodedSchema(resolved)) return toEncodedBytesSchema(resolved as JsonSchema);
    return hasOtherEncoding(resolved)
      ? schema
      : toBase64Schema(resolved, mediaType.includes("*") ? 2 : 1);
  },
  writer(media, argument) {
    const { mediaType } = media;
    const schema = toPlainSchema(media.schema.schema, media.schema.defs);
    const chooseType = mediaType.includes("*")
      ? (file: BodyFile) => getTypeInRanges([mediaType], file, argument)
      : () => mediaType;
    if (typeof schema === "object" && isEncodedSchema(schema)) {
      return (value, files) => {
        const { text, file } = toEncodedBody(value, schema, argument, files);
        return { contentType: chooseType(file), body: text };
      };
    }
    if (hasOtherEncoding(schema)) {
      const encode = getTextEncoding(mediaType);
      return (value) => ({
        contentType: mediaType,
        body: encode(toText(value), argument),
      });
    }
    return (value, files) => {
      const file = toBodyFile(value, argument, files);
      return { contentType: chooseType(file), body: file.bytes };
    };
  },
};

/** In order of precedence: the first format that accepts a media type is used. */
const bodyFormats: readonly BodyFormat[] = [
  json,
  form,
  multipart,
  sequence,
  yaml,
  structure,
  plainText,
  bytes,
];

/** The media type of a body, and its format. */
export interface ChosenBody {
  readonly media: MediaDescription;
  readonly format: BodyFormat;
}

/**
 * Chooses among the media types of a body: JSON, then forms, multipart, lines, text, bytes; in the document's order
 * within a kind; `application/json` before other JSON. Types that do not match the schema come last (a JSON Patch that
 * is an object), as do patches in YAML and CBOR. If the schema contains bytes, JSON and forms come after multipart,
 * which can carry them. `undefined` if no value can be written in any of them.
 */
export function chooseBody(media: readonly MediaDescription[]): ChosenBody | undefined {
  let chosen: ChosenBody | undefined;
  let best = Infinity;
  for (const one of media) {
    const format = findFormat(one);
    if (format === undefined) continue;
    const name = getMediaTypeName(one.mediaType);
    let rank = format.rank + (name.includes("*") ? 0.6 : name === "application/json" ? 0 : 0.3);
    if (media.length > 1) {
      rank += getPatchPenalty(one);
      // Bytes that may be JSON are treated as bytes.
      if (format === plainText && isJsonMediaType(name)) rank += 2;
      if (!hasBytes(format) && containsBytes(one.schema.schema, one.schema.defs)) {
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

/** Ranks JSON after multipart, and before all other formats. */
const afterMultipart = 2.5;

/**
 * Returns the other media types of a body that can carry what the chosen one cannot: files beside JSON or a form, bytes
 * of another type. The model chooses among them; at most 20.
 */
export function findOtherBodies(
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
    const format = findFormat(one);
    if (format === undefined) continue;
    const other = { media: one, format };
    const hasFiles = format === multipart ? !isFile && hasFileParts(one) : isFileBody(other);
    if (hasFiles && getPatchPenalty(one) === 0) others.push(other);
  }
  return others;
}

const maxOthers = 20;

function findFormat(media: MediaDescription): BodyFormat | undefined {
  const format = bodyFormats.find((candidate) => candidate.accepts(media));
  return format?.canWrite?.(media) === false ? undefined : format;
}

function hasBytes(format: BodyFormat): boolean {
  return format === multipart || format === plainText || format === bytes;
}

/** Returns true for a body that is one file: bytes, or a text that the document declares as binary. */
export function isFileBody({ media, format }: ChosenBody): boolean {
  if (format === plainText) return isBytes(media);
  if (format !== bytes) return false;
  const { schema, defs } = media.schema;
  const resolved = toPlainSchema(schema, defs);
  if (typeof resolved === "boolean") return isBinaryMediaType(media.mediaType);
  const structural = ["properties", "items", "allOf", "anyOf", "oneOf", "$ref"];
  return (
    !structural.some((keyword) => resolved[keyword] !== undefined) &&
    mayBe(resolved, defs, ["string"])
  );
}

/** Returns true for an encoding other than base64: the caller encodes the text, and it is sent as passed. */
function hasOtherEncoding(schema: JsonSchema | boolean): boolean {
  return (
    typeof schema === "object" &&
    schema["contentEncoding"] !== undefined &&
    !isEncodedSchema(schema)
  );
}

function isAnyType({ mediaType }: MediaDescription): boolean {
  const name = getMediaTypeName(mediaType);
  return name === "*/*" || name === "application/*";
}

function isText({ schema: { schema, defs } }: MediaDescription): boolean {
  const alternatives = toAlternatives(schema, defs);
  return (
    alternatives.length > 0 && alternatives.every((one) => getSchemaTypes(one).join() === "string")
  );
}

/** Returns true if every value is an object, a list, a number or a boolean. */
function isStructure(alternatives: readonly JsonSchema[]): boolean {
  return (
    alternatives.length > 0 &&
    alternatives.every((one) => {
      const types = getSchemaTypes(one);
      return types.length === 0 ? one["properties"] !== undefined : !types.includes("string");
    })
  );
}

function isBytes({ schema: { schema, defs } }: MediaDescription): boolean {
  return isBinarySchema(schema, defs);
}

function isList({ schema: { schema, defs } }: MediaDescription): boolean {
  return toAlternatives(schema, defs).some((one) => getSchemaTypes(one).includes("array"));
}
