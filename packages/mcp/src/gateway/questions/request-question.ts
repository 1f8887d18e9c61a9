import {
  displayJson,
  displayLine,
  displayProse,
  displayText,
  type Answer,
  type ApprovalRequest,
  type GrantChoice,
  type Interruption,
  type ToolCall,
  type JsonObject,
  type JsonSchema,
  type InputRequest,
  type JsonValue,
} from "@toolweave/core";
import { toElicitationAnswer, canElicit, type ClientQuestion } from "../clients/client-question.ts";
import { isObject } from "@toolweave/core/adapter";

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
    "",
    "With the arguments:",
    `  ${formatArguments(call)}`,
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

/**
 * Formats arguments as JSON whose further lines are indented by two spaces, so that no part of them passes for a part
 * of the question.
 */
function formatArguments({ arguments: args }: ToolCall): string {
  const json = typeof args === "string" ? JSON.stringify(args) : JSON.stringify(args, null, 2);
  return displayJson(json).replaceAll("\n", "\n  ");
}

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

/** Creates the question for an input of a person, as a form. `undefined`: it cannot be expressed as a form. */
export function createInputPart(
  { id, message, schema }: InputRequest,
  context: AskingContext,
): QuestionPart | undefined {
  if (!canElicit("form", context.capabilities)) return undefined;
  if (message.length > maxQuestionLength) return undefined;
  const isForm = schema !== undefined && isFlatForm(schema);
  if (!isForm && schema !== undefined && !isField(schema)) return undefined;
  const requested: JsonSchema = isForm
    ? schema
    : {
        type: "object",
        properties: { answer: schema ?? { type: "string" } },
        required: ["answer"],
      };
  const displayed = toDisplayedForm(requested);
  if (displayed === undefined) return undefined;
  return {
    question: toFormQuestion(message, displayed),
    answer(response) {
      const result = toElicitationAnswer(response);
      const content = result.action === "accept" ? result.content : undefined;
      const value = isForm ? content : content?.["answer"];
      if (value === undefined) {
        const reason = `The user ${result.action === "cancel" ? "dismissed the question" : "did not answer"}.`;
        return [{ type: "reject", requestId: id, reason }];
      }
      return [{ type: "input", requestId: id, value }];
    },
  };
}

/**
 * Returns the form with readable titles and descriptions. `undefined`: the name of a field or a choice, which must
 * stay unchanged, contains invisible characters.
 */
function toDisplayedForm(requested: JsonSchema): JsonSchema | undefined {
  let isReadable = true;
  const displayed = (value: JsonValue, key = "", isNamed = false): JsonValue => {
    if (typeof value === "string") {
      if (key === "title" || key === "description") return displayProse(value);
      const isChoice = key === "item" || key === "const";
      if ((isChoice ? displayLine(value) : displayText(value)) !== value) isReadable = false;
      return value;
    }
    if (Array.isArray(value)) {
      return (value as readonly JsonValue[]).map((item) => displayed(item, "item"));
    }
    if (!isObject(value)) return value;
    const members = Object.entries(value).map(([name, member]): [string, JsonValue] => {
      if (isNamed && displayLine(name) !== name) isReadable = false;
      return [name, displayed(member, isNamed ? "" : name, name === "properties" && !isNamed)];
    });
    return Object.fromEntries(members);
  };
  const form = displayed(requested) as JsonSchema;
  return isReadable ? form : undefined;
}

/** True for an object of plain fields, the only kind of form (2025-11-25, client/elicitation, requested schema). */
function isFlatForm({ type, properties }: JsonSchema): boolean {
  if (type !== "object" || !isObject(properties)) return false;
  return Object.values(properties).every((field) => isObject(field) && isField(field));
}

function isField({ type, items, oneOf, anyOf, enum: choices }: JsonObject): boolean {
  if (type === "array") return isChoice(items);
  if ([oneOf, anyOf, choices].some(Array.isArray)) return true;
  return type === "string" || type === "number" || type === "integer" || type === "boolean";
}

function isChoice(items: JsonValue | undefined): boolean {
  return isObject(items) && (Array.isArray(items["enum"]) || Array.isArray(items["anyOf"]));
}
