import type {
  Answer,
  ApproveAnswer,
  Interruption,
  InterruptionRequest,
  RejectAnswer,
} from "../contract/interruption.ts";
import type { JsonObject } from "../json/json.ts";
import type { SchemaCache } from "../schema/schema-cache.ts";
import type { Approval } from "./pending-call.ts";
import { isGrantChoice } from "./new-grant.ts";

/** The answer to one request: the answer that names it, or else the one for all requests. */
export function answerTo(
  { id }: InterruptionRequest,
  answers: readonly Answer[],
): Answer | undefined {
  return (
    answers.find((answer) => answer.requestId === id) ??
    answers.find((answer) => answer.requestId === undefined)
  );
}

/** The first rejection, which rejects the whole call. */
export function rejectionAmong(answers: readonly Answer[]): RejectAnswer | undefined {
  return answers.find((answer): answer is RejectAnswer => answer.type === "reject");
}

/** The names of all people who have answered. */
export function answeredBy(answers: readonly Answer[]): string | undefined {
  const all = new Set(answers.flatMap((answer) => ("by" in answer ? (answer.by ?? []) : [])));
  return all.size === 0 ? undefined : [...all].join(", ");
}

/** The arguments with which a person has replaced those that were displayed. */
export function editedArguments(answers: readonly Answer[]): JsonObject | undefined {
  return answers.find((answer): answer is ApproveAnswer => isEdit(answer))?.arguments;
}

/** The approval that the answers give. */
export function toApproval(
  { requests }: Pick<Interruption, "requests">,
  answers: readonly Answer[],
  argumentsHash: string,
): Approval {
  const edited = editedArguments(answers) !== undefined;
  return {
    argumentsHash,
    ...(edited ? { edited } : {}),
    permissions: requests.flatMap((request) => {
      const answer = answerTo(request, answers);
      if (request.type !== "approval" || answer?.type !== "approve") return [];
      const { by, grant } = answer;
      return [
        {
          permission: request.permission,
          ...(by === undefined ? {} : { by }),
          ...(grant === undefined ? {} : { grant }),
        },
      ];
    }),
  };
}

/**
 * Validates the answers and returns the problem; `undefined` when every request is answered, with an answer of its
 * type.
 *
 * @param suspended true when the tool itself asked, and decides what the answers mean.
 */
export async function findAnswerProblem(
  interruption: Interruption,
  answers: readonly Answer[],
  suspended: boolean,
  schemas: SchemaCache,
): Promise<string | undefined> {
  const { requests } = interruption;
  for (const answer of answers) {
    const problem = malformed(answer);
    if (problem !== undefined) return problem;
  }
  // Whatever the other answers are: the call is not run.
  if (!suspended && rejectionAmong(answers) !== undefined) return undefined;
  for (const request of requests) {
    const problem = await unanswered(request, answerTo(request, answers), schemas);
    if (problem !== undefined) return problem;
  }
  return unmatchedAnswers(requests, answers) ?? unfit(requests, answers, suspended);
}

/** Members of an answer of type `approve`. */
const approveMembers: Readonly<Record<keyof ApproveAnswer, true>> = {
  type: true,
  requestId: true,
  by: true,
  arguments: true,
  grant: true,
};

function malformed(answer: Answer): string | undefined {
  const texts: Partial<Record<string, unknown>> = { ...answer };
  for (const member of ["requestId", "by", "reason"]) {
    const value = texts[member];
    if (value !== undefined && typeof value !== "string") {
      return `The ${member} of an answer is no text.`;
    }
  }
  if (answer.type !== "approve") return undefined;
  // An unknown member may mean other arguments, or a rejection.
  const unknown = Object.keys(answer).find((member) => !Object.hasOwn(approveMembers, member));
  if (unknown !== undefined) {
    return `An answer of type "approve" has no "${unknown.slice(0, 100)}": it takes requestId, by, arguments and grant.`;
  }
  const { grant, arguments: edited } = answer;
  if (grant !== undefined && !isGrantChoice(grant)) {
    return `The grant of an answer is "session", "always", or { scope, arguments: "any" }.`;
  }
  if (edited !== undefined && grant !== undefined) {
    return "A grant is for what was shown: agree to the changed arguments without one.";
  }
  return undefined;
}

/** Finds an answer that would be ignored. It may be a rejection while the other answers approve. */
function unmatchedAnswers(
  requests: readonly InterruptionRequest[],
  answers: readonly Answer[],
): string | undefined {
  const answered = new Set<string | undefined>();
  const isNamed = ({ id }: InterruptionRequest): boolean =>
    answers.some(({ requestId }) => requestId === id);
  for (const { requestId } of answers) {
    if (answered.has(requestId)) {
      return requestId === undefined
        ? "Two answers are for all requests: give one, or say with requestId which each is for."
        : `The request "${requestId.slice(0, 100)}" has two answers: give one.`;
    }
    answered.add(requestId);
    if (requestId === undefined && requests.length > 0 && requests.every(isNamed)) {
      return "An answer without requestId is for no request: each has one of its own.";
    }
    if (requestId !== undefined && !requests.some(({ id }) => id === requestId)) {
      return `No request has the id "${requestId.slice(0, 100)}", which an answer is for.`;
    }
  }
  return undefined;
}

async function unanswered(
  request: InterruptionRequest,
  answer: Answer | undefined,
  schemas: SchemaCache,
): Promise<string | undefined> {
  if (answer === undefined) {
    return `The request "${request.id}" has no answer; answer every request at once.`;
  }
  if (!fits(request, answer)) {
    return `An answer of type "${answer.type}" does not answer the ${request.type} request "${request.id}": use ${answerTypes[request.type]} or reject.`;
  }
  if (request.type !== "input" || answer.type !== "input" || request.schema === undefined) {
    return undefined;
  }
  try {
    const problems = (await schemas.get(request.schema))(answer.value);
    if (problems === undefined) return undefined;
    const [{ path, message } = { path: "", message: "is not valid" }] = problems;
    return `The answer to "${request.id}" is not valid: ${path === "" ? "it" : path} ${message}.`;
  } catch {
    return `The request "${request.id}" has a schema that is not valid, so that no input answers it: reject it.`;
  }
}

/** Valid answers to each type of request, for error texts. */
const answerTypes: Readonly<Record<InterruptionRequest["type"], string>> = {
  approval: "approve",
  auth: "approve, input",
  input: "input",
  result: "result",
};

/**
 * True when the answer is valid for the type of request. A rejection always is; only an explicit `approve` approves.
 */
function fits(request: InterruptionRequest, answer: Answer): boolean {
  if (answer.type === "reject") return true;
  switch (request.type) {
    case "approval":
      return answer.type === "approve";
    case "auth":
      return answer.type === "approve" || answer.type === "input";
    case "input":
      return answer.type === "input";
    case "result":
      return answer.type === "result";
  }
}

/** Finds an approval that goes beyond its requests. */
function unfit(
  requests: readonly InterruptionRequest[],
  answers: readonly Answer[],
  suspended: boolean,
): string | undefined {
  for (const answer of answers) {
    if (answer.type !== "approve" || answer.grant === undefined) continue;
    const grantable = requests.some(
      (request) =>
        request.type === "approval" &&
        request.grant !== undefined &&
        answerTo(request, answers) === answer,
    );
    if (!grantable) {
      return "What was asked here is asked every time: agree to this call without a grant.";
    }
  }
  if (suspended || answers.filter(isEdit).length < 2) return undefined;
  return "Two answers change the arguments: let one of them do so.";
}

function isEdit(answer: Answer): boolean {
  return answer.type === "approve" && answer.arguments !== undefined;
}
