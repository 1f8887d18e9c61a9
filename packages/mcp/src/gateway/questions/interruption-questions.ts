import type {
  Answer,
  ApprovalRequest,
  Interruption,
  InterruptionRequest,
  JsonObject,
} from "@toolweave/core";
import { approvalPart } from "./approval-question.ts";
import { elicitationAnswer, type ClientQuestion } from "../clients/client-question.ts";
import { isObject } from "../../schema/schema-keywords.ts";
import { inputPart } from "./input-question.ts";
import type { AskingContext, QuestionPart } from "./question-part.ts";
import { signInPart } from "./sign-in-question.ts";

/** What a client can be asked so that an interrupted call goes on. */
export interface InterruptionQuestions {
  /** By key. */
  readonly questions: Readonly<Record<string, ClientQuestion>>;
  /**
   * The answers to the requests.
   *
   * @param responses what the client said, by key, unchecked. Whatever is no answer to its question is a no.
   * @returns `undefined` when a question has no answer at all.
   */
  answers(responses: JsonObject): readonly Answer[] | undefined;
}

/** Questions for a client's user; `undefined` when one of the requests cannot be asked for there. */
export function questionsFor(
  interruption: Interruption,
  context: AskingContext,
): InterruptionQuestions | undefined {
  const approvals = interruption.requests.filter((request) => request.type === "approval");
  const parts = new Map<string, QuestionPart>();
  if (approvals.length > 0) {
    const part = context.approvals && approvalPart(interruption, approvals, context);
    if (!part) return undefined;
    parts.set("approval", part);
  }
  for (const request of interruption.requests) {
    if (request.type === "approval") continue;
    const part = partFor(interruption, request, context);
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
        const response = responseTo(key, responses);
        const first = before === undefined ? response : responseTo(`${key}_page`, responses);
        if (response === undefined || first === undefined) return undefined;
        answers.push(...answer(isAccepted(first) ? response : first));
      }
      return answers;
    },
  };
}

function responseTo(key: string, responses: JsonObject): JsonObject | undefined {
  const response = Object.hasOwn(responses, key) ? responses[key] : undefined;
  return isObject(response) ? response : undefined;
}

function isAccepted(response: JsonObject): boolean {
  return elicitationAnswer(response).action === "accept";
}

function partFor(
  { call }: Interruption,
  request: Exclude<InterruptionRequest, ApprovalRequest>,
  context: AskingContext,
): QuestionPart | undefined {
  switch (request.type) {
    case "input":
      return inputPart(request, context);
    case "auth":
      return signInPart(call, request, context);
    case "result":
      return undefined;
  }
}
