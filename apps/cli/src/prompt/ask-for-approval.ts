import type {
  ApprovalDecision,
  Approver,
  GrantProposal,
  InterruptionRequest,
  Answer,
  Interruption,
  JsonValue,
} from "@toolweave/core";
import { Interrupt, type CliIo } from "../process/cli-io.ts";
import { getUserName } from "../process/user-name.ts";
import { describeProposals, describeRequests } from "../render/describe-requests.ts";
import { safeValue } from "../render/text.ts";
import { withQuestions, isYes, type Question } from "./questions.ts";
import type { RemedyPlaces } from "../render/remedy.ts";
import { parseArgumentValue } from "../input/argument-value.ts";
import { SchemaView } from "../input/schema-view.ts";

/**
 * Shows a person what a call is about to do and takes their answer. Anything but a yes is a no.
 *
 * @param places where the person writes what changes the decision.
 * @param converse asks the questions. Default: on lines of stdin.
 */
export function promptApprover(
  io: CliIo,
  places?: RemedyPlaces,
  converse: typeof withQuestions = withQuestions,
): Approver {
  return ({ spec, arguments: args, requests }) => {
    const { source } = spec.provenance;
    io.stderr.write(`${safeValue(spec.name)} needs your approval:\n`);
    io.stderr.write(describeRequests(requests, args, places && { ...places, source }));
    return converse(io, async (question) => ({
      ...(await askForApproval(question, io, getGrantProposals(requests))),
      by: getUserName(),
    }));
  };
}

/** Returns the grants that a lasting approval would save. */
export function getGrantProposals(
  requests: readonly InterruptionRequest[],
): readonly GrantProposal[] {
  return requests.flatMap((request) => (request.type === "approval" && request.grant) || []);
}

/** Asks for an approval, a rejection, or a lasting approval, which is shown in full before it is confirmed. */
async function askForApproval(
  question: Question,
  io: CliIo,
  proposals: readonly GrantProposal[],
): Promise<ApprovalDecision> {
  const choices = proposals.length === 0 ? "[y/N]" : "[y/N/always]";
  const typed = await question(`Run it? ${choices} `);
  if (isYes(typed)) return { approved: true };
  if (proposals.length === 0 || !/^\s*a(?:lways)?\s*$/i.test(typed ?? ""))
    return { approved: false };
  io.stderr.write(describeProposals(proposals, "always"));
  return isYes(await question("Save this and run it? [y/N] "))
    ? { approved: true, grant: "always" }
    : { approved: false };
}

/** Asks a person for everything that a call waits for. The rejection of one request rejects the call. */
export function askForAnswers(interruption: Interruption, io: CliIo): Promise<readonly Answer[]> {
  const { call, requests } = interruption;
  return withQuestions(io, async (question) => {
    const answers: Answer[] = [];
    io.stderr.write(`${safeValue(call.name)} waits for you:\n`);
    for (const request of requests) {
      io.stderr.write(describeRequests([request], call.arguments));
      const answer = await askForAnswer(request, question, io);
      if (answer.type === "reject") return [answer];
      answers.push(answer);
    }
    return answers;
  });
}

async function askForAnswer(
  request: InterruptionRequest,
  question: Question,
  io: CliIo,
): Promise<Answer> {
  const { id: requestId } = request;
  const by = getUserName();
  switch (request.type) {
    case "approval": {
      const answer = await askForApproval(
        question,
        io,
        request.grant === undefined ? [] : [request.grant],
      );
      if (!answer.approved) return { type: "reject", requestId, by };
      const { grant } = answer;
      return { type: "approve", requestId, by, ...(grant === undefined ? {} : { grant }) };
    }
    case "auth":
      return isYes(await question("Have you signed in? [y/N] "))
        ? { type: "approve", requestId, by }
        : { type: "reject", requestId, by };
    case "input":
      return { type: "input", requestId, value: await askForValue(request.schema, question) };
    case "result":
      return { type: "result", requestId, value: await askForValue(undefined, question) };
  }
}

async function askForValue(schema: JsonValue | undefined, question: Question): Promise<JsonValue> {
  const typed = await question("Your answer: ");
  // Without an answer the call stays pending.
  if (typed === undefined) throw new Interrupt();
  return parseArgumentValue(typed.trim(), new SchemaView(schema), "Your answer");
}
