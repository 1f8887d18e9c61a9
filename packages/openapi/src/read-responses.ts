import { childLocation } from "./location.ts";
import type { Location } from "./location.ts";
import type { MediaDescription, ResponseDescription, SelfContainedSchema } from "./operation.ts";
import type { OperationReading } from "./operation-reading.ts";
import { readMedia } from "./read-body.ts";
import { isRecord, ownString } from "./record.ts";
import { fault } from "./resolve-reference.ts";
import { swaggerMediaTypes } from "./swagger-body.ts";

/** The responses of an operation. A broken one is left undescribed, with a warning. */
export function readResponses(reading: OperationReading): ResponseDescription[] {
  const declared = reading.member("responses");
  const responses: ResponseDescription[] = [];
  if (!isRecord(declared.value)) return responses;
  for (const key of Object.keys(declared.value)) {
    const status = statusOf(key);
    if (status === undefined) continue;
    try {
      const { description, media } = readResponse(childLocation(declared, key), reading);
      responses.push(
        description === undefined ? { status, media } : { status, description, media },
      );
    } catch (error) {
      reading.leaveOut(`The response ${status}`, error);
      responses.push({ status, media: [] });
    }
  }
  return responses;
}

/** `200`, `2XX` or `default`; undefined for a key that is none. */
function statusOf(key: string): string | undefined {
  if (/^[1-5](?:\d\d|xx)$/i.test(key)) return key.toUpperCase();
  return key === "default" ? key : undefined;
}

type Response = Omit<ResponseDescription, "status">;

function readResponse(declared: Location, reading: OperationReading): Response {
  const { context } = reading;
  const location = context.resolver.follow(declared);
  if (!isRecord(location.value)) throw fault(location, "the response is not an object");
  // What an operation produces in Swagger 2.0 is its own affair, so its responses are not shared.
  const isSwagger = context.version === "2.0" && location.value["content"] === undefined;
  const known = isSwagger ? undefined : context.responses.get(location.value);
  if (known !== undefined) return known;
  let whole = !isSwagger;
  const schemaAt = (schema: Location): SelfContainedSchema => {
    try {
      return context.schemas.schemaAt(schema, "response");
    } catch (error) {
      reading.leaveOut("The response's schema", error);
      whole = false;
      return unknown;
    }
  };
  const description = ownString(location.value, "description");
  const response: Response = {
    ...(description === undefined ? {} : { description }),
    media: isSwagger
      ? swaggerMedia(location, reading, schemaAt)
      : readMedia(location, context, schemaAt),
  };
  if (whole) context.responses.set(location.value, response);
  return response;
}

const unknown: SelfContainedSchema = { schema: true, defs: new Map() };

function swaggerMedia(
  location: Location,
  reading: OperationReading,
  schemaAt: (schema: Location) => SelfContainedSchema,
): MediaDescription[] {
  const declared = childLocation(location, "schema");
  if (declared.value === undefined || declared.value === null) return [];
  const produces = swaggerMediaTypes(reading, "produces");
  const types = produces.length === 0 ? ["application/json"] : produces;
  const schema = schemaAt(declared);
  return types.map((mediaType) => ({ mediaType, schema }));
}
