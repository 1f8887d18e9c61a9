import {
  displayLine,
  displayProse,
  type Answer,
  type ApprovalRequest,
  type Interruption,
  type InterruptionRequest,
  type JsonObject,
  type ToolCall,
} from "@toolweave/core";
import { isObject, type AuthRequest } from "@toolweave/core/adapter";
import {
  createApprovalPart,
  toFormQuestion,
  maxQuestionLength,
  createInputPart,
  type AskingContext,
  type QuestionPart,
} from "./request-question.ts";
import { toElicitationAnswer, canElicit, type ClientQuestion } from "../clients/client-question.ts";
import { errorResult } from "../clients/call-result.ts";
import type { GatewayClient } from "../clients/gateway-client.ts";
import type { RequestStates } from "../clients/request-states.ts";
import type { GatewaySettings } from "../clients/serve-options.ts";

/** Questions for a client about an interrupted call. */
export interface InterruptionQuestions {
  /** By key. */
  readonly questions: Readonly<Record<string, ClientQuestion>>;
  /**
   * Converts the client's responses to answers.
   *
   * @param responses Responses by key, not validated. An invalid response counts as a rejection.
   * @returns `undefined` when a question has no response.
   */
  answers(responses: JsonObject): readonly Answer[] | undefined;
}

/** Creates the questions for a client's user; `undefined` if one of the requests cannot be asked there. */
function toQuestions(
  interruption: Interruption,
  context: AskingContext,
): InterruptionQuestions | undefined {
  const approvals = interruption.requests.filter((request) => request.type === "approval");
  const parts = new Map<string, QuestionPart>();
  if (approvals.length > 0) {
    const part = context.approvals && createApprovalPart(interruption, approvals, context);
    if (!part) return undefined;
    parts.set("approval", part);
  }
  for (const request of interruption.requests) {
    if (request.type === "approval") continue;
    const part = toPart(interruption, request, context);
    if (part === undefined) return undefined;
    parts.set(parts.has(request.id) ? `${request.id}_${parts.size}` : request.id, part);
  }
  const questions = new Map<string, ClientQuestion>();
  for (const [key, { question, before }] of parts) {
    if (before !== undefined) questions.set(`${key}_page`, before);
    questions.set(key, question);
  }
  return {
    questions: Object.fromEntries(questions),
    answers(responses) {
      const answers: Answer[] = [];
      for (const [key, { answer, before }] of parts) {
        const response = getResponse(key, responses);
        const first = before === undefined ? response : getResponse(`${key}_page`, responses);
        if (response === undefined || first === undefined) return undefined;
        answers.push(...answer(isAccepted(first) ? response : first));
      }
      return answers;
    },
  };
}

function getResponse(key: string, responses: JsonObject): JsonObject | undefined {
  const response = Object.hasOwn(responses, key) ? responses[key] : undefined;
  return isObject(response) ? response : undefined;
}

function isAccepted(response: JsonObject): boolean {
  return toElicitationAnswer(response).action === "accept";
}

function toPart(
  { call }: Interruption,
  request: Exclude<InterruptionRequest, ApprovalRequest>,
  context: AskingContext,
): QuestionPart | undefined {
  switch (request.type) {
    case "input":
      return createInputPart(request, context);
    case "auth":
      return createSignInPart(call, request, context);
    case "result":
      return undefined;
  }
}

/**
 * Creates the question about a page to visit. After a page that redirects to an address of its own (OAuth), that
 * address is asked for, because no server need listen there. It is of use only to the client that has started the
 * sign-in (RFC 7636).
 */
function createSignInPart(
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

/** Maximum number of characters of a `requestState`, which a client sends back. */
const maxStateLength = 1_000_000;

/**
 * Handles a call that waits for a person: its client is asked, or receives a result that says how it is answered
 * elsewhere.
 */
export class Interruptions {
  readonly #served: GatewaySettings;
  readonly #states: RequestStates;

  constructor(served: GatewaySettings, states: RequestStates) {
    this.#served = served;
    this.#states = states;
  }

  /** Returns the questions for the client; `undefined`: the client cannot be asked. */
  createQuestions(
    { caller, sessionId }: GatewayClient,
    interruption: Interruption,
    capabilities: JsonObject,
  ): InterruptionQuestions | undefined {
    return toQuestions(interruption, {
      capabilities,
      approvals: this.#served.approvals === "elicit",
      hasSession: sessionId !== undefined,
      by: caller?.id ?? "the client's user",
    });
  }

  /**
   * Returns `input_required` with the interruption as its state.
   *
   * @param name Name of the called tool.
   */
  async toInputRequired(
    client: GatewayClient,
    name: string,
    interruption: Interruption,
    { questions }: InterruptionQuestions,
  ): Promise<JsonObject> {
    const requestState = await this.#states.seal(client, name, { interruption });
    if (requestState.length > maxStateLength) return this.toOutOfBandResult(interruption);
    return {
      resultType: "input_required",
      inputRequests: questions as unknown as JsonObject,
      requestState,
    };
  }

  /** Returns the result for a client that cannot be asked: it says how the call is answered elsewhere. */
  async toOutOfBandResult(interruption: Interruption): Promise<JsonObject> {
    return errorResult(await this.outOfBandMessage(interruption));
  }

  /** Returns the message for the model that says how the call is answered elsewhere. */
  async outOfBandMessage(interruption: Interruption): Promise<string> {
    const { id, call, requests } = interruption;
    const isApproval = requests.every(({ type }) => type === "approval");
    const how =
      (await this.#served.howToAnswer?.(interruption)) ??
      `The program that serves these tools has to ${isApproval ? "approve" : "resume"} the call ${id} (executor.resume).`;
    return `${call.name} is not completed: it waits for ${isApproval ? "the approval of a person" : "a person"} who cannot be asked here. Tell the user how to continue, and do not repeat the call before they have: ${how}`;
  }
}
