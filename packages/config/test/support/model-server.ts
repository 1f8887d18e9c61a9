import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { JsonObject } from "@toolweave/core";
import { startServer } from "@toolweave/test-support/start-server";

/** A request to the chat API, with the fields that the tests need. */
export interface ChatRequest {
  readonly authorization: string | undefined;
  readonly model: string;
  readonly reasoning_effort?: string;
  readonly messages: readonly { readonly role: string; readonly content: string | null }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

/** The answer of a model: a text, the call of a tool, or an error of its API. */
export type ChatAnswer =
  | string
  | { readonly call: string; readonly input: JsonObject }
  | { readonly status: number; readonly message: string };

/** An API of language models, until the test ends. */
export interface ModelServer {
  /** The `baseURL`. */
  readonly url: string;
  readonly requests: readonly ChatRequest[];
}

/** An API like that of many local programs: it streams a script, turn by turn. */
export async function modelServer(
  script: (request: ChatRequest) => ChatAnswer,
): Promise<ModelServer> {
  const requests: ChatRequest[] = [];
  const server = createServer((request, response) => {
    void readChat(request).then((chat) => {
      requests.push(chat);
      answer(chat, script(chat), response);
    });
  });
  return { url: `${await startServer(server)}/v1`, requests };
}

/** The turns of a model with fixed answers: the last one repeats. */
export function turns(...answers: readonly ChatAnswer[]): (request: ChatRequest) => ChatAnswer {
  return ({ messages }) => {
    const said = messages.filter(({ role }) => role === "assistant").length;
    return answers[Math.min(said, answers.length - 1)] as ChatAnswer;
  };
}

async function readChat(request: IncomingMessage): Promise<ChatRequest> {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  const { authorization } = request.headers;
  return { ...(JSON.parse(body) as ChatRequest), authorization };
}

function answer({ model }: ChatRequest, given: ChatAnswer, response: ServerResponse): void {
  if (typeof given === "object" && "status" in given) {
    response.writeHead(given.status, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: given.message } }));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (fields: object): void => {
    const chunk = { id: "chat", created: 1, model, object: "chat.completion.chunk", ...fields };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  const delta = (fields: object, finish_reason: string | null = null): void =>
    send({ choices: [{ index: 0, delta: fields, finish_reason }] });
  if (typeof given === "string") delta({ content: given });
  else {
    const called = { name: given.call, arguments: JSON.stringify(given.input) };
    delta({ tool_calls: [{ index: 0, id: "call_1", type: "function", function: called }] });
  }
  delta({}, typeof given === "string" ? "stop" : "tool_calls");
  send({ choices: [], usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 } });
  response.end("data: [DONE]\n\n");
}
