import type { InterruptionRequest } from "@toolweave/core";

/** A yes answers all of it, and a yes is all that the SDK can ask for. */
export function isAnswerable(requests: readonly InterruptionRequest[]): boolean {
  return requests.every(({ type }) => type === "approval" || type === "auth");
}
