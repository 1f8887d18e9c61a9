import { isJsonMediaType } from "../request/media-type.ts";
import type {
  MediaDescription,
  OperationDetails,
  ResponseDescription,
  SelfContainedSchema,
} from "../document/operation.ts";

/** The schema of what the operation answers when all is well: the first success response that is JSON. */
export function outputSchema(details: OperationDetails): SelfContainedSchema | undefined {
  for (const { media } of successResponses(details)) {
    const json = media.find(({ mediaType }) => isJsonMediaType(mediaType));
    if (json !== undefined) {
      return json.schema.schema === true ? undefined : json.schema;
    }
  }
  return undefined;
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
