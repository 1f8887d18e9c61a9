import { createInterface } from "node:readline";

/** A server with one tool. Its argument: `well`, `hanging` at its start, `crashing` after every start, `flooding`. */
const [, , way = "well"] = process.argv;

const send = (message: object): boolean =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

function flood(): void {
  let goesOn = true;
  for (let count = 0; count < 100 && goesOn; count += 1) {
    goesOn = send({ method: "notifications/tools/list_changed" });
  }
  if (goesOn) setTimeout(flood, 1);
  else process.stdout.once("drain", flood);
}

if (way === "hanging") {
  process.stdin.resume();
} else {
  if (way === "crashing") setTimeout(() => process.exit(3), 200);
  createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method } = JSON.parse(line) as { id?: number; method: string };
    if (method === "initialize") {
      const capabilities = { tools: { listChanged: true } };
      const serverInfo = { name: way, version: "1" };
      send({ id, result: { protocolVersion: "2025-11-25", capabilities, serverInfo } });
      if (way === "flooding") flood();
    } else if (method === "tools/list") {
      send({ id, result: { tools: [{ name: "echo", inputSchema: { type: "object" } }] } });
    } else if (method === "tools/call") {
      send({ id, result: { content: [{ type: "text", text: "echo" }] } });
    } else if (id !== undefined) {
      send({ id, error: { code: -32601, message: "Method not found" } });
    }
  });
}
