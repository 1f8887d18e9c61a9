import { ToolError } from "@toolweave/core";

/** The error that `work` throws. */
export function failure(work: () => unknown): ToolError {
  try {
    work();
  } catch (error) {
    if (ToolError.is(error)) return error;
    throw error;
  }
  throw new Error("It did not fail.");
}
