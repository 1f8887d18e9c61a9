import { displayProse } from "../contract/display-text.ts";
import type { Interruption, InterruptionRequest } from "../contract/interruption.ts";
import { ToolError } from "../contract/tool-error.ts";
import type { CompletedOutcome, FailedOutcome } from "../contract/tool-result.ts";
import { contentText } from "./content-parts.ts";

/** The maximum number of characters about what a call waits for. */
const maxLength = 500;

/**
 * The text for a model about a call that waits for what the framework cannot request.
 *
 * @param nextStep the instruction to the model. Default: to continue without the result.
 */
export function waitingText(
  { call, requests }: Interruption,
  nextStep = "Do not call it again; continue without its result and say what it waits for.",
): string {
  const needs = displayProse(requests.map(requestText).join("; "), maxLength);
  const stop = /[.!?…。！？]\s*$/u.test(needs) ? "" : ".";
  return `${call.name} is not finished: it waits for ${needs}${stop} ${nextStep}`;
}

/** The text for a model about a call without the approval that it needs. */
export function notApprovedText(name: string): string {
  return (
    `${name} was not run now: it needs a person's approval, and this call has none that is valid. ` +
    `An approval counts once, and only for the arguments that were displayed. ` +
    `If it has not been done already, call ${name} again to request a new approval.`
  );
}

function requestText(request: InterruptionRequest): string {
  if (request.type === "approval") return `approval: ${displayProse(request.permission.summary)}`;
  if (request.type === "result") return "a result from the host";
  return `${request.type}: ${displayProse(request.message)}`;
}

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
