import type { InputRequest, JsonObject, JsonSchema, JsonValue } from "@toolweave/core";
import { elicitationAnswer } from "./ask-the-client.ts";
import { canElicit, isObject } from "./client-question.ts";
import { form, longestQuestion, type AskingContext, type QuestionPart } from "./question-part.ts";

/** Something that a person supplies, as a form. `undefined`: no form can ask for it. */
export function inputPart(
  { id, message, schema }: InputRequest,
  context: AskingContext,
): QuestionPart | undefined {
  if (!canElicit("form", context.capabilities)) return undefined;
  if (message.length > longestQuestion) return undefined;
  const isForm = schema !== undefined && isFlatForm(schema);
  if (!isForm && schema !== undefined && !isField(schema)) return undefined;
  const requested: JsonSchema = isForm
    ? schema
    : {
        type: "object",
        properties: { answer: schema ?? { type: "string" } },
        required: ["answer"],
      };
  return {
    question: form(message, requested),
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
