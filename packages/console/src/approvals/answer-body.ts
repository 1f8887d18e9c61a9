import type { Answer, JsonObject, JsonValue } from "@toolweave/core";
import {
  digitsWithin,
  isObject,
  parseLossless,
  stringifyExact,
  toExactNumber,
  withoutBigints,
} from "@toolweave/core/adapter";
import { Problem } from "../http/problem.ts";

/** The decision of a person, and what it is about. */
export interface AnswerBody {
  /** The digest of the approval that was displayed. */
  readonly digest: string;
  /** The answers, with the caller as the person who gave them. */
  readonly answers: readonly Answer[];
  /** The id of the caller. */
  readonly by: string;
}

/** The members of each type of answer, beside `type` and `requestId`. The API sets `by` itself. */
const answerMembers: Readonly<Record<Answer["type"], readonly string[]>> = {
  approve: ["arguments", "grant"],
  reject: ["reason"],
  input: ["value"],
  result: ["value"],
};

const maxAnswers = 100;

/**
 * Reads the body of an answer. The executor checks whether the answers match the requests.
 *
 * @param by the id of the caller.
 * @throws Problem `invalid_body`
 */
export function readAnswerBody(body: JsonObject, by: string): AnswerBody {
  const { digest, answers } = body;
  if (typeof digest !== "string") {
    throw invalid("digest must be the digest of the approval that was displayed");
  }
  if (!Array.isArray(answers) || answers.length === 0 || answers.length > maxAnswers) {
    throw invalid(
      `answers must be a list of 1 to ${maxAnswers} answers, such as [{"type":"approve"}]`,
    );
  }
  return {
    digest,
    by,
    answers: answers.map((answer: JsonValue, index) => readAnswer(answer, index, by)),
  };
}

function readAnswer(answer: JsonValue, index: number, by: string): Answer {
  if (!isObject(answer)) throw invalid(`answers[${index}] must be an object`);
  const { type, requestId } = answer;
  if (typeof type !== "string" || !Object.hasOwn(answerMembers, type)) {
    throw invalid(`answers[${index}].type must be one of ${Object.keys(answerMembers).join(", ")}`);
  }
  const allowed = ["type", "requestId", ...answerMembers[type as Answer["type"]]];
  const unknown = Object.keys(answer).find((member) => !allowed.includes(member));
  if (unknown !== undefined) {
    throw invalid(
      `answers[${index}] has the unknown member ${JSON.stringify(unknown.slice(0, 100))}: an answer of type "${type}" takes ${allowed.join(", ")}`,
    );
  }
  if (requestId !== undefined && typeof requestId !== "string") {
    throw invalid(`answers[${index}].requestId must be the id of a request`);
  }
  const { arguments: edited } = answer;
  if (edited !== undefined && !isObject(edited)) {
    throw invalid(`answers[${index}].arguments must be an object`);
  }
  const { arguments: _arguments, ...others } = answer;
  const inexact =
    [...digitsWithin(others)][0] ??
    [...digitsWithin(edited)].find((digits) => typeof toExactNumber(digits) !== "bigint");
  if (inexact !== undefined) {
    throw invalid(
      `answers[${index}] has the number ${inexact}, which would be rounded: send ${Number(inexact)}, or its digits as a text`,
    );
  }
  const isDecision = type === "approve" || type === "reject";
  // The executor validates the remaining members.
  return {
    ...answer,
    ...(edited === undefined ? {} : { arguments: withDigits(edited) }),
    ...(isDecision ? { by } : {}),
  } as unknown as Answer;
}

/** The executor accepts the digits of an integer beyond 2^53 as a text. */
function withDigits(edited: JsonObject): JsonObject {
  const [digits] = digitsWithin(edited);
  if (digits === undefined) return edited;
  return withoutBigints(parseLossless(stringifyExact(edited)) as JsonObject);
}

function invalid(fault: string): Problem {
  return new Problem("invalid_body", `${fault}.`);
}
