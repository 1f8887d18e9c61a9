import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { toolCount, toToolName } from "./tool-names.ts";

// An MCP server over stdio, the same for both consoles. It appends the time of its start and its process id to a file.
//
// node servers/tools.ts STARTS          lists 10,000 tools
// node servers/tools.ts STARTS one      lists one tool; sends 1,000 log messages a second for a minute after SIGUSR2
const [, , starts = "", count = ""] = process.argv;
if (starts !== "") appendFileSync(starts, `${Date.now()} ${process.pid}\n`);

const messagesPerSecond = 1000;
const messageSeconds = 60;

const send = (message: object): boolean =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

const tools = Array.from({ length: count === "one" ? 1 : toolCount }, (_, index) => ({
  name: toToolName(index),
  description: "Reads a record of the service and returns it with its history.",
  inputSchema: {
    type: "object",
    properties: {
      id: { type: "string", description: "The id of the record." },
      limit: { type: "integer", minimum: 1, maximum: 100 },
    },
  },
  annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
}));

process.on("SIGUSR2", () => {
  const start = performance.now();
  const total = messagesPerSecond * messageSeconds;
  let sent = 0;
  const timer = setInterval(() => {
    const elapsed = performance.now() - start;
    const due = Math.min(total, Math.floor((elapsed / 1000) * messagesPerSecond));
    for (; sent < due; sent++) {
      const data = `Message ${sent}: a record has been read.`;
      send({ method: "notifications/message", params: { level: "info", logger: "bench", data } });
    }
    if (sent === total) clearInterval(timer);
  }, 10);
});

interface Message {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: { readonly protocolVersion?: string };
}

/** The result of a request; `undefined`: the method is unknown. */
function answer({ method, params }: Message): object | undefined {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: params?.protocolVersion ?? "2025-11-25",
        capabilities: { tools: {}, logging: {} },
        serverInfo: { name: "bench", version: "1.0.0" },
      };
    case "tools/list":
      return { tools };
    case "tools/call":
      return { content: [{ type: "text", text: "A record with its history." }] };
    case "ping":
    case "logging/setLevel":
      return {};
    default:
      return undefined;
  }
}

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const message = JSON.parse(line) as Message;
    const { id } = message;
    if (id === undefined) return;
    const result = answer(message);
    if (result === undefined) send({ id, error: { code: -32601, message: "Method not found" } });
    else send({ id, result });
  })
  .on("close", () => process.exit());
