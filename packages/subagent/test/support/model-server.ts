import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { JsonObject } from "@toolweave/core";

/** A request to the chat API, with the fields that the tests need. */
export interface ChatRequest {
  readonly model: string;
  readonly stream?: boolean;
  readonly messages: readonly {
    readonly role: string;
    readonly content: string | null;
    readonly reasoning_content?: string;
    readonly tool_calls?: readonly {
      readonly id: string;
      readonly function: { readonly name: string; readonly arguments: string };
    }[];
    readonly tool_call_id?: string;
  }[];
  readonly tools?: readonly {
    readonly function: { readonly name: string; readonly parameters: JsonObject };
  }[];
}

/** The model's answer to a request. */
export interface ChatAnswer {
  readonly reasoning?: string;
  readonly text?: string;
  readonly calls?: readonly {
    readonly id: string;
    readonly name: string;
    readonly input: JsonObject;
  }[];
}

/** An OpenAI-compatible chat API over HTTP: it streams a script, a few characters at a time. */
export class ModelServer {
  readonly requests: ChatRequest[] = [];
  /** The number of requests that are being answered. */
  open = 0;
  /** The maximum number at once. */
  most = 0;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(
    script: (request: ChatRequest) => ChatAnswer | Promise<ChatAnswer>,
  ): Promise<ModelServer> {
    const server = createServer((request, response) => {
      void own.#answer(request, response, script);
    });
    const own = new ModelServer(server);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return own;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #answer(
    request: IncomingMessage,
    response: ServerResponse,
    script: (request: ChatRequest) => ChatAnswer | Promise<ChatAnswer>,
  ): Promise<void> {
    this.open += 1;
    this.most = Math.max(this.most, this.open);
    response.on("close", () => (this.open -= 1));
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const chat = JSON.parse(body) as ChatRequest;
    this.requests.push(chat);
    const answer = await script(chat);
    response.writeHead(200, { "content-type": "text/event-stream" });
    const send = (data: object): void => void response.write(`data: ${JSON.stringify(data)}\n\n`);
    const base = { id: "chat", created: 1, model: chat.model, object: "chat.completion.chunk" };
    const delta = (fields: object): void =>
      send({ ...base, choices: [{ index: 0, delta: fields }] });
    for (const [name, said = ""] of [
      ["reasoning_content", answer.reasoning],
      ["content", answer.text],
    ] as const) {
      for (let at = 0; at < said.length; at += 4) delta({ [name]: said.slice(at, at + 4) });
    }
    const { calls = [] } = answer;
    for (const [index, { id, name, input }] of calls.entries()) {
      const json = JSON.stringify(input);
      const half = Math.ceil(json.length / 2);
      delta({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] });
      delta({ tool_calls: [{ index, function: { arguments: json.slice(0, half) } }] });
      delta({ tool_calls: [{ index, function: { arguments: json.slice(half) } }] });
    }
    const finish_reason = calls.length > 0 ? "tool_calls" : "stop";
    send({ ...base, choices: [{ index: 0, delta: {}, finish_reason }] });
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 20,
      total_tokens: 120,
      prompt_tokens_details: { cached_tokens: 40 },
      completion_tokens_details: { reasoning_tokens: 5 },
    };
    send({ ...base, choices: [], usage });
    response.end("data: [DONE]\n\n");
  }
}
