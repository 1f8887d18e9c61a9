import {
  displayJson,
  displayLine,
  displayProse,
  type Answer,
  type ApprovalRequest,
  type GrantChoice,
  type Interruption,
  type ToolCall,
} from "@toolweave/core";
import { elicitationAnswer, canElicit } from "../clients/client-question.ts";
import { form, maxQuestionLength, type AskingContext, type QuestionPart } from "./question-part.ts";

const decisions: Readonly<Record<string, GrantChoice | undefined>> = {
  approve: undefined,
  "approve and remember for this session": "session",
  "approve and always remember": "always",
};

/** All approvals of a call as one decision. `undefined`: the client cannot be asked, or nobody could read all of it. */
export function approvalPart(
  { call }: Interruption,
  requests: readonly ApprovalRequest[],
  { capabilities, hasSession, by }: AskingContext,
): QuestionPart | undefined {
  if (!canElicit("form", capabilities)) return undefined;
  const message = [
    `${displayLine(call.name)} needs your approval:`,
    ...requests.flatMap(requestLines),
    // Of several requests for one tool, its description is said once.
    ...new Set(requests.flatMap(descriptionLines)),
    `With the arguments ${shownArguments(call)}`,
  ].join("\n");
  if (message.length > maxQuestionLength) return undefined;
  const grantable = requests.every(({ grant }) => grant !== undefined);
  const offered = Object.keys(decisions).filter(
    (word) =>
      decisions[word] === undefined || (grantable && (hasSession || decisions[word] === "always")),
  );
  const refused = (reason: string): readonly Answer[] =>
    requests.map(({ id }) => ({
      type: "reject",
      requestId: id,
      reason,
      by,
    }));
  return {
    question: form(message, {
      type: "object",
      properties: {
        decision: {
          type: "string",
          title: "Decision",
          description: "What is remembered is a yes to exactly this call, with these arguments.",
          enum: [...offered, "reject"],
        },
      },
      required: ["decision"],
    }),
    answer(response) {
      const given = elicitationAnswer(response);
      const decision = given.action === "accept" ? given.content?.["decision"] : undefined;
      if (typeof decision !== "string" || !offered.includes(decision)) {
        return refused("The user did not approve it.");
      }
      const grant = decisions[decision];
      return requests.map(({ id }) => ({
        type: "approve",
        requestId: id,
        by,
        ...(grant === undefined ? {} : { grant }),
      }));
    },
  };
}

/** One line for each thing that is said: no field of a request begins a line of its own. */
function requestLines({ permission, reason, call: inner }: ApprovalRequest): string[] {
  const { kind, target, summary, details } = permission;
  return [
    `- ${displayProse(summary)} (${displayLine(kind)}: ${displayLine(target)})`,
    ...(details === undefined ? [] : [`  Details: ${displayJson(JSON.stringify(details))}`]),
    `  Why you are asked: ${displayProse(reason)}`,
    ...(inner === undefined
      ? []
      : [`  For its call of ${displayLine(inner.name)} with ${shownArguments(inner)}`]),
  ];
}

/** What the tool's source says of the tool, marked as its words. */
function descriptionLines({ description }: ApprovalRequest): string[] {
  if (description === undefined) return [];
  return [`The tool, in its source's words: “${displayProse(description)}”`];
}

/** As JSON, so that nothing in them passes for words of ours. */
function shownArguments({ arguments: args }: ToolCall): string {
  const json = typeof args === "string" ? JSON.stringify(args) : JSON.stringify(args, null, 2);
  return displayJson(json).replaceAll("\n", "\n  ");
}
