import type { JsonObject } from "@toolweave/core";
import { getChild } from "../document/references/location.ts";
import type { Location } from "../document/references/location.ts";
import {
  OperationError,
  type MediaDescription,
  type ResponseDescription,
  type SelfContainedSchema,
} from "../document/operation.ts";
import type { OperationReading } from "./operation-reading.ts";
import { readMedia } from "./read-body.ts";
import { isRecord } from "../document/record.ts";
import { referenceError } from "../document/references/resolve-reference.ts";
import { readSwaggerMediaTypes } from "./swagger.ts";

/**
 * Reads the responses of an operation. The contents of a response are read on demand: most responses are errors, whose
 * contents are never needed. An invalid response has no media types, with a warning.
 */
export function readResponses(reading: OperationReading): ResponseDescription[] {
  let declared = reading.getMember("responses");
  try {
    declared = reading.context.container(declared);
  } catch (error) {
    reading.warnOfOmission("The list of responses", error);
    return [];
  }
  const responses: ResponseDescription[] = [];
  if (!isRecord(declared.value)) return responses;
  for (const key of Object.keys(declared.value)) {
    const status = readStatus(key);
    if (status === undefined) continue;
    responses.push(new DeclaredResponse(status, getChild(declared, key), reading));
  }
  return responses;
}

class DeclaredResponse implements ResponseDescription {
  readonly status: string;
  readonly #at: Location;
  readonly #reading: OperationReading;
  #media: readonly MediaDescription[] | undefined;
  #headers: readonly string[] | undefined;
  #links: ReadonlyMap<string, JsonObject> | undefined;

  constructor(status: string, at: Location, reading: OperationReading) {
    this.status = status;
    this.#at = at;
    this.#reading = reading;
  }

  get media(): readonly MediaDescription[] {
    return (this.#media ??= readMediaTypes(this.#at, this.status, this.#reading));
  }

  get headers(): readonly string[] {
    return (this.#headers ??= readHeaders(this.#at, this.#reading));
  }

  get links(): ReadonlyMap<string, JsonObject> {
    return (this.#links ??= readLinks(this.#at, this.#reading));
  }
}

/** Normalizes a status to `200`, `2XX` or `default`; undefined for an invalid key. */
function readStatus(key: string): string | undefined {
  if (/^[1-5](?:\d\d|xx)$/i.test(key)) return key.toUpperCase();
  return key === "default" ? key : undefined;
}

function readMediaTypes(
  declared: Location,
  status: string,
  reading: OperationReading,
): readonly MediaDescription[] {
  reading.context.schemas.budget.renew();
  try {
    return readResponse(declared, reading);
  } catch (error) {
    reading.warnOfOmission(`The response ${status}`, error);
    return [];
  }
}

function readResponse(declared: Location, reading: OperationReading): readonly MediaDescription[] {
  const { context } = reading;
  const location = context.resolver.follow(declared);
  if (!isRecord(location.value)) throw referenceError(location, "the response is not an object");
  // In Swagger 2.0, media types are declared by the operation (`produces`), so its responses are not shared.
  const isSwagger = context.version === "2.0" && location.value["content"] === undefined;
  const known = isSwagger ? undefined : context.responses.get(location.value);
  if (known !== undefined) return known;
  let whole = !isSwagger;
  const schemaAt = (schema: Location): SelfContainedSchema => {
    try {
      const read = context.schemas.getSchema(schema, "response");
      reading.warnOfDangling(read);
      return read;
    } catch (error) {
      reading.warnOfOmission("The response's schema", error);
      whole = false;
      return unknown;
    }
  };
  const media = isSwagger
    ? swaggerMedia(location, reading, schemaAt)
    : readMedia(location, context, schemaAt);
  if (whole) context.responses.set(location.value, media);
  return media;
}

/** Returns no headers for an invalid response: the error is reported with its media types. */
function readHeaders(declared: Location, reading: OperationReading): readonly string[] {
  return readMembers(declared, "headers", reading).map(([name]) => name.toLowerCase());
}

function readLinks(declared: Location, reading: OperationReading): ReadonlyMap<string, JsonObject> {
  const links = new Map<string, JsonObject>();
  for (const [name, location] of readMembers(declared, "links", reading)) {
    try {
      const { value } = reading.context.resolver.follow(location);
      if (isRecord(value)) links.set(name, value as JsonObject);
    } catch (error) {
      reading.warnOfOmission(`The link ${name}`, error);
    }
  }
  return links;
}

function readMembers(
  declared: Location,
  member: string,
  { context }: OperationReading,
): (readonly [string, Location])[] {
  try {
    const parent = getChild(context.resolver.follow(declared), member);
    if (!isRecord(parent.value)) return [];
    return Object.keys(parent.value).map((name) => [name, getChild(parent, name)] as const);
  } catch (error) {
    if (error instanceof OperationError) return [];
    throw error;
  }
}

const unknown: SelfContainedSchema = { schema: true, defs: new Map() };

function swaggerMedia(
  location: Location,
  reading: OperationReading,
  schemaAt: (schema: Location) => SelfContainedSchema,
): MediaDescription[] {
  const declared = getChild(location, "schema");
  if (declared.value === undefined || declared.value === null) return [];
  const produces = readSwaggerMediaTypes(reading, "produces");
  const types = produces.length === 0 ? ["application/json"] : produces;
  const schema = schemaAt(declared);
  return types.map((mediaType) => ({ mediaType, schema }));
}
