import { setTimeout as wait } from "node:timers/promises";
import {
  suspend,
  ToolError,
  type Awaitable,
  type JsonObject,
  type JsonValue,
  type Suspension,
  type SuspensionRequest,
  type ToolContext,
  type ToolOutput,
} from "@toolweave/core";
import { isObject } from "../schema/schema-keywords.ts";
import type { ServerRequestHandler, Question } from "../server-requests/server-request-handler.ts";
import { toAnswerSchema } from "../server-requests/form.ts";
import { readUrlElicitationRequired } from "./url-elicitation-required.ts";
import { readResumedRound, type Asked, type RoundState } from "./input-round.ts";
import { InvalidServerRequest } from "../server-requests/invalid-server-request.ts";

/** How often a server may ask before it answers, resumed calls included. */
const maxRounds = 10;

/** Questions that a server may ask at once. */
const maxQuestions = 50;

/** Characters of a server's own name for a question, and of its state: a call that waits keeps them. */
const maxKeyLength = 1_000;
const maxStateLength = 1_000_000;

/** Milliseconds before a request goes on for which the server asked nothing but to be asked again. */
const retryDelayMs = 250;

/** A question that waits for a person. */
interface OpenQuestion {
  readonly asked: Asked;
  readonly request: SuspensionRequest;
}

/**
 * Makes a request, and answers what the server asks before it has an answer: `input_required` of the newer protocol
 * (2026-07-28, basic/patterns/mrtr), and pages that a person has to visit first, of the older one (the error -32042).
 * What no handler answers becomes a suspension; a call that is resumed goes on where it stood, in another process too.
 *
 * @param resumedWith what the call goes on with; see `withSignIn`.
 * @param send makes the request, with these params beside its own.
 * @param outputOf reads the answer.
 * @returns the output, or what the call has to wait for.
 * @throws ToolError `limit_exceeded` when the server asks without end, `execution_failed` when nobody is to be asked what
 * it asks, `approval_rejected` when a person would not go where it says; what `send` and `outputOf` throw.
 */
export async function handleInputRequired<Answer>(
  handler: ServerRequestHandler,
  ctx: ToolContext,
  resumedWith: ToolContext["resumed"],
  send: (more: JsonObject) => Awaitable<Answer>,
  outputOf: (server: string, answer: Answer) => ToolOutput,
): Promise<ToolOutput | Suspension> {
  const resumed = readResumedRound(resumedWith);
  let round = resumed?.state.round ?? 0;
  let more =
    resumed === undefined ? {} : toRequestParams(handler.server, resumed.state, resumed.responses);
  for (;;) {
    let isRefusal = false;
    let answer: Answer | InputRequired;
    try {
      answer = await send(more);
    } catch (error) {
      const inputRequests = readUrlElicitationRequired(error);
      if (inputRequests === undefined) throw error;
      isRefusal = true;
      answer = { inputRequests };
    }
    if (!isRefusal && !isInputRequired(answer)) return outputOf(handler.server, answer as Answer);
    round += 1;
    if (round > maxRounds) throw tooManyRoundsError(handler.server);
    const { requestState, inputRequests } = answer as InputRequired;
    if (requestState === undefined && inputRequests === undefined)
      throw emptyRequestError(handler.server);
    if (typeof requestState === "string" && requestState.length > maxStateLength)
      throw stateTooLongError(handler.server);
    const { responses, open } = await askHost(handler, ctx, round, inputRequests);
    const state: RoundState = {
      waits: "mcp",
      round,
      isRefusal,
      ...(typeof requestState === "string" ? { requestState } : {}),
      responses,
      asked: open.map(({ asked }) => asked),
    };
    if (open.length > 0) {
      return suspend(
        open.map(({ request }) => request),
        state as unknown as JsonValue,
      );
    }
    more = toRequestParams(handler.server, state, responses);
    if (Object.keys(responses).length === 0)
      await wait(retryDelayMs, undefined, { signal: ctx.signal });
  }
}

/** What the request is made again with. */
function toRequestParams(
  server: string,
  { isRefusal, requestState }: RoundState,
  responses: JsonObject,
): JsonObject {
  if (isRefusal) {
    throwIfDeclined(server, responses);
    return {};
  }
  return {
    ...(Object.keys(responses).length === 0 ? {} : { inputResponses: responses }),
    ...(requestState === undefined ? {} : { requestState }),
  };
}

/** What a server answers that has to know more first. */
interface InputRequired {
  readonly inputRequests?: JsonValue;
  readonly requestState?: JsonValue;
}

function isInputRequired(answer: unknown): boolean {
  return isObject(answer) && answer["resultType"] === "input_required";
}

/** Puts the questions to whoever can answer them now; the others stay open. All are looked at before any is put. */
async function askHost(
  handler: ServerRequestHandler,
  ctx: ToolContext,
  round: number,
  given: JsonValue | undefined,
): Promise<{ readonly responses: JsonObject; readonly open: readonly OpenQuestion[] }> {
  const questions = readQuestions(handler, given);
  const responses: [string, JsonValue][] = [];
  const open: OpenQuestion[] = [];
  for (const [key, question] of questions) {
    if (question.method === "elicitation/create" && handler.options.onElicitation === undefined) {
      const id = `${ctx.callId}:${round}.${open.length + 1}`;
      open.push(toOpenQuestion(id, key, question));
    } else {
      responses.push([key, await handler.answer(question, ctx)]);
    }
  }
  return { responses: Object.fromEntries(responses), open };
}

function readQuestions(
  handler: ServerRequestHandler,
  given: JsonValue | undefined,
): readonly (readonly [string, Question])[] {
  const entries = Object.entries(isObject(given) ? given : {});
  try {
    if (entries.length > maxQuestions)
      throw new InvalidServerRequest(`${entries.length} questions at once`);
    if (entries.some(([key]) => key.length > maxKeyLength))
      throw new InvalidServerRequest("a question with a name that is too long");
    return entries.map(([key, entry]) => {
      const { method, params } = isObject(entry) ? entry : {};
      return [key, handler.read(method, params)] as const;
    });
  } catch (error) {
    if (!(error instanceof InvalidServerRequest)) throw error;
    throw new ToolError(
      "execution_failed",
      `The MCP server ${handler.server} asks something before it goes on. ${error.message}`,
      { cause: error },
    );
  }
}

type Elicitation = Extract<Question, { method: "elicitation/create" }>;

function toOpenQuestion(id: string, key: string, { request }: Elicitation): OpenQuestion {
  const { server, message } = request;
  if (request.mode === "url") {
    const { url } = request;
    const shown = `The MCP server ${server} asks you to go to ${new URL(url).host}: ${message}`;
    return {
      asked: { id, key },
      request: { id, type: "auth", credential: server, message: shown, url },
    };
  }
  const schema = toAnswerSchema(request.requestedSchema);
  return {
    asked: { id, key, form: request.requestedSchema },
    request: { id, type: "input", message: `The MCP server ${server} asks: ${message}`, schema },
  };
}

/** A server that refused the call until somebody was somewhere is not asked again when they would not go. */
function throwIfDeclined(server: string, responses: JsonObject): void {
  const isDeclined = Object.values(responses).some(
    (response) => isObject(response) && response["action"] !== "accept",
  );
  if (!isDeclined) return;
  throw new ToolError(
    "approval_rejected",
    `The MCP server ${server} runs this only when a person has gone to a page of its own, and they did not. Do not call it again unasked.`,
  );
}

function emptyRequestError(server: string): ToolError {
  return new ToolError(
    "execution_failed",
    `The MCP server ${server} asks for something before it goes on, and does not say what.`,
  );
}

function stateTooLongError(server: string): ToolError {
  return new ToolError(
    "execution_failed",
    `The MCP server ${server} asks for something before it goes on, and wants more than ${maxStateLength} characters kept meanwhile.`,
  );
}

function tooManyRoundsError(server: string): ToolError {
  return new ToolError(
    "limit_exceeded",
    `The MCP server ${server} has asked ${maxRounds} times before it answered, and asks again: it was given up. This is no completed answer.`,
  );
}
