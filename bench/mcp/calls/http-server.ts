import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { answerTo, type Message } from "./echo.ts";

// The echo server over Streamable HTTP, on loopback; its parent receives the URL:
//
// node http-server.ts
const server = createServer((request, response) => {
  if (request.method !== "POST") return void response.writeHead(405).end();
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => void chunks.push(chunk));
  request.on("end", () => {
    const answer = answerTo(JSON.parse(Buffer.concat(chunks).toString()) as Message);
    if (answer === undefined) return void response.writeHead(202).end();
    response.writeHead(200, { "content-type": "application/json" }).end(answer);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1");
await once(server, "listening");
process.on("disconnect", () => process.exit());
process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` });
