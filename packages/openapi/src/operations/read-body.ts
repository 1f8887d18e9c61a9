import { getChild, withValue } from "../document/references/location.ts";
import type { Location } from "../document/references/location.ts";
import type { DocumentContext } from "./document-context.ts";
import { DanglingReference } from "../document/operation.ts";
import type {
  Encodings,
  MediaDescription,
  RequestBody,
  SelfContainedSchema,
} from "../document/operation.ts";
import { getHeaders, readEncodings } from "./read-encoding.ts";
import type { OperationReading } from "./operation-reading.ts";
import { isRecord, ownString, ownValue } from "../document/record.ts";
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
