import type {
  Answer,
  ApprovalRequest,
  Interruption,
  InterruptionRequest,
  JsonObject,
} from "@toolweave/core";
import { createApprovalPart } from "./approval-question.ts";
import { toElicitationAnswer, type ClientQuestion } from "../clients/client-question.ts";
import { isObject } from "../../schema/schema-keywords.ts";
import { createInputPart } from "./input-question.ts";
import type { AskingContext, QuestionPart } from "./question-part.ts";
import { createSignInPart } from "./sign-in-question.ts";

/** Questions for a client about an interrupted call. */
export interface InterruptionQuestions {
  /** By key. */
  readonly questions: Readonly<Record<string, ClientQuestion>>;
  /**
   * Converts the client's responses to answers.
   *
   * @param responses Responses by key, not validated. An invalid response counts as a rejection.
   * @returns `undefined` when a question has no response.
   */
  answers(responses: JsonObject): readonly Answer[] | undefined;
}

/** Creates the questions for a client's user; `undefined` if one of the requests cannot be asked there. */
export function toQuestions(
  interruption: Interruption,
  context: AskingContext,
): InterruptionQuestions | undefined {
  const approvals = interruption.requests.filter((request) => request.type === "approval");
  const parts = new Map<string, QuestionPart>();
  if (approvals.length > 0) {
    const part = context.approvals && createApprovalPart(interruption, approvals, context);
    if (!part) return undefined;
    parts.set("approval", part);
  }
  for (const request of interruption.requests) {
    if (request.type === "approval") continue;
    const part = toPart(interruption, request, context);
    if (part === undefined) return undefined;
    parts.set(parts.has(request.id) ? `${request.id}_${parts.size}` : request.id, part);
  }
  const questions = new Map<string, ClientQuestion>();
  for (const [key, { question, before }] of parts) {
    if (before !== undefined) questions.set(`${key}_page`, before);
    questions.set(key, question);
  }
  return {
    questions: Object.fromEntries(questions),
    answers(responses) {
      const answers: Answer[] = [];
      for (const [key, { answer, before }] of parts) {
        const response = getResponse(key, responses);
        const first = before === undefined ? response : getResponse(`${key}_page`, responses);
        if (response === undefined || first === undefined) return undefined;
        answers.push(...answer(isAccepted(first) ? response : first));
      }
      return answers;
    },
  };
}

function getResponse(key: string, responses: JsonObject): JsonObject | undefined {
  const response = Object.hasOwn(responses, key) ? responses[key] : undefined;
  return isObject(response) ? response : undefined;
}

function isAccepted(response: JsonObject): boolean {
  return toElicitationAnswer(response).action === "accept";
}

function toPart(
  { call }: Interruption,
  request: Exclude<InterruptionRequest, ApprovalRequest>,
  context: AskingContext,
): QuestionPart | undefined {
  switch (request.type) {
    case "input":
      return createInputPart(request, context);
    case "auth":
      return createSignInPart(call, request, context);
    case "result":
      return undefined;
  }
}
