import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";

/** The model's output in one turn: a call, or a text. */
export type Said = { readonly text: string } | { readonly name: string; readonly input: object };

/** An OpenAI-compatible chat API with a scripted model. */
export interface ChatServer {
  readonly url: string;
  /** The `authorization` header and the model of each request. */
  readonly asked: readonly { readonly authorization?: string; readonly model: string }[];
  close(): Promise<void>;
}

/** Starts it; a turn may be delayed. Without a script it answers 401. */
export async function chatServer(...turns: readonly (Said | Promise<Said>)[]): Promise<ChatServer> {
  const asked: { authorization?: string; model: string }[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", async () => {
      const { model } = JSON.parse(body) as { model: string };
      const { authorization } = request.headers;
      const turn = turns[asked.length];
      asked.push({ model, ...(authorization === undefined ? {} : { authorization }) });
      const said = await turn;
      if (said === undefined) {
        response.writeHead(401, { "content-type": "application/json" });
        response.end(JSON.stringify({ error: { message: "wrong key" } }));
        return;
      }
      const base = { id: "1", created: 1, model, object: "chat.completion.chunk" };
      const delta =
        "text" in said
          ? { content: said.text }
          : {
              tool_calls: [{ index: 0, id: "c", type: "function", function: toFunctionCall(said) }],
            };
      const finish_reason = "text" in said ? "stop" : "tool_calls";
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const choice of [{ delta }, { delta: {}, finish_reason }]) {
        const choices = [{ index: 0, ...choice }];
        response.write(`data: ${JSON.stringify({ ...base, choices })}\n\n`);
      }
      response.end("data: [DONE]\n\n");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function toFunctionCall({
  name,
  input,
}: {
  readonly name: string;
  readonly input: object;
}): object {
  return { name, arguments: JSON.stringify(input) };
}
