import {
  displayLine,
  displayProse,
  displayText,
  type InputRequest,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
} from "@toolweave/core";
import { elicitationAnswer, canElicit } from "../clients/client-question.ts";
import { isObject } from "../../schema/schema-keywords.ts";
import { form, maxQuestionLength, type AskingContext, type QuestionPart } from "./question-part.ts";

/** Something that a person supplies, as a form. `undefined`: no form can ask for it. */
export function inputPart(
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
  const displayed = displayedForm(requested);
  if (displayed === undefined) return undefined;
  return {
    question: form(message, displayed),
    answer(response) {
      const given = elicitationAnswer(response);
      const content = given.action === "accept" ? given.content : undefined;
      const value = isForm ? content : content?.["answer"];
      if (value === undefined) {
        const reason = `The user ${given.action === "cancel" ? "dismissed the question" : "did not answer"}.`;
        return [{ type: "reject", requestId: id, reason }];
      }
      return [{ type: "input", requestId: id, value }];
    },
  };
}

/**
 * The form with its titles and descriptions as a person reads them. `undefined`: a field's name or a
 * choice, which come back as they are, has characters that nobody would see.
 */
function displayedForm(requested: JsonSchema): JsonSchema | undefined {
  let isSeen = true;
  const displayed = (value: JsonValue, key = "", isNamed = false): JsonValue => {
    if (typeof value === "string") {
      if (key === "title" || key === "description") return displayProse(value);
      const isChoice = key === "item" || key === "const";
      if ((isChoice ? displayLine(value) : displayText(value)) !== value) isSeen = false;
      return value;
    }
    if (Array.isArray(value)) {
      return (value as readonly JsonValue[]).map((item) => displayed(item, "item"));
    }
    if (!isObject(value)) return value;
    const members = Object.entries(value).map(([name, member]): [string, JsonValue] => {
      if (isNamed && displayLine(name) !== name) isSeen = false;
      return [name, displayed(member, isNamed ? "" : name, name === "properties" && !isNamed)];
    });
    return Object.fromEntries(members);
  };
  const form = displayed(requested) as JsonSchema;
  return isSeen ? form : undefined;
}

/** An object of plain fields: all that a form can be (2025-11-25, client/elicitation, requested schema). */
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
