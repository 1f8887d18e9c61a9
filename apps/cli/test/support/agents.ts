import { once } from "node:events";
import { mkdirSync, realpathSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { notes, type Notes } from "./notes.ts";

const require = createRequire(import.meta.url);

/** A request to the model, with the fields that the tests need. */
interface ModelRequest {
  readonly messages: readonly { readonly role: string; readonly content: string | null }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

/** The model's output in a turn: a text, or a call to read or to write notes. */
export type Turn = string | { readonly writes: string } | { readonly reads: true };

/** Notes, with a secretary for them, and the requests to its model. */
export interface Secretary extends Notes {
  readonly requests: readonly ModelRequest[];
}

/**
 * A configuration whose agent `secretary` has a model with scripted turns.
 *
 * @param more of the agent.
 * @param others beside the agents.
 */
export async function secretary(
  turns: readonly Turn[],
  more: object = {},
  others: object = {},
): Promise<Secretary> {
  const requests: ModelRequest[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const chat = JSON.parse(body) as ModelRequest;
    requests.push(chat);
    const said = chat.messages.filter(({ role }) => role === "assistant").length;
    response.writeHead(200, { "content-type": "text/event-stream" });
    const { delta, finish_reason } = answer(turns[said] ?? "That is all.");
    const chunk = {
      id: "chat",
      created: 1,
      model: "m",
      choices: [{ index: 0, delta, finish_reason }],
    };
    response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const model = {
    baseURL: `http://127.0.0.1:${port}/v1`,
    apiKey: "${MODEL_KEY:-none}",
    model: "m",
  };
  const made = notes({
    ...others,
    agents: {
      secretary: {
        description: "Keeps the notes.",
        system: "You keep the notes.",
        model,
        tools: ["notes__*"],
        ...more,
      },
    },
  });
  const installed = dirname(require.resolve("@ai-sdk/openai-compatible/package.json"));
  mkdirSync(join(made.folder, "node_modules/@ai-sdk"), { recursive: true });
  symlinkSync(
    realpathSync(installed),
    join(made.folder, "node_modules/@ai-sdk/openai-compatible"),
    "dir",
  );
  return { ...made, requests };
}

function answer(turn: Turn): { readonly delta: object; readonly finish_reason: string } {
  if (typeof turn === "string") return { delta: { content: turn }, finish_reason: "stop" };
  const called =
    "reads" in turn
      ? { name: "notes__read_notes", arguments: "{}" }
      : { name: "notes__write_note", arguments: JSON.stringify({ text: turn.writes }) };
  const call = { index: 0, id: "call_1", type: "function", function: called };
  return { delta: { tool_calls: [call] }, finish_reason: "tool_calls" };
}
