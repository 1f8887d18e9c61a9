import { ToolError } from "@toolweave/core";

/** A `ToolError` as a call ends with it: what Mastra keeps and streams of it is what may be seen. */
export class ToolFailure extends ToolError {
  /** Mastra puts an error into its log as this. */
  override toString(): string {
    return this.message;
  }
}
