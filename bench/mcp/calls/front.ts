import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { mcpSource } from "@toolweave/mcp";
import { listenHttp, serveMcp } from "@toolweave/mcp/serve";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { inSession } from "./in-session.ts";

// The program in front of the echo server, over stdio, or over HTTP with its URL sent to the
// parent:
//
// node front.ts "by hand"|toolweave [http]
const [front, way] = process.argv.slice(2);
const isHttp = way === "http";
const command = process.execPath;
const args = [join(import.meta.dirname, "stdio-server.ts")];

const url = await (front === "toolweave" ? toolweave() : byHand());
if (isHttp) {
  process.on("disconnect", () => process.exit());
  process.send?.({ url });
} else {
  process.stdin.once("end", () => process.exit());
}

async function toolweave(): Promise<string> {
  const registry = new ToolRegistry([
    mcpSource({ name: "echo", command, args, trustAnnotations: true }),
  ]);
  await registry.ready;
  const gateway = serveMcp(registry, new ToolExecutor({ registry }));
  if (isHttp) return (await listenHttp(gateway)).url;
  gateway.stdio();
  return "";
}

/** The minimal forwarder: a server of the SDK whose handlers call its client. */
async function byHand(): Promise<string> {
  const client = new Client({ name: "front", version: "1" });
  await client.connect(new StdioClientTransport(inSession(args)));
  const make = (): Server => {
    const server = new Server({ name: "front", version: "1" }, { capabilities: { tools: {} } });
    server.setRequestHandler("tools/list", () => client.listTools());
    server.setRequestHandler("tools/call", ({ params }) => client.callTool(params));
    return server;
  };
  if (!isHttp) {
    serveStdio(make);
    return "";
  }
  const handler = createMcpHandler(make);
  const server = createServer((incoming, outgoing) => {
    void answer(handler.fetch, incoming, outgoing);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

async function answer(
  handle: (request: Request) => Promise<Response>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  const { method = "GET", headers } = incoming;
  const request = new Request(`http://${headers.host}/mcp`, {
    method,
    headers: headers as Record<string, string>,
    ...(method === "POST" ? { body: Buffer.concat(parts) } : {}),
  });
  const response = await handle(request);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  for await (const part of response.body ?? []) outgoing.write(part);
  outgoing.end();
}
