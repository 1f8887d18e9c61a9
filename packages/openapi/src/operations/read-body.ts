import { childLocation, withValue } from "../document/references/location.ts";
import type { Location } from "../document/references/location.ts";
import type { DocumentContext } from "./document-context.ts";
import { DanglingReference } from "../document/operation.ts";
import type {
  Encodings,
  MediaDescription,
  RequestBody,
  SelfContainedSchema,
} from "../document/operation.ts";
import { encodedHeaders, readEncodings } from "./read-encoding.ts";
import type { OperationReading } from "./operation-reading.ts";
import { isRecord, ownString, ownValue } from "../document/record.ts";
import { fault } from "../document/references/resolve-reference.ts";
import type { SchemaMode } from "../schema/property-access.ts";
import { ExhaustedBudget } from "../schema/step-budget.ts";
import { swaggerBody } from "./swagger-body.ts";

/**
 * The body of an operation's request. One that is broken and optional is left out with a warning: what the operation does
 * without it can still be called. Not of a deletion, which might delete more without it.
 *
 * @param legacyBody the body and form parameters of Swagger 2.0.
 * @throws {OperationError} the body itself is a reference that dangles; or it is required, and a schema is broken.
 */
export function readBody(
  reading: OperationReading,
  legacyBody: readonly Location[],
): RequestBody | undefined {
  const declared = reading.member("requestBody");
  const isLegacy = declared.value === undefined || declared.value === null;
  if (isLegacy && legacyBody.length === 0) return undefined;
  const location = isLegacy ? undefined : reading.context.resolver.follow(declared);
  if (location !== undefined && !isRecord(location.value)) {
    throw fault(location, "the request body is not an object");
  }
  try {
    return location === undefined
      ? swaggerBody(reading, legacyBody)
      : modernBody(reading, declared, location);
  } catch (error) {
    const parts = location === undefined ? legacyBody : [location];
    const isRequired = parts.some(({ value }) => ownValue(value, "required") === true);
    if (isRequired || error instanceof ExhaustedBudget) throw error;
    // It may say what is deleted.
    if (reading.found.method === "DELETE") throw error;
    reading.leaveOut("The body, which is optional,", error);
    return undefined;
  }
}

function modernBody(
  { context, found }: OperationReading,
  declared: Location,
  location: Location,
): RequestBody | undefined {
  const mode = requestMode(found.method, context);
  const media = readMedia(location, context, (schema) => context.schemas.schemaAt(schema, mode));
  if (media.length === 0) return undefined;
  const description =
    ownString(declared.value, "description") ?? ownString(location.value, "description");
  return {
    required: ownValue(location.value, "required") === true,
    ...(description === undefined ? {} : { description }),
    media,
  };
}

/** PUT replaces the resource as a whole (RFC 9110, section 9.3.4), with its read-only properties since OpenAPI 3.1. */
function requestMode(method: string, { version }: DocumentContext): SchemaMode {
  return method === "PUT" && (version === "3.1" || version === "3.2") ? "replacement" : "request";
}

/**
 * The media types under `content`, in order of declaration.
 *
 * @param schemaAt what becomes of each schema.
 */
export function readMedia(
  owner: Location,
  context: DocumentContext,
  schemaAt: (location: Location) => SelfContainedSchema,
): MediaDescription[] {
  const content = childLocation(owner, "content");
  if (!isRecord(content.value)) return [];
  return Object.keys(content.value).map((mediaType) => {
    const location = mediaTypeAt(childLocation(content, mediaType), context);
    const encodings = readEncodings(location, context);
    const hasItems = ownValue(location.value, "itemSchema") !== undefined;
    return {
      mediaType,
      schema: withHeaders(schemaAt(childLocation(location, "schema")), encodings),
      ...encodings,
      ...(hasItems ? { itemSchema: schemaAt(childLocation(location, "itemSchema")) } : {}),
    };
  });
}

/** A media type, references followed; one that leads nowhere says nothing of the content. */
export function mediaTypeAt(declared: Location, context: DocumentContext): Location {
  try {
    return context.resolver.follow(declared);
  } catch (error) {
    if (!(error instanceof DanglingReference)) throw error;
    context.reportDangling(error, "any value is accepted there");
    return withValue(declared, {});
  }
}

/** What the schemas of the parts' headers refer to stands among the definitions of the body. */
function withHeaders(schema: SelfContainedSchema, encodings: Encodings): SelfContainedSchema {
  const headers = encodedHeaders(encodings).map((header) => header.schema);
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
