// A process that records effects, and that no fault reaches. It appends each effect to the file of its argument before it
// answers, and sends its port to the process that has started it.
import { appendFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

const [, , path = ""] = process.argv;
writeFileSync(path, "");

async function readBody(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  return body;
}

// PostgreSQL runs on the same machine: this is the database's time.
const server = createServer(async (request, response) => {
  const body = await readBody(request);
  const time = Date.now();
  if (request.method === "POST") {
    appendFileSync(path, `${JSON.stringify({ ...(JSON.parse(body) as object), time })}\n`);
  }
  response.setHeader("content-type", "application/json").end(JSON.stringify({ time }));
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.once("disconnect", () => process.exit());
process.on("SIGINT", () => {});
