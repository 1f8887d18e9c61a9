import {
  displayLine,
  displayProse,
  type Answer,
  type AuthRequest,
  type JsonObject,
  type ToolCall,
} from "@toolweave/core";
import { elicitationAnswer, canElicit, type ClientQuestion } from "../clients/client-question.ts";
import { form, maxQuestionLength, type AskingContext, type QuestionPart } from "./question-part.ts";

/**
 * A page to go to. One that leads back to an address of its own (OAuth) is not done with before that address is here: it is
 * asked for, since nobody need listen there. What is in it is of use only to whoever has begun the sign-in (RFC 7636).
 */
export function signInPart(
  call: ToolCall,
  { id, message, url, userCode }: AuthRequest,
  { capabilities, by }: AskingContext,
): QuestionPart | undefined {
  const text = [
    `${displayLine(call.name)} needs you to sign in: ${displayProse(message)}`,
    ...(userCode === undefined ? [] : [`Your code: ${displayLine(userCode)}`]),
  ].join("\n");
  if (text.length > maxQuestionLength) return undefined;
  const leadsBack = url !== undefined && URL.parse(url)?.searchParams.has("redirect_uri") === true;
  const answer = (response: JsonObject): readonly Answer[] => {
    const given = elicitationAnswer(response);
    if (given.action !== "accept") {
      return [{ type: "reject", requestId: id, reason: "The user did not sign in.", by }];
    }
    const address = given.content?.["address"];
    return typeof address === "string" && address.trim() !== ""
      ? [{ type: "input", requestId: id, value: address }]
      : [{ type: "approve", requestId: id, by }];
  };
  const page = url !== undefined && canElicit("url", capabilities) ? toPage(text, url) : undefined;
  if (page !== undefined && !leadsBack) return { question: page, answer };
  if (!canElicit("form", capabilities)) return undefined;
  const fields = leadsBack ? { address } : {};
  const asks = leadsBack ? "accept with the address that you were led to" : "accept";
  const where = url === undefined ? "" : `\nOpen ${displayLine(url)}`;
  const said = `${text}${page === undefined ? where : ""}\nOnce you have signed in, ${asks}.`;
  const question = form(said, { type: "object", properties: fields });
  return page === undefined ? { question, answer } : { before: page, question, answer };
}

const address = {
  type: "string",
  title: "Address",
  description:
    "The address in the browser after signing in, whether the page has loaded or not. Leave it empty if you have signed in elsewhere.",
};

function toPage(message: string, url: string): ClientQuestion {
  const params = { mode: "url", message, url, elicitationId: crypto.randomUUID() };
  return { method: "elicitation/create", params };
}
