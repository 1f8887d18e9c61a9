import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { startServer } from "@toolweave/test-support/start-server";

/** A received JSON-RPC message. */
interface RawMessage {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly name?: string } & Readonly<Record<string, unknown>>;
}

/** One HTTP request to the server. */
export interface RawExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The posted message. */
  readonly message: RawMessage;
  /** Answers as JSON. */
  json(body: object, headers?: Readonly<Record<string, string>>): void;
  /** Starts a stream; data written to `response` is sent. */
  stream(): void;
  /** The line of an event with this message in it. */
  event(message: object): string;
}

/** The URL of a server whose handler answers each request. */
export async function rawHttp(answer: (exchange: RawExchange) => unknown): Promise<string> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => void chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      const message = (text === "" ? {} : JSON.parse(text)) as RawMessage;
      void answer({
        request,
        response,
        message,
        json(body, headers = {}) {
          response.writeHead(200, { "content-type": "application/json", ...headers });
          response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...body }));
        },
        stream() {
          response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
        },
        event: (sent) => `data: ${JSON.stringify({ jsonrpc: "2.0", ...sent })}\n\n`,
      });
    });
  });
  return `${await startServer(server)}/mcp`;
}

/** Answers the handshake of the older protocol; false: it is another message. */
export function greets(
  { message, request, response, json }: RawExchange,
  session?: string,
): boolean {
  if (request.method === "GET" && message.method === undefined) {
    response.writeHead(405).end();
  } else if (message.method === "server/discover") {
    json({ error: { code: -32_601, message: "Method not found" } });
  } else if (message.method === "initialize") {
    const capabilities = { tools: { listChanged: true } };
    const result = {
      protocolVersion: "2025-11-25",
      capabilities,
      serverInfo: { name: "raw", version: "1" },
    };
    json({ result }, session === undefined ? {} : { "mcp-session-id": session });
  } else if (message.method === "notifications/initialized" || request.method === "DELETE") {
    response.writeHead(202).end();
  } else return false;
  return true;
}

/** A result of one text. */
export function said(text: string): { readonly content: readonly object[] } {
  return { content: [{ type: "text", text }] };
}
