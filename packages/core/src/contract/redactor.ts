import type { ToolOutput } from "./tool-result.ts";
import type { JsonValue } from "../json/json.ts";
import type { ToolError } from "./tool-error.ts";

/** Removes secrets from texts that follow each other, such as the updates of a call. */
export interface StreamRedactor {
  /** The next text, as far as it may leave: the beginning of a possible secret is held back. */
  next(text: string): string;
}

/**
 * Removes secrets from everything that leaves the executor. Returns the same object if it contains none. Throws for a
 * value that cannot be read: no part of that may leave.
 */
export interface Redactor {
  text(text: string): string;
  /** A JSON value, keys included. */
  value<Value extends JsonValue>(value: Value): Value;
  /**
   * Redacts the contents of errors, events and the audit, in which names of headers and parameters also mark secrets.
   */
  redactReport<Value>(value: Value): Value;
  /** Takes out nothing but what is registered. */
  registered(text: string): string;
  /** Redacts all of a tool's output, except the fields that only the executor sets. */
  output(output: ToolOutput): ToolOutput;
  /**
   * Message, body and causes.
   *
   * @param thrown the tool has thrown it, so that its stack may contain more than its message.
   */
  error(error: ToolError, thrown?: boolean): ToolError;
  bytes(bytes: Uint8Array, mediaType: string): Uint8Array;
  /** For texts that come one after the other. */
  streamRedactor(): StreamRedactor;
}
