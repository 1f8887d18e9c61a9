import {
  displayLine,
  displayProse,
  displayText,
  type InputRequest,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
} from "@toolweave/core";
import { isObject } from "@toolweave/core/adapter";
import { toElicitationAnswer, canElicit } from "../clients/client-question.ts";
import {
  toFormQuestion,
  maxQuestionLength,
  type AskingContext,
  type QuestionPart,
} from "./question-part.ts";

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
