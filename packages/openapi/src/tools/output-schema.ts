import type { JsonSchema } from "@toolweave/core";
import { isJsonMediaType } from "@toolweave/core/adapter";
import { isItemMediaType } from "../document/media-type.ts";
import { resolveSchema, getSchemaTypes } from "../schema/resolve-schema.ts";
import type {
  MediaDescription,
  OperationDetails,
  ResponseDescription,
  SelfContainedSchema,
} from "../document/operation.ts";

/**
 * Returns the schema of a successful result: that of a JSON response, or a list of the items of a streamed one (OpenAPI
 * 3.2, section 4.14.3). If there are several, one of them.
 */
export function toOutputSchema(details: OperationDetails): SelfContainedSchema | undefined {
  let all: SelfContainedSchema | undefined;
  for (const { media } of getSuccessResponses(details)) {
    const streamed = media.find(({ mediaType }) => isItemMediaType(mediaType));
    const json = media.find((one) => one !== streamed && isJsonMediaType(one.mediaType))?.schema;
    if (json === undefined && streamed === undefined) continue;
    const one = toResponseSchema(json, streamed);
    if (one === undefined || one.schema === true) return undefined;
    all = all === undefined || all.schema === one.schema ? one : anyOfBoth(all, one);
  }
  return all;
}

/** Returns nothing if any value is possible. */
function toResponseSchema(
  json: SelfContainedSchema | undefined,
  streamed: MediaDescription | undefined,
): SelfContainedSchema | undefined {
  if (streamed === undefined || json?.schema === true) return json;
  const list = toListSchema(streamed);
  return json === undefined ? list : anyOfBoth(json, list ?? anyList);
}

const anyList: SelfContainedSchema = { schema: { type: "array" }, defs: new Map() };

/** Returns the schema of the list of items; in older documents `schema` may describe one item, which is not a list. */
function toListSchema({ itemSchema, schema }: MediaDescription): SelfContainedSchema | undefined {
  if (itemSchema !== undefined) {
    const { schema: items, defs, cleaned = false } = itemSchema;
    return { schema: { type: "array", items: items as JsonSchema }, defs, cleaned };
  }
  return getSchemaTypes(resolveSchema(schema.schema, schema.defs)).includes("array")
    ? schema
    : undefined;
}

function anyOfBoth(a: SelfContainedSchema, b: SelfContainedSchema): SelfContainedSchema {
  return {
    schema: { anyOf: [a.schema as JsonSchema, b.schema as JsonSchema] },
    defs: new Map([...a.defs, ...b.defs]),
    cleaned: a.cleaned === true || b.cleaned === true,
  };
}

/** Returns the media types of success responses. */
export function getSuccessMedia(details: OperationDetails): readonly MediaDescription[] {
  return getSuccessResponses(details).flatMap(({ media }) => media);
}

/** Returns `200` before other 2xx codes before `2XX`; `default` counts as success only if there is no other one. */
function getSuccessResponses({ responses }: OperationDetails): readonly ResponseDescription[] {
  const success = responses.filter(({ status }) => /^2(?:\d\d|xx)$/i.test(status));
  if (success.length === 0) return responses.filter(({ status }) => status === "default");
  return success.toSorted((a, b) => (a.status.toLowerCase() < b.status.toLowerCase() ? -1 : 1));
}
