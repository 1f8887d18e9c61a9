import { ToolError } from "@toolweave/core";

/**
 * A `ToolError` as `execute` throws it. The SDK gives the model `String(error)`, which for other errors begins with the
 * name of their class.
 */
export class ToolFailure extends ToolError {
  override toString(): string {
    return this.message;
  }
}
