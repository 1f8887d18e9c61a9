import type { ToolOutput } from "../spec/tool-result.ts";
import type { JsonValue } from "../spec/json.ts";
import type { ToolError } from "../tool-error.ts";

/** Takes secrets out of whatever leaves the executor. Gives back the very same object when there is none in it. */
export interface Redactor {
  text(text: string): string;
  /** A JSON value, keys included. */
  value<Value extends JsonValue>(value: Value): Value;
  /** Of a tool's output everything but what only the executor sets. */
  output(output: ToolOutput): ToolOutput;
  /** Message, body and causes. */
  error(error: ToolError): ToolError;
  bytes(bytes: Uint8Array, mediaType: string): Uint8Array;
}
