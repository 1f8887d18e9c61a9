import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

/**
 * A server over stdio whose tool `write` adds its `id` to the file of the first argument, and exits
 * at the point of `ends`: `before` it has written, `after` it, or in the `midst` of its answer.
 */
const [, , ledger = ""] = process.argv;

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly arguments?: { readonly id?: string; readonly ends?: string } };
}

const text = (message: object): string => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
const says = (id: number | undefined, said: string): string =>
  text({ id, result: { content: [{ type: "text", text: said }] } });
const written = { type: "object", properties: { id: {}, ends: {} } };

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line) as Message;
  switch (method) {
    case "initialize": {
      const serverInfo = { name: "ledger", version: "1" };
      const result = { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo };
      return void process.stdout.write(text({ id, result }));
    }
    case "tools/list":
      return void process.stdout.write(
        text({ id, result: { tools: [{ name: "write", inputSchema: written }] } }),
      );
    case "tools/call": {
      const { id: entry = "", ends } = params?.arguments ?? {};
      if (ends === "before") process.exit(3);
      appendFileSync(ledger, `${entry}\n`);
      if (ends === "after") process.exit(3);
      const answer = says(id, `wrote ${entry}`);
      if (ends !== "midst") return void process.stdout.write(answer);
      return void process.stdout.write(answer.slice(0, 20), () => process.exit(3));
    }
    default:
      if (id === undefined) return undefined;
      const error = { code: -32601, message: "Method not found" };
      return void process.stdout.write(text({ id, error }));
  }
});
