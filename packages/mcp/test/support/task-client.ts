import type { Client } from "@modelcontextprotocol/client";
import type { JsonObject } from "@toolweave/core";

/** What a client that knows the tasks extension of 2026-07-28 says of itself. */
export const knowingTasks: JsonObject = { extensions: { "io.modelcontextprotocol/tasks": {} } };

const anything = {
  "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) },
} as const;

/** One request of a client as it is, and its result as it comes. */
export async function requestOf(
  client: Client,
  method: string,
  params: JsonObject,
): Promise<JsonObject> {
  return (await client.request({ method, params } as never, anything as never)) as JsonObject;
}
