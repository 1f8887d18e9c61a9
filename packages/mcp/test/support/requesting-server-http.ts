import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import {
  createMcpHandler,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { startServer } from "@toolweave/test-support/start-server";
import { onTestFinished } from "vitest";
import { press, PressWorld } from "./requesting-server.ts";
import { answer } from "./http-library.ts";

/**
 * The press on loopback, in one generation of the protocol, the older one with sessions. Closed
 * after the test.
 */
export async function pressUrl(era: "modern" | "legacy"): Promise<string> {
  const world = new PressWorld();
  const modern = createMcpHandler(() => press(world), { legacy: "reject" });
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const legacy = async (request: Request): Promise<Response> => {
    const id = request.headers.get("mcp-session-id");
    if (id !== null) {
      return sessions.get(id)?.handleRequest(request) ?? new Response(null, { status: 404 });
    }
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (opened) => void sessions.set(opened, transport),
    });
    await press(world).connect(transport);
    return transport.handleRequest(request);
  };
  const fetch = era === "modern" ? modern.fetch : legacy;
  const server = createServer((request, response) => void answer(fetch, request, response));
  const origin = await startServer(server);
  onTestFinished(async () => {
    await Promise.all([modern.close(), ...Array.from(sessions.values(), (one) => one.close())]);
  });
  return `${origin}/mcp`;
}
