import { ToolError, type JsonObject, type Tool } from "@toolweave/core";
import fc from "fast-check";
import type { RecordingServer, Recorded } from "@toolweave/test-support/recording-server";
import { toolContext } from "../tool-context.ts";

/**
 * The received request of a server, or the reason why it received none. Any other failure is one of
 * the test.
 */
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

/** Runs a property. Returns its failure, with the seed to repeat it; `undefined`: none. */
export async function catchFailure<T>(
  property: fc.IAsyncProperty<T>,
  settings: fc.Parameters<T>,
): Promise<string | undefined> {
  return (await fc.asyncDefaultReportMessage(await fc.check(property, settings))) ?? undefined;
}
