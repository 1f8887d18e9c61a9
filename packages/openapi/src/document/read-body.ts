import { childLocation } from "./location.ts";
import type { Location } from "./location.ts";
import type { DocumentContext } from "./document-context.ts";
import type { Encodings, MediaDescription, RequestBody, SelfContainedSchema } from "./operation.ts";
import { encodedHeaders, readEncodings } from "./read-encoding.ts";
import type { OperationReading } from "./operation-reading.ts";
import { isRecord, ownString, ownValue } from "./record.ts";
import { fault } from "./resolve-reference.ts";
import { swaggerBody } from "./swagger-body.ts";

/**
 * The body of an operation's request.
 *
 * @param legacyBody the body and form parameters of Swagger 2.0.
 * @throws {OperationError} a reference dangles, or a schema is broken.
 */
export function readBody(
  reading: OperationReading,
  legacyBody: readonly Location[],
): RequestBody | undefined {
  const declared = reading.member("requestBody");
  if (declared.value === undefined || declared.value === null) {
    return legacyBody.length === 0 ? undefined : swaggerBody(reading, legacyBody);
  }
  const { context } = reading;
  const location = context.resolver.follow(declared);
  if (!isRecord(location.value)) throw fault(location, "the request body is not an object");
  const media = readMedia(location, context, (schema) =>
    context.schemas.schemaAt(schema, "request"),
  );
  if (media.length === 0) return undefined;
  const description =
    ownString(declared.value, "description") ?? ownString(location.value, "description");
  return {
    required: location.value["required"] === true,
    ...(description === undefined ? {} : { description }),
    media,
  };
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
    const location = context.resolver.follow(childLocation(content, mediaType));
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

/** What the schemas of the parts' headers refer to stands among the definitions of the body. */
function withHeaders(schema: SelfContainedSchema, encodings: Encodings): SelfContainedSchema {
  const defs = encodedHeaders(encodings).flatMap((header) => [...header.schema.defs]);
  return defs.length === 0 ? schema : { ...schema, defs: new Map([...schema.defs, ...defs]) };
}
