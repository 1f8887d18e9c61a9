import { ToolError } from "../../contract/tool-error.ts";

/** Creates the error of an answer that cannot be used. */
export function approvalInvalid(message: string): ToolError {
  return new ToolError("approval_invalid", message);
}
