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
import { toElicitationAnswer, canElicit } from "../clients/client-question.ts";
import {
  toFormQuestion,
  maxQuestionLength,
  type AskingContext,
  type QuestionPart,
} from "./question-part.ts";

const decisions: Readonly<Record<string, GrantChoice | undefined>> = {
  approve: undefined,
  "approve and remember for this session": "session",
  "approve and always remember": "always",
};

/** Creates one question for all approvals of a call. `undefined`: the client cannot be asked, or the text is too long. */
export function createApprovalPart(
  { call }: Interruption,
  requests: readonly ApprovalRequest[],
  { capabilities, hasSession, by }: AskingContext,
): QuestionPart | undefined {
  if (!canElicit("form", capabilities)) return undefined;
  const message = [
    `${displayLine(call.name)} needs your approval:`,
    ...requests.flatMap(requestLines),
    // The description of a tool is part of several requests, and included once.
    ...new Set(requests.flatMap(descriptionLines)),
    `With the arguments ${formatArguments(call)}`,
  ].join("\n");
  if (message.length > maxQuestionLength) return undefined;
  const grantable = requests.every(({ grant }) => grant !== undefined);
  const choices = Object.keys(decisions).filter(
    (choice) =>
      decisions[choice] === undefined ||
      (grantable && (hasSession || decisions[choice] === "always")),
  );
  const rejectAll = (reason: string): readonly Answer[] =>
    requests.map(({ id }) => ({
      type: "reject",
      requestId: id,
      reason,
      by,
    }));
  return {
    question: toFormQuestion(message, {
      type: "object",
      properties: {
        decision: {
          type: "string",
          title: "Decision",
          description: "A remembered approval applies to exactly this call, with these arguments.",
          enum: [...choices, "reject"],
        },
      },
      required: ["decision"],
    }),
    answer(response) {
      const result = toElicitationAnswer(response);
      const decision = result.action === "accept" ? result.content?.["decision"] : undefined;
      if (typeof decision !== "string" || !choices.includes(decision)) {
        return rejectAll("The user did not approve it.");
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

/** Formats a request with one line for each member: no member can begin a line of its own. */
function requestLines({ permission, reason, call: inner }: ApprovalRequest): string[] {
  const { kind, target, summary, details } = permission;
  return [
    `- ${displayProse(summary)} (${displayLine(kind)}: ${displayLine(target)})`,
    ...(details === undefined ? [] : [`  Details: ${displayJson(JSON.stringify(details))}`]),
    `  Why you are asked: ${displayProse(reason)}`,
    ...(inner === undefined
      ? []
      : [`  For its call of ${displayLine(inner.name)} with ${formatArguments(inner)}`]),
  ];
}

/** Formats the description of the tool, marked as its source's text. */
function descriptionLines({ description }: ApprovalRequest): string[] {
  if (description === undefined) return [];
  return [`The tool, in its source's words: “${displayProse(description)}”`];
}

/** Formats arguments as JSON, so that no part of them passes for a part of the question. */
function formatArguments({ arguments: args }: ToolCall): string {
  const json = typeof args === "string" ? JSON.stringify(args) : JSON.stringify(args, null, 2);
  return displayJson(json).replaceAll("\n", "\n  ");
}
