// A server of 2025-11-25 as a process, with one tool, which writes and splits as its argument says.
import { createInterface } from "node:readline";

const { writes = "", splits = false } = JSON.parse(process.argv[2] ?? "{}") as {
  writes?: string;
  splits?: boolean;
};

const results: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "raw", version: "1" },
  },
  "tools/list": { tools: [{ name: "t", inputSchema: { type: "object" } }] },
  "tools/call": { content: [{ type: "text", text: "done ☃" }] },
};

process.stdout.write(writes);

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line) as { id?: number | string; method: string };
  if (id === undefined) continue;
  const result = results[method];
  const content =
    result === undefined ? { error: { code: -32_601, message: "Method not found" } } : { result };
  const bytes = Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", id, ...content })}\n`);
  // In the middle of the last character that is no ASCII, if there is one.
  const middle = splits ? Math.max(bytes.lastIndexOf(0xe2) + 1, 5) : bytes.length;
  process.stdout.write(bytes.subarray(0, middle));
  if (splits) setImmediate(() => process.stdout.write(bytes.subarray(middle)));
}
