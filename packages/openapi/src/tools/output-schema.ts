import type { JsonSchema } from "@toolweave/core";
import { isItemMediaType, isJsonMediaType } from "../document/media-type.ts";
import { resolveSchema, schemaTypes } from "../schema/resolve-schema.ts";
import type {
  MediaDescription,
  OperationDetails,
  ResponseDescription,
  SelfContainedSchema,
} from "../document/operation.ts";

/**
 * The schema of what the operation answers when all is well: that of a success response that is JSON, or the list of
 * the items of one that comes item by item (OpenAPI 3.2, section 4.14.3). Where it may be several, one of them.
 */
export function outputSchema(details: OperationDetails): SelfContainedSchema | undefined {
  let all: SelfContainedSchema | undefined;
  for (const { media } of successResponses(details)) {
    const streamed = media.find(({ mediaType }) => isItemMediaType(mediaType));
    const json = media.find((one) => one !== streamed && isJsonMediaType(one.mediaType))?.schema;
    if (json === undefined && streamed === undefined) continue;
    const one = ofResponse(json, streamed);
    if (one === undefined || one.schema === true) return undefined;
    all = all === undefined || all.schema === one.schema ? one : either(all, one);
  }
  return all;
}

/** Nothing where it may be anything. */
function ofResponse(
  json: SelfContainedSchema | undefined,
  streamed: MediaDescription | undefined,
): SelfContainedSchema | undefined {
  if (streamed === undefined || json?.schema === true) return json;
  const list = toList(streamed);
  return json === undefined ? list : either(json, list ?? anyList);
}

const anyList: SelfContainedSchema = { schema: { type: "array" }, defs: new Map() };

/** `schema` is of the whole, as a list of its items; where older documents mean one item, it is no list. */
function toList({ itemSchema, schema }: MediaDescription): SelfContainedSchema | undefined {
  if (itemSchema !== undefined) {
    const { schema: items, defs, cleaned = false } = itemSchema;
    return { schema: { type: "array", items: items as JsonSchema }, defs, cleaned };
  }
  return schemaTypes(resolveSchema(schema.schema, schema.defs)).includes("array")
    ? schema
    : undefined;
}

function either(a: SelfContainedSchema, b: SelfContainedSchema): SelfContainedSchema {
  return {
    schema: { anyOf: [a.schema as JsonSchema, b.schema as JsonSchema] },
    defs: new Map([...a.defs, ...b.defs]),
    cleaned: a.cleaned === true || b.cleaned === true,
  };
}

/** The media types that success can have, each once. */
export function successMedia(details: OperationDetails): readonly MediaDescription[] {
  return successResponses(details).flatMap(({ media }) => media);
}

/** `200` before other 2xx codes before `2XX`; `default` speaks of success only when nothing else does. */
function successResponses({ responses }: OperationDetails): readonly ResponseDescription[] {
  const success = responses.filter(({ status }) => /^2(?:\d\d|xx)$/i.test(status));
  if (success.length === 0) return responses.filter(({ status }) => status === "default");
  return success.toSorted((a, b) => (a.status.toLowerCase() < b.status.toLowerCase() ? -1 : 1));
}
