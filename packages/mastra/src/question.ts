import type { Answer, Interruption, InterruptionRequest, JsonObject } from "@toolweave/core";

/**
 * The suspend payload of a pending call, which Mastra stores, displays to the person who answers, and returns with the
 * answer.
 */
export interface Question {
  readonly interruption: Interruption;
  /** The calls before it that had not ended. */
  readonly before: readonly string[];
}

/** A part of an agent's stream. */
export interface Chunk {
  readonly type: "tool-call-approval" | "tool-call-suspended";
  readonly runId: string;
  readonly from: "AGENT";
  readonly payload: object;
}

const approvalSchema = JSON.stringify({
  type: "object",
  properties: { approved: { type: "boolean" }, reason: { type: "string" } },
  required: ["approved"],
  additionalProperties: false,
});

/** The payload of a suspended call, if it is a question of this package. The executor checks that it is genuine. */
export function readQuestion(payload: unknown, callId: string): Question | undefined {
  if (typeof payload !== "object" || payload === null) return undefined;
  const { interruption, before } = payload as Partial<Question>;
  const isOurs = interruption?.call?.id === callId && Array.isArray(interruption.requests);
  return isOurs && Array.isArray(before) ? { interruption, before } : undefined;
}

/** The schema of an answer, as Mastra passes it on. */
export function toResumeSchema(interruption: Interruption): { readonly resumeSchema?: string } {
  if (isApproval(interruption)) return { resumeSchema: approvalSchema };
  const [request, ...others] = interruption.requests;
  const schema = request?.type === "input" && others.length === 0 ? request.schema : undefined;
  return schema === undefined ? {} : { resumeSchema: JSON.stringify(schema) };
}

/** True when a person is asked to approve a call, and there is no other request. */
export function isApproval(interruption: Interruption): boolean {
  return toApproval(interruption) !== undefined;
}

/** A question in the form of an agent's stream. */
export function toQuestionChunk(interruption: Interruption, runId: string): Chunk {
  const approval = toApproval(interruption);
  const resume = toResumeSchema(interruption);
  if (approval !== undefined) {
    const payload = { ...approval, ...resume };
    return { type: "tool-call-approval", runId, from: "AGENT", payload };
  }
  const { id: toolCallId, name: toolName, arguments: args } = interruption.call;
  const suspendPayload: Question = { interruption, before: [] };
  const payload = { toolCallId, toolName, args, suspendPayload, ...resume };
  return { type: "tool-call-suspended", runId, from: "AGENT", payload };
}

interface Approval {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly args: JsonObject | string;
}

/** The call that a person is asked to agree to: a tool that calls others may ask for one of theirs. */
function toApproval({ call, requests }: Interruption): Approval | undefined {
  if (!requests.every((request) => request.type === "approval")) return undefined;
  const inner = requests.flatMap((request) => request.call ?? []);
  if (inner.length > 0 && requests.length > 1) return undefined;
  const { name, arguments: args } = inner[0] ?? call;
  return { toolCallId: call.id, toolName: name, args: args as string | JsonObject };
}

/**
 * Converts Mastra's resume data to answers: those of a list unchanged; `{ approved }`, which `approveToolCall` and
 * `declineToolCall` pass, for all requests; anything else as the requested value.
 */
export function toAnswers(requests: readonly InterruptionRequest[], given: unknown): Answer[] {
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
