import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

/**
 * A server that lists the JSON in the file that its first argument names, read again for every
 * list, and answers every call with `answer` of that file. It implements the older protocol itself.
 */
const file = process.argv[2] ?? "";

interface Message {
  readonly id?: number | string;
  readonly method: string;
}

// As text: the server must not fail at the values that the client should handle.
const listed = (): string => readFileSync(file, "utf8");

const answered = (): unknown =>
  (JSON.parse(listed()) as { readonly answer?: unknown }).answer ?? {
    content: [{ type: "text", text: "done" }],
  };

const initialized = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: { listChanged: true } },
  serverInfo: { name: "listing", version: "1" },
};

const results: Readonly<Record<string, () => string>> = {
  initialize: () => JSON.stringify(initialized),
  ping: () => "{}",
  "tools/list": listed,
  "tools/call": () => JSON.stringify(answered()),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line) as Message;
  if (id === undefined) return;
  const result = results[method]?.();
  const error = '"error":{"code":-32601,"message":"Method not found"}';
  const body = result === undefined ? error : `"result":${result}`;
  process.stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},${body}}\n`);
});
