import { ToolError, type Awaitable } from "@toolweave/core";

/** The `ToolError` of `work`, thrown or rejected; any other result fails the test. */
export async function catchToolError(work: () => Awaitable<unknown>): Promise<ToolError> {
  try {
    await work();
  } catch (error) {
    if (ToolError.is(error)) return error;
    throw error;
  }
  throw new Error("It did not fail.");
}
