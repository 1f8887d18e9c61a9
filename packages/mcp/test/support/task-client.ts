import type { Client } from "@modelcontextprotocol/client";
import type { JsonObject } from "@toolweave/core";

/** The declaration of a client that supports the tasks extension of 2026-07-28. */
export const knowingTasks: JsonObject = { extensions: { "io.modelcontextprotocol/tasks": {} } };

const anything = {
  "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) },
} as const;

/** One raw request of a client, and its raw result. */
export async function getRequest(
  client: Client,
  method: string,
  params: JsonObject,
): Promise<JsonObject> {
  return (await client.request({ method, params } as never, anything as never)) as JsonObject;
}
