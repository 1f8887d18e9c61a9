import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** The model's output in one turn: a text, or calls of tools. Input that is a text is sent unchanged. */
type ModelTurn =
  | string
  | readonly { readonly id: string; readonly name: string; readonly input?: object | string }[];

/** The results of the model's calls, by their ids. */
export type ModelResults = Readonly<
  Record<string, { readonly text: string; readonly isError: boolean }>
>;

/** A turn, or a function from the results to a turn. */
export type ScriptedTurn = ModelTurn | ((results: ModelResults) => ModelTurn);

/** A block of a message, as far as it matters here. */
interface MessageBlock {
  readonly type: string;
  readonly text?: string;
  readonly tool_use_id?: string;
  readonly is_error?: boolean;
  readonly content?: string | readonly MessageBlock[];
}

/** A request for the model's next turn. */
export interface ModelRequest {
  readonly tools?: readonly { readonly name: string; readonly description?: string }[];
  readonly messages: readonly {
    readonly role: string;
    readonly content: string | readonly MessageBlock[];
  }[];
}

/**
 * An HTTP service with Anthropic's Messages API, as far as streaming is concerned, which follows a
 * script.
 */
export class MessagesApi {
  readonly requests: ModelRequest[] = [];
  readonly #server: Server;
  readonly #turns: ScriptedTurn[];

  constructor(turns: readonly ScriptedTurn[]) {
    this.#turns = [...turns];
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        if (!request.url?.startsWith("/v1/messages?"))
          return void response.writeHead(404).end("{}");
        this.#answer(JSON.parse(Buffer.concat(chunks).toString()) as ModelRequest, response);
      });
    });
  }

  /** Listens until the test is done. */
  static async listen(...turns: readonly ScriptedTurn[]): Promise<MessagesApi> {
    const api = new MessagesApi(turns);
    await new Promise<void>((resolve) => api.#server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      api.#server.closeAllConnections();
      api.#server.close();
    });
    return api;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get results(): ModelResults {
    const blocks = this.requests.flatMap(({ messages }) =>
      messages.flatMap(({ content }) => (typeof content === "string" ? [] : content)),
    );
    return Object.fromEntries(
      blocks.flatMap(({ type, tool_use_id: id, content = "", is_error }) =>
        type === "tool_result" && id !== undefined
          ? [[id, { text: readText(content), isError: is_error === true }]]
          : [],
      ),
    );
  }

  #answer(request: ModelRequest, response: ServerResponse): void {
    this.requests.push(request);
    const next = this.#turns.shift() ?? "The script has no more turns.";
    const turn = typeof next === "function" ? next(this.results) : next;
    const blocks = typeof turn === "string" ? [turn] : turn;
    response.writeHead(200, { "content-type": "text/event-stream" });
    const say = (type: string, data: object): unknown =>
      response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
    const usage = { input_tokens: 1, output_tokens: 1 };
    say("message_start", {
      message: {
        id: `msg_${this.requests.length}`,
        type: "message",
        role: "assistant",
        model: "scripted",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage,
      },
    });
    for (const [index, block] of blocks.entries()) {
      if (typeof block === "string") {
        say("content_block_start", { index, content_block: { type: "text", text: "" } });
        say("content_block_delta", { index, delta: { type: "text_delta", text: block } });
      } else {
        const { id, name, input = {} } = block;
        say("content_block_start", {
          index,
          content_block: { type: "tool_use", id, name, input: {} },
        });
        const json = typeof input === "string" ? input : JSON.stringify(input);
        const delta = { type: "input_json_delta", partial_json: json };
        say("content_block_delta", { index, delta });
      }
      say("content_block_stop", { index });
    }
    const reason = typeof turn === "string" ? "end_turn" : "tool_use";
    say("message_delta", { delta: { stop_reason: reason, stop_sequence: null }, usage });
    say("message_stop", {});
    response.end();
  }
}

function readText(content: string | readonly MessageBlock[]): string {
  return typeof content === "string" ? content : content.map(({ text = "" }) => text).join("\n");
}
