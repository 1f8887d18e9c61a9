import { displayProse, type Interruption } from "@toolweave/core";

/** The text for a model about a call that waits for input that cannot be requested here. */
export function waitingText({ call, requests }: Interruption): string {
  const needs = requests.map((request) => {
    if (request.type === "approval") return `approval: ${displayProse(request.permission.summary)}`;
    if (request.type === "result") return "a result from the host";
    return `${request.type}: ${displayProse(request.message)}`;
  });
  const what = needs.join("; ");
  return (
    `${call.name} is not finished: it waits for ${what.length > 500 ? `${what.slice(0, 500)}…` : what}. ` +
    `Do not call it again; go on without its result and say what it waits for.`
  );
}
