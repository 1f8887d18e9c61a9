import { ToolError } from "../contract/tool-error.ts";
import type { CompletedOutcome, FailedOutcome } from "../contract/tool-result.ts";
import { contentText } from "./content-parts.ts";

/**
 * A `ToolError` for a framework that gives the model `String(error)`, or logs it: for other errors that begins with the
 * name of their class.
 */
export class ToolFailure extends ToolError {
  override toString(): string {
    return this.message;
  }
}

/**
 * Creates the error with which a call ends in a framework. Its message is all that the model may read.
 *
 * @param withHostDetails keeps `cause` and `body`, which a model must not read. Leave it out if the framework stores or
 * streams its errors.
 */
export function toToolFailure(
  { result, error }: CompletedOutcome | FailedOutcome,
  withHostDetails = false,
): ToolFailure {
  const text = contentText(result.content);
  if (error === undefined) return new ToolFailure("execution_failed", text);
  const { code, message, cause, retryable, audience, status, body, retryAfterMs } = error;
  return new ToolFailure(code, text === "" ? message : text, {
    ...(withHostDetails && { cause: text === message ? cause : error }),
    ...(withHostDetails && body !== undefined && { body }),
    retryable,
    audience,
    ...(status !== undefined && { status }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}
