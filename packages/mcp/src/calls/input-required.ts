import {
  suspend,
  ToolError,
  type Awaitable,
  type JsonObject,
  type JsonValue,
  type Suspension,
  type ToolContext,
  type ToolOutput,
} from "@toolweave/core";
import { isObject, pause, type SuspensionRequest } from "@toolweave/core/adapter";
import type {
  ServerRequestHandler,
  ParsedServerRequest,
} from "../server-requests/server-request-handler.ts";
import { toAnswerSchema, InvalidServerRequest } from "../server-requests/form-answer.ts";
import {
  readUrlElicitationRequired,
  readResumedRound,
  type OpenRoundRequest,
  type RoundState,
} from "./input-round.ts";

/** Maximum number of rounds before a result, resumed calls included. */
const maxRounds = 10;

/** Maximum number of requests in one round. */
const maxRequests = 50;

/** Maximum number of characters of the server's key for a request, and of its state: an interrupted call stores both. */
const maxKeyLength = 1_000;
const maxStateLength = 1_000_000;

/** Milliseconds before a request is repeated if the server asked only for that. */
const retryDelayMs = 250;

/** A request that waits for a person. */
interface OpenRequest {
  readonly asked: OpenRoundRequest;
  readonly request: SuspensionRequest;
}

/**
 * Sends a request and handles what the server requires before it returns a result: `input_required` of the newer
 * protocol (2026-07-28, basic/patterns/mrtr), and pages that a person has to visit first, of the older one (the error
 * -32042). A request that no handler can answer becomes a suspension; a resumed call continues from there, in another
 * process too.
 *
 * @param resumedWith Answers that the call is resumed with; see `withSignIn`.
 * @param send Sends the request, with additional params.
 * @param toOutput Converts the result.
 * @returns the output, or the suspension.
 * @throws ToolError `limit_exceeded` when the server exceeds the number of rounds, `execution_failed` when a request
 * is invalid, `approval_rejected` when a person declines a required page; errors of `send` and `toOutput`.
 */
export async function handleInputRequired<Answer>(
  handler: ServerRequestHandler,
  ctx: ToolContext,
  resumedWith: ToolContext["resumed"],
  send: (more: JsonObject) => Awaitable<Answer>,
  toOutput: (server: string, answer: Answer) => ToolOutput,
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
    if (!isRefusal && !isInputRequired(answer)) return toOutput(handler.server, answer as Answer);
    round += 1;
    if (round > maxRounds) throw tooManyRoundsError(handler.server);
    const { requestState, inputRequests } = answer as InputRequired;
    if (requestState === undefined && inputRequests === undefined)
      throw emptyRequestError(handler.server);
    if (typeof requestState === "string" && requestState.length > maxStateLength)
      throw stateTooLongError(handler.server);
    const { responses, open } = await requestInput(handler, ctx, round, inputRequests);
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
    if (Object.keys(responses).length === 0) await pause(retryDelayMs, { signal: ctx.signal });
  }
}

/** Returns the additional params of the repeated request. */
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

/** Result of a server that requires input first. */
interface InputRequired {
  readonly inputRequests?: JsonValue;
  readonly requestState?: JsonValue;
}

function isInputRequired(answer: unknown): boolean {
  return isObject(answer) && answer["resultType"] === "input_required";
}

/**
 * Passes the requests to the host's handlers; those without a handler stay open. All are validated before the first
 * is passed on.
 */
async function requestInput(
  handler: ServerRequestHandler,
  ctx: ToolContext,
  round: number,
  inputRequests: JsonValue | undefined,
): Promise<{ readonly responses: JsonObject; readonly open: readonly OpenRequest[] }> {
  const requests = readRequests(handler, inputRequests);
  const responses: [string, JsonValue][] = [];
  const open: OpenRequest[] = [];
  for (const [key, request] of requests) {
    if (request.method === "elicitation/create" && handler.options.onElicitation === undefined) {
      const id = `${ctx.callId}:${round}.${open.length + 1}`;
      open.push(toOpenRequest(id, key, request));
    } else {
      responses.push([key, await handler.handle(request, ctx)]);
    }
  }
  return { responses: Object.fromEntries(responses), open };
}

function readRequests(
  handler: ServerRequestHandler,
  inputRequests: JsonValue | undefined,
): readonly (readonly [string, ParsedServerRequest])[] {
  const entries = Object.entries(isObject(inputRequests) ? inputRequests : {});
  try {
    if (entries.length > maxRequests)
      throw new InvalidServerRequest(`${entries.length} requests at once`);
    if (entries.some(([key]) => key.length > maxKeyLength))
      throw new InvalidServerRequest("a request with a key that is too long");
    return entries.map(([key, entry]) => {
      const { method, params } = isObject(entry) ? entry : {};
      return [key, handler.read(method, params)] as const;
    });
  } catch (error) {
    if (!(error instanceof InvalidServerRequest)) throw error;
    throw new ToolError(
      "execution_failed",
      `The MCP server ${handler.server} requires input before it continues. ${error.message}`,
      { cause: error },
    );
  }
}

type Elicitation = Extract<ParsedServerRequest, { method: "elicitation/create" }>;

function toOpenRequest(id: string, key: string, { request }: Elicitation): OpenRequest {
  const { server, message } = request;
  if (request.mode === "url") {
    const { url } = request;
    const text = `The MCP server ${server} asks you to go to ${new URL(url).host}: ${message}`;
    return {
      asked: { id, key },
      request: { id, type: "auth", credential: server, message: text, url },
    };
  }
  const schema = toAnswerSchema(request.requestedSchema);
  return {
    asked: { id, key, form: request.requestedSchema },
    request: { id, type: "input", message: `The MCP server ${server} asks: ${message}`, schema },
  };
}

/** Fails the call if a person has declined a page that the server requires: it is not asked again. */
function throwIfDeclined(server: string, responses: JsonObject): void {
  const isDeclined = Object.values(responses).some(
    (response) => isObject(response) && response["action"] !== "accept",
  );
  if (!isDeclined) return;
  throw new ToolError(
    "approval_rejected",
    `The MCP server ${server} requires a person to visit a page first, and the person declined. Do not repeat the call unless you are asked to.`,
  );
}

function emptyRequestError(server: string): ToolError {
  return new ToolError(
    "execution_failed",
    `The MCP server ${server} requires input before it continues, but does not request any.`,
  );
}

function stateTooLongError(server: string): ToolError {
  return new ToolError(
    "execution_failed",
    `The MCP server ${server} requires input before it continues, with a state of more than ${maxStateLength} characters.`,
  );
}

function tooManyRoundsError(server: string): ToolError {
  return new ToolError(
    "limit_exceeded",
    `The MCP server ${server} required input more than ${maxRounds} times without returning a result. The call was cancelled and is not completed.`,
  );
}
