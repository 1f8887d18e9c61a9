import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { startServer } from "@toolweave/test-support/start-server";

/** A server on loopback. */
export interface WebServer {
  readonly origin: string;
  /** Such as `127.0.0.1:40000`: the entry for a list of hosts. */
  readonly host: string;
  readonly port: number;
  readonly requests: IncomingMessage[];
  /** The number of connections. */
  connections: number;
}

/** Opens a server on loopback, which is closed when the test ends. */
export async function openServer(listener: RequestListener): Promise<WebServer> {
  const server = createServer((request, response) => {
    opened.requests.push(request);
    listener(request, response);
  });
  const origin = await startServer(server);
  const { host, port } = new URL(origin);
  const opened: WebServer = { origin, host, port: Number(port), requests: [], connections: 0 };
  server.on("connection", () => (opened.connections += 1));
  return opened;
}

/** Opens a server that answers each path with a body of a media type; other paths are missing. */
export function openPages(
  pages: Readonly<Record<string, readonly [mediaType: string, body: string | Buffer]>>,
): Promise<WebServer> {
  return openServer((request, response) => {
    const [mediaType, body] = pages[request.url ?? ""] ?? ["text/plain", undefined];
    response.writeHead(body === undefined ? 404 : 200, { "content-type": mediaType });
    response.end(body ?? "there is no such page");
  });
}
