import { getChild, withValue, getItems, type Location } from "../document/references/location.ts";
import type { DocumentContext } from "./document-context.ts";
import {
  DanglingReference,
  type Encodings,
  type MediaDescription,
  type RequestBody,
  type SelfContainedSchema,
  type Encoding,
  type Parameter,
  type ParameterStyle,
} from "../document/operation.ts";
import type { OperationReading } from "./operation-reading.ts";
import { isRecord, ownString, ownValue, setOwn } from "../document/record.ts";
import { referenceError } from "../document/references/resolve-reference.ts";
import type { SchemaMode } from "../schema/property-access.ts";
import { ExhaustedBudget } from "../schema/step-budget.ts";
import { readSwaggerBody } from "./swagger.ts";

/**
 * Reads the body of an operation's request. An invalid optional body is omitted with a warning: the operation can still
 * be called without it. This does not apply to DELETE, which might delete more without its body.
 *
 * @param legacyBody the body and form parameters of Swagger 2.0.
 * @throws {OperationError} the body itself is a dangling reference; or it is required, and a schema is invalid.
 */
export function readBody(
  reading: OperationReading,
  legacyBody: readonly Location[],
): RequestBody | undefined {
  const declared = reading.getMember("requestBody");
  const isLegacy = declared.value === undefined || declared.value === null;
  if (isLegacy && legacyBody.length === 0) return undefined;
  const location = isLegacy ? undefined : reading.context.resolver.follow(declared);
  if (location !== undefined && !isRecord(location.value)) {
    throw referenceError(location, "the request body is not an object");
  }
  try {
    return location === undefined
      ? readSwaggerBody(reading, legacyBody)
      : modernBody(reading, declared, location);
  } catch (error) {
    const parts = location === undefined ? legacyBody : [location];
    const isRequired = parts.some(({ value }) => ownValue(value, "required") === true);
    if (isRequired || error instanceof ExhaustedBudget) throw error;
    // The body may restrict what is deleted.
    if (reading.found.method === "DELETE") throw error;
    reading.warnOfOmission("The optional body", error);
    return undefined;
  }
}

function modernBody(
  { context, found }: OperationReading,
  declared: Location,
  location: Location,
): RequestBody | undefined {
  const mode = requestMode(found.method, context);
  const media = readMedia(location, context, (schema) => context.schemas.getSchema(schema, mode));
  if (media.length === 0) return undefined;
  const description =
    ownString(declared.value, "description") ?? ownString(location.value, "description");
  return {
    required: ownValue(location.value, "required") === true,
    ...(description === undefined ? {} : { description }),
    media,
  };
}

/** PUT replaces the whole resource (RFC 9110, section 9.3.4), including its read-only properties since OpenAPI 3.1. */
function requestMode(method: string, { version }: DocumentContext): SchemaMode {
  return method === "PUT" && (version === "3.1" || version === "3.2") ? "replacement" : "request";
}

/**
 * Reads the media types under `content`, in order of declaration.
 *
 * @param schemaAt reads and translates a schema.
 */
export function readMedia(
  owner: Location,
  context: DocumentContext,
  schemaAt: (location: Location) => SelfContainedSchema,
): MediaDescription[] {
  const content = getChild(owner, "content");
  if (!isRecord(content.value)) return [];
  return Object.keys(content.value).map((mediaType) => {
    const location = mediaTypeAt(getChild(content, mediaType), context);
    const encodings = readEncodings(location, context);
    const hasItems = ownValue(location.value, "itemSchema") !== undefined;
    return {
      mediaType,
      schema: withHeaders(schemaAt(getChild(location, "schema")), encodings),
      ...encodings,
      ...(hasItems ? { itemSchema: schemaAt(getChild(location, "itemSchema")) } : {}),
    };
  });
}

/** Returns a media type with references resolved; one that points to nothing has no constraints. */
export function mediaTypeAt(declared: Location, context: DocumentContext): Location {
  try {
    return context.resolver.follow(declared);
  } catch (error) {
    if (!(error instanceof DanglingReference)) throw error;
    context.reportDangling(error, "any value is accepted there");
    return withValue(declared, {});
  }
}

/** Adds the definitions of the parts' headers to those of the body. */
function withHeaders(schema: SelfContainedSchema, encodings: Encodings): SelfContainedSchema {
  const headers = getHeaders(encodings).map((header) => header.schema);
  const defs = headers.flatMap((header) => [...header.defs]);
  const all = [schema, ...headers];
  const dangling = all.flatMap((one) => one.dangling ?? []);
  if (defs.length === 0 && dangling.length === (schema.dangling ?? []).length) return schema;
  return {
    schema: schema.schema,
    defs: new Map([...schema.defs, ...defs]),
    cleaned: all.some(({ cleaned }) => cleaned === true),
    endless: schema.endless === true,
    dangling,
  };
}

// The writer of a part sets them: its type is `contentType`, its name that of the property (OpenAPI 3.2, "Encoding
// Object").
const partHeaders: ReadonlySet<string> = new Set(["content-type", "content-disposition"]);

const styles: readonly ParameterStyle[] = ["form", "spaceDelimited", "pipeDelimited", "deepObject"];

const deepest = 4;

/**
 * Reads the encodings of a media type, or of a part that consists of parts; nested at most four deep.
 *
 * @throws {OperationError} a schema is invalid.
 */
export function readEncodings(owner: Location, context: DocumentContext, depth = 0): Encodings {
  if (depth === deepest || !isRecord(owner.value)) return {};
  const { encoding, prefixEncoding, itemEncoding } = owner.value;
  return {
    ...(isRecord(encoding)
      ? { encoding: readEncodingsByName(getChild(owner, "encoding"), context, depth) }
      : {}),
    ...(Array.isArray(prefixEncoding)
      ? {
          prefixEncoding: getItems(getChild(owner, "prefixEncoding")).map((item) =>
            readEncoding(item, context, depth),
          ),
        }
      : {}),
    ...(isRecord(itemEncoding)
      ? { itemEncoding: readEncoding(getChild(owner, "itemEncoding"), context, depth) }
      : {}),
  };
}

function readEncodingsByName(
  owner: Location,
  context: DocumentContext,
  depth: number,
): Readonly<Record<string, Encoding>> {
  const encodings: Record<string, Encoding> = {};
  for (const name of Object.keys(owner.value as object)) {
    setOwn(encodings, name, readEncoding(getChild(owner, name), context, depth));
  }
  return encodings;
}

function readEncoding(location: Location, context: DocumentContext, depth: number): Encoding {
  const { value } = location;
  if (!isRecord(value)) return {};
  const contentType = ownString(value, "contentType");
  const style = styles.find((one) => one === value["style"]);
  const { explode, allowReserved } = value;
  const headers = readHeaders(getChild(location, "headers"), context);
  return {
    ...(contentType === undefined ? {} : { contentType }),
    ...(headers.length === 0 ? {} : { headers }),
    ...(style === undefined ? {} : { style }),
    ...(typeof explode === "boolean" ? { explode } : {}),
    ...(typeof allowReserved === "boolean" ? { allowReserved } : {}),
    ...readEncodings(location, context, depth + 1),
  };
}

function readHeaders(owner: Location, context: DocumentContext): readonly Parameter[] {
  if (!isRecord(owner.value)) return [];
  return Object.keys(owner.value)
    .filter((name) => !partHeaders.has(name.toLowerCase()))
    .flatMap((name) => {
      try {
        return readHeader(name, context.resolver.follow(getChild(owner, name)), context);
      } catch (error) {
        if (!(error instanceof DanglingReference)) throw error;
        context.reportDangling(error, `the header ${JSON.stringify(name)} is omitted`);
        return [];
      }
    });
}

/** Reads a Header Object: a parameter whose name and location are implied (OpenAPI 3.2, "Header Object"). */
function readHeader(
  name: string,
  location: Location,
  { schemas, resolver }: DocumentContext,
): Parameter {
  const { value } = location;
  const description = ownString(value, "description");
  const content = getChild(location, "content");
  const [mediaType] = isRecord(content.value) ? Object.keys(content.value) : [];
  const owner = mediaType === undefined ? location : resolver.follow(getChild(content, mediaType));
  return {
    name,
    in: "header",
    required: ownValue(value, "required") === true,
    ...(description === undefined ? {} : { description }),
    deprecated: ownValue(value, "deprecated") === true,
    style: "simple",
    explode: ownValue(value, "explode") === true,
    allowReserved: false,
    ...(mediaType === undefined ? {} : { mediaType }),
    schema: schemas.getSchema(getChild(owner, "schema"), "request"),
  };
}

/** Returns all headers of the encodings, at any depth. */
function getHeaders({ encoding, prefixEncoding, itemEncoding }: Encodings): Parameter[] {
  const all = [
    ...Object.values(encoding ?? {}),
    ...(prefixEncoding ?? []),
    ...(itemEncoding === undefined ? [] : [itemEncoding]),
  ];
  return all.flatMap((one) => [...(one.headers ?? []), ...getHeaders(one)]);
}
