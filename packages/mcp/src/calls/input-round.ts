import type { Answer, JsonObject, JsonSchema, JsonValue, ToolContext } from "@toolweave/core";
import { isObject, withDefaults } from "@toolweave/core/adapter";

/** A request that a call waits for. */
export interface OpenRoundRequest {
  /** Id of the suspension's request. */
  readonly id: string;
  /** The server's key of the request. */
  readonly key: string;
  /** Schema of the form. Absent: the request is for a page. */
  readonly form?: JsonSchema;
}

/** State with which a call continues after a round. Plain JSON; the executor seals it. */
export interface RoundState {
  /** Distinguishes it from other states of a suspended call. */
  readonly waits: "mcp";
  /** Number of rounds so far. */
  readonly round: number;
  /** The request is sent anew, since the server rejected it. */
  readonly isRefusal: boolean;
  /** State of the server, which is sent back unchanged. */
  readonly requestState?: string;
  /** Responses so far. */
  readonly responses: JsonObject;
  readonly asked: readonly OpenRoundRequest[];
}

/** A round of requests with its responses. */
export interface ResumedRound {
  readonly state: RoundState;
  /** Responses of the protocol by the server's key. */
  readonly responses: JsonObject;
}

/** Reads the answers of a resumed call; `undefined`: it is a new call, or waited for something else. */
export function readResumedRound(resumed: ToolContext["resumed"]): ResumedRound | undefined {
  if (resumed === undefined || !isRoundState(resumed.state)) return undefined;
  const state = resumed.state as unknown as RoundState;
  const answered = state.asked.map((asked) => [asked.key, toResponse(asked, resumed.answers)]);
  return { state, responses: { ...state.responses, ...Object.fromEntries(answered) } };
}

function isRoundState(state: JsonValue): boolean {
  return isObject(state) && state["waits"] === "mcp";
}

/** Converts an answer, which the executor has validated against the request. */
function toResponse({ id, form }: OpenRoundRequest, answers: readonly Answer[]): JsonObject {
  const answer =
    answers.find(({ requestId }) => requestId === id) ??
    answers.find(({ requestId }) => requestId === undefined);
  if (answer === undefined) return { action: "cancel" };
  if (answer.type === "reject") return { action: "decline" };
  if (form === undefined) return { action: "accept" };
  const content = answer.type === "input" && isObject(answer.value) ? answer.value : {};
  return { action: "accept", content: withDefaults(form, content) };
}

/** Error code of a server that requires a person to visit a page before the call (2025-11-25, client/elicitation). */
const urlElicitationRequired = -32042;

/** Reads those pages as `inputRequests` of the newer protocol; `undefined`: it is another error. */
export function readUrlElicitationRequired(thrown: unknown): JsonObject | undefined {
  const error = findProtocolError(thrown);
  const { elicitations } = isObject(error?.data) ? error.data : {};
  if (!Array.isArray(elicitations) || elicitations.length === 0) return undefined;
  const requests = elicitations.map((params, index) => [
    `${index}`,
    { method: "elicitation/create", params: isObject(params) ? { ...params, mode: "url" } : {} },
  ]);
  return Object.fromEntries(requests) as JsonObject;
}

interface ProtocolFailure {
  readonly code?: unknown;
  readonly data?: unknown;
}

/** Finds the protocol error: the thrown value or its cause. */
function findProtocolError(thrown: unknown): ProtocolFailure | undefined {
  const { code, cause } = (thrown ?? {}) as ProtocolFailure & { readonly cause?: ProtocolFailure };
  if (code === urlElicitationRequired) return thrown as ProtocolFailure;
  return cause?.code === urlElicitationRequired ? cause : undefined;
}
