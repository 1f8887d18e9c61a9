import type { JsonObject, JsonValue } from "@toolweave/core";
import { onlyDetails, standalone } from "../../support/open-documents.ts";

/** A schema of a request body after translation, with its definitions. */
export async function request(
  version: string,
  schema: JsonValue,
  schemas: JsonObject = {},
): Promise<unknown> {
  const { body } = await onlyDetails(
    version,
    { requestBody: { content: { "application/json": { schema } } } },
    { components: { schemas } },
  );
  const [media] = body?.media ?? [];
  return media === undefined ? undefined : standalone(media.schema);
}

/** A schema of a response after translation, with its definitions. */
export async function response(
  version: string,
  schema: JsonValue,
  schemas: JsonObject = {},
): Promise<unknown> {
  const { responses } = await onlyDetails(
    version,
    { responses: { 200: { content: { "application/json": { schema } } } } },
    { components: { schemas } },
  );
  const [media] = responses[0]?.media ?? [];
  return media === undefined ? undefined : standalone(media.schema);
}
