import { createInterface } from "node:readline";

/**
 * A server that answers a call with the `result` or `error` in its arguments: the SDK's server
 * would send none of it. It implements the older protocol itself.
 */
interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: {
    readonly name?: string;
    readonly _meta?: { readonly [key: string]: unknown };
    readonly arguments?: { readonly result?: unknown; readonly error?: unknown };
  };
}

const send = (message: object): boolean =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

const inputSchema = { type: "object" };
const outputSchema = {
  type: "object",
  properties: { pages: { type: "integer" } },
  required: ["pages"],
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line) as Message;
  switch (method) {
    case "initialize":
      return void send({
        id,
        result: {
          protocolVersion: "2025-11-25",
          capabilities: { tools: {} },
          serverInfo: { name: "answering", version: "1" },
        },
      });
    case "tools/list": {
      const tools = [
        { name: "answer", inputSchema },
        { name: "count", inputSchema, outputSchema },
        { name: "show_meta", inputSchema },
        { name: "read_meta", inputSchema, annotations: { readOnlyHint: true } },
      ];
      return void send({ id, result: { tools } });
    }
    case "tools/call":
      if (params?.name?.endsWith("_meta") === true) {
        const { _meta = {} } = params;
        const { progressToken: _, ...meta } = _meta;
        return void send({
          id,
          result: { content: [{ type: "text", text: JSON.stringify(meta) }] },
        });
      }
      return void send({ id, ...params?.arguments });
    default:
      if (id !== undefined) send({ id, error: { code: -32601, message: "Method not found" } });
  }
});
