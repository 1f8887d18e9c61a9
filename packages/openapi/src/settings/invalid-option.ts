import { ToolError } from "@toolweave/core";

/** The error for an option that cannot be meant: `what` is wrong, without a full stop. */
export function invalidOption(what: string): ToolError {
  return new ToolError("internal", `openApiSource: ${what}.`);
}
