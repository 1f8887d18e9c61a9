import { ToolError, type Awaitable } from "@toolweave/core";

/** The `ToolError` that `work` ends in, thrown or rejected; anything else fails the test. */
export async function failure(work: () => Awaitable<unknown>): Promise<ToolError> {
  try {
    await work();
  } catch (error) {
    if (ToolError.is(error)) return error;
    throw error;
  }
  throw new Error("It did not fail.");
}
