import type {
  ApprovalDecision,
  Approver,
  GrantProposal,
  InterruptionRequest,
} from "@toolweave/core";
import type { CliIo } from "../process/cli-io.ts";
import { describeProposals } from "../render/describe-grant.ts";
import { describeRequests } from "../render/describe-requests.ts";
import { safeValue } from "../render/safe-text.ts";
import { withQuestions, isYes, type Question } from "./questions.ts";

/** Shows a person what a call is about to do and takes their answer. Anything but a yes is a no. */
export function promptApprover(io: CliIo): Approver {
  return ({ spec, arguments: args, requests }) => {
    io.stderr.write(`${safeValue(spec.name)} needs your approval:\n`);
    io.stderr.write(describeRequests(requests, args));
    return withQuestions(io, (question) =>
      askForApproval(question, io, getGrantProposals(requests)),
    );
  };
}

/** Returns the grants that a lasting approval would save. */
export function getGrantProposals(
  requests: readonly InterruptionRequest[],
): readonly GrantProposal[] {
  return requests.flatMap((request) => (request.type === "approval" && request.grant) || []);
}

/** Asks for an approval, a rejection, or a lasting approval, which is shown in full before it is confirmed. */
export async function askForApproval(
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
