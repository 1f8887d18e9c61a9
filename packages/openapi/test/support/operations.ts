import type { JsonSchema } from "@toolweave/core";
import type {
  Encodings,
  MediaDescription,
  OperationDetails,
  Parameter,
  RequestBody,
  SelfContainedSchema,
} from "../../src/document/operation.ts";

/** A schema with its definitions. */
export function createSchema(
  schema: JsonSchema | boolean = true,
  defs: Readonly<Record<string, JsonSchema>> = {},
): SelfContainedSchema {
  return { schema, defs: new Map(Object.entries(defs)) };
}

/** A parameter with the defaults of its location. */
export function parameter(given: Pick<Parameter, "name" | "in"> & Partial<Parameter>): Parameter {
  const style = given.style ?? (given.in === "path" || given.in === "header" ? "simple" : "form");
  return {
    required: given.in === "path",
    deprecated: false,
    style,
    explode: style === "form" || style === "cookie",
    allowReserved: false,
    schema: createSchema(),
    ...given,
  };
}

/** One media type of a body. */
export function media(
  mediaType: string,
  schema: JsonSchema | boolean = true,
  more: Encodings & { defs?: Readonly<Record<string, JsonSchema>> } = {},
): MediaDescription {
  const { defs, ...encodings } = more;
  return {
    mediaType,
    ...encodings,
    schema: createSchema(schema, defs),
  };
}

/** A body that is required unless it says otherwise. */
export function body(descriptions: readonly MediaDescription[], required = true): RequestBody {
  return { required, media: descriptions };
}

/** Details with nothing but the given fields. */
export function details(given: Partial<OperationDetails> = {}): OperationDetails {
  return { parameters: [], responses: [], security: [], servers: ["/"], ...given };
}
