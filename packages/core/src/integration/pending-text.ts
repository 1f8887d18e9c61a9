import { displayProse } from "../contract/display-text.ts";
import type { Interruption, InterruptionRequest } from "../contract/interruption.ts";

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
