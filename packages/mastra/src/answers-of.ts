import type { Answer, InterruptionRequest } from "@toolweave/core";

/**
 * Converts Mastra's resume data to answers: those of a list unchanged; `{ approved }`, which `approveToolCall` and
 * `declineToolCall` pass, for all requests; anything else as the requested value.
 */
export function answersOf(requests: readonly InterruptionRequest[], given: unknown): Answer[] {
  // The executor checks each.
  if (Array.isArray(given)) return given as Answer[];
  const { approved, reason } = given as { readonly approved?: unknown; readonly reason?: unknown };
  if (approved === false) {
    return [{ type: "reject", ...(typeof reason === "string" ? { reason } : {}) }];
  }
  const asksForValue = requests.find(({ type }) => type !== "approval")?.type;
  if (asksForValue === undefined) return approved === true ? [{ type: "approve" }] : [];
  const type = asksForValue === "result" ? "result" : "input";
  return [{ type, value: given as never }];
}

/** True for a list of answers each of which names one of these requests. */
export function namesRequests(given: unknown, requests: readonly InterruptionRequest[]): boolean {
  if (!Array.isArray(given) || given.length === 0) return false;
  const ids: unknown[] = requests.map(({ id }) => id);
  return given.every((answer: Partial<Answer> | null) => ids.includes(answer?.requestId));
}
