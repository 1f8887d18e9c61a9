import { ToolError, type JsonObject, type Tool } from "@toolweave/core";
import fc from "fast-check";
import type { RecordingServer, Recorded } from "../recording-server.ts";
import { toolContext } from "../tool-context.ts";

/** What a server got, or why it got nothing. Any other failure is one of the test. */
export async function sentOrRefused(
  tool: Tool,
  args: JsonObject,
  server: RecordingServer,
): Promise<Recorded | ToolError> {
  server.requests.length = 0;
  try {
    await tool.invoke(args, toolContext());
  } catch (error) {
    const isRefusal = error instanceof ToolError && error.code === "invalid_arguments";
    if (isRefusal && server.requests.length === 0) return error;
    throw error;
  }
  return server.last;
}

/** Runs a property. Says what it fails for, with the seed that plays it again; `undefined`: nothing. */
export async function failureOf<T>(
  property: fc.IAsyncProperty<T>,
  settings: fc.Parameters<T>,
): Promise<string | undefined> {
  return (await fc.asyncDefaultReportMessage(await fc.check(property, settings))) ?? undefined;
}
