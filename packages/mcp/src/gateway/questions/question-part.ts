import { displayText, type Answer, type JsonObject, type JsonSchema } from "@toolweave/core";
import type { ClientQuestion } from "../clients/client-question.ts";

/** Characters of a question: nobody agrees to what they have not been shown. */
export const maxQuestionLength = 20_000;

/** Whom it is asked, and how. */
export interface AskingContext {
  readonly capabilities: JsonObject;
  /** Approvals may be given by the client's user. */
  readonly approvals: boolean;
  /** There is a session that a grant can be for. */
  readonly hasSession: boolean;
  /** Who answers, for the audit. */
  readonly by: string;
}

/** What is asked about one request of an interruption. */
export interface QuestionPart {
  /** Asked before it, and a no to it is a no to all. */
  readonly before?: ClientQuestion;
  readonly question: ClientQuestion;
  answer(response: JsonObject): readonly Answer[];
}

/** A form for a person. Characters that they would not see are spelt out. */
export function form(message: string, requestedSchema: JsonSchema): ClientQuestion {
  return {
    method: "elicitation/create",
    params: { message: displayText(message), requestedSchema },
  };
}
