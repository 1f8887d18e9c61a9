import type { Answer, Interruption, InterruptionRequest, JsonValue } from "@toolweave/core";
import { parseArgumentValue } from "../input/argument-value.ts";
import { SchemaView } from "../input/schema-view.ts";
import type { CliIo } from "../process/cli-io.ts";
import { Interrupt } from "../process/interrupt.ts";
import { describeRequests } from "../render/describe-requests.ts";
import { safeValue } from "../render/safe-text.ts";
import { askForApproval } from "./ask-for-approval.ts";
import { withQuestions, isYes, type Question } from "./questions.ts";

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
  switch (request.type) {
    case "approval": {
      const answer = await askForApproval(
        question,
        io,
        request.grant === undefined ? [] : [request.grant],
      );
      if (!answer.approved) return { type: "reject", requestId };
      const { grant } = answer;
      return { type: "approve", requestId, ...(grant === undefined ? {} : { grant }) };
    }
    case "auth":
      return isYes(await question("Have you signed in? [y/N] "))
        ? { type: "approve", requestId }
        : { type: "reject", requestId };
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
