import type { Answer, JsonObject, JsonSchema, JsonValue, ToolContext } from "@toolweave/core";
import { isObject } from "../schema/schema-keywords.ts";
import { getDefaults } from "../server-requests/form.ts";

/** A question that a call waits for. */
export interface Asked {
  /** Of the request that was made of it. */
  readonly id: string;
  /** The server's name for it. */
  readonly key: string;
  /** Absent: a page. */
  readonly form?: JsonSchema;
}

/** What a call needs to go on after a question. Plain JSON, kept sealed by the executor. */
export interface RoundState {
  /** Tells it from what else a call can wait for. */
  readonly waits: "mcp";
  /** How often the server has asked by now. */
  readonly round: number;
  /** The request is made anew, since it was refused. */
  readonly isRefusal: boolean;
  /** The server's own, sent back as it was. */
  readonly requestState?: string;
  /** What has been answered already. */
  readonly responses: JsonObject;
  readonly asked: readonly Asked[];
}

/** A round of questions with its answers. */
export interface ResumedRound {
  readonly state: RoundState;
  /** The server's name for each question, and the protocol's answer to it. */
  readonly responses: JsonObject;
}

/** What a resumed call goes on with; `undefined`: it is a new one, or waited for something else. */
export function readResumedRound(resumed: ToolContext["resumed"]): ResumedRound | undefined {
  if (resumed === undefined || !isRoundState(resumed.state)) return undefined;
  const state = resumed.state as unknown as RoundState;
  const answered = state.asked.map((asked) => [asked.key, responseTo(asked, resumed.answers)]);
  return { state, responses: { ...state.responses, ...Object.fromEntries(answered) } };
}

function isRoundState(state: JsonValue): boolean {
  return isObject(state) && state["waits"] === "mcp";
}

/** The executor has checked the answers against what was asked. */
function responseTo({ id, form }: Asked, answers: readonly Answer[]): JsonObject {
  const answer =
    answers.find(({ requestId }) => requestId === id) ??
    answers.find(({ requestId }) => requestId === undefined);
  if (answer === undefined || answer.type === "reject") return { action: "decline" };
  if (form === undefined) return { action: "accept" };
  const content = answer.type === "input" && isObject(answer.value) ? answer.value : {};
  return { action: "accept", content: { ...getDefaults(form), ...content } };
}
