import { ToolError } from "@toolweave/core";

/** The error of a call that cannot be carried out. */
export function failure(text: string): ToolError {
  return new ToolError("execution_failed", text);
}
