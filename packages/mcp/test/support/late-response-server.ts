import { createInterface } from "node:readline";

/**
 * A server whose answers cross the host's messages: it answers a call when it is notified of the
 * cancellation, or at once and once more then. It implements the older protocol itself, since the
 * SDK's server would not answer.
 */
interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: {
    readonly requestId?: number;
    readonly arguments?: { readonly answer?: string };
  };
}

const send = (message: object): boolean =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const answer = (id: number | undefined): boolean =>
  send({ id, result: { content: [{ type: "text", text: '"done"' }] } });

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line) as Message;
  switch (method) {
    case "initialize":
      return void send({
        id,
        result: {
          protocolVersion: "2025-11-25",
          capabilities: { tools: {} },
          serverInfo: { name: "late", version: "1" },
        },
      });
    case "tools/list":
      return void send({
        id,
        result: { tools: [{ name: "late", inputSchema: { type: "object" } }] },
      });
    case "tools/call":
      if (params?.arguments?.answer === "at once") answer(id);
      return;
    case "notifications/cancelled":
      return void answer(params?.requestId);
    default:
      if (id !== undefined) send({ id, error: { code: -32601, message: "Method not found" } });
  }
});
