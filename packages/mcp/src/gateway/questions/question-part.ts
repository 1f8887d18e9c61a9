import { displayText, type Answer, type JsonObject, type JsonSchema } from "@toolweave/core";
import type { ClientQuestion } from "../clients/client-question.ts";

/** Maximum number of characters of a question: a person must be able to read all of it. */
export const maxQuestionLength = 20_000;

/** The client and user that are asked. */
export interface AskingContext {
  readonly capabilities: JsonObject;
  /** The client's user may give approvals. */
  readonly approvals: boolean;
  /** True if there is a session for a grant. */
  readonly hasSession: boolean;
  /** Name of the person, for the audit. */
  readonly by: string;
}

/** The question about one request of an interruption. */
export interface QuestionPart {
  /** Question that is asked before; if it is declined, so is this one. */
  readonly before?: ClientQuestion;
  readonly question: ClientQuestion;
  answer(response: JsonObject): readonly Answer[];
}

/** Creates the question with a form. Invisible characters are escaped. */
export function toFormQuestion(message: string, requestedSchema: JsonSchema): ClientQuestion {
  return {
    method: "elicitation/create",
    params: { message: displayText(message), requestedSchema },
  };
}
