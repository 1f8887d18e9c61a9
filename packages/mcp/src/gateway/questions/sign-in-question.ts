import {
  displayLine,
  displayProse,
  type Answer,
  type JsonObject,
  type ToolCall,
} from "@toolweave/core";
import type { AuthRequest } from "@toolweave/core/adapter";
import { toElicitationAnswer, canElicit, type ClientQuestion } from "../clients/client-question.ts";
import {
  toFormQuestion,
  maxQuestionLength,
  type AskingContext,
  type QuestionPart,
} from "./question-part.ts";

/**
 * Creates the question about a page to visit. After a page that redirects to an address of its own (OAuth), that
 * address is asked for, because no server need listen there. It is of use only to the client that has started the
 * sign-in (RFC 7636).
 */
export function createSignInPart(
  call: ToolCall,
  { id, message, url, userCode }: AuthRequest,
  { capabilities, by }: AskingContext,
): QuestionPart | undefined {
  const text = [
    `${displayLine(call.name)} requires you to sign in: ${displayProse(message)}`,
    ...(userCode === undefined ? [] : [`Your code: ${displayLine(userCode)}`]),
  ].join("\n");
  if (text.length > maxQuestionLength) return undefined;
  const redirects = url !== undefined && URL.parse(url)?.searchParams.has("redirect_uri") === true;
  const answer = (response: JsonObject): readonly Answer[] => {
    const result = toElicitationAnswer(response);
    if (result.action !== "accept") {
      return [{ type: "reject", requestId: id, reason: "The user did not sign in.", by }];
    }
    const address = result.content?.["address"];
    return typeof address === "string" && address.trim() !== ""
      ? [{ type: "input", requestId: id, value: address }]
      : [{ type: "approve", requestId: id, by }];
  };
  const page =
    url !== undefined && canElicit("url", capabilities) ? toPageQuestion(text, url) : undefined;
  if (page !== undefined && !redirects) return { question: page, answer };
  if (!canElicit("form", capabilities)) return undefined;
  const fields = redirects ? { address } : {};
  const instruction = redirects ? "accept with the address that you were redirected to" : "accept";
  const where = url === undefined ? "" : `\nOpen ${displayLine(url)}`;
  const fullText = `${text}${page === undefined ? where : ""}\nOnce you have signed in, ${instruction}.`;
  const question = toFormQuestion(fullText, { type: "object", properties: fields });
  return page === undefined ? { question, answer } : { before: page, question, answer };
}

const address = {
  type: "string",
  title: "Address",
  description:
    "The address in the browser after signing in, whether the page has loaded or not. Leave it empty if you have signed in elsewhere.",
};

function toPageQuestion(message: string, url: string): ClientQuestion {
  const params = { mode: "url", message, url, elicitationId: crypto.randomUUID() };
  return { method: "elicitation/create", params };
}
