import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { createServer as createRawServer, type AddressInfo, type Socket } from "node:net";
import { startServer } from "@toolweave/test-support/start-server";
import { onTestFinished } from "vitest";

/** A server on loopback, and its received requests. */
export interface TestServer {
  readonly origin: string;
  readonly port: number;
  /** Every request, in order of arrival. */
  readonly requests: IncomingMessage[];
  /** Every connection, in order of arrival. */
  readonly sockets: Socket[];
}

/** An HTTP server on loopback, closed when the test ends. */
export async function serve(listener: RequestListener): Promise<TestServer> {
  const requests: IncomingMessage[] = [];
  const sockets: Socket[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    listener(request, response);
  });
  server.on("connection", (socket) => sockets.push(socket));
  const origin = await startServer(server);
  return { origin, port: Number(new URL(origin).port), requests, sockets };
}

/** A server that sends arbitrary bytes once a request's head has arrived. */
export async function serveRaw(
  answer: (socket: Socket, head: string) => void,
): Promise<TestServer> {
  const sockets: Socket[] = [];
  const server = createRawServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => undefined);
    socket.on("data", (chunk: Buffer) => answer(socket, chunk.toString("latin1")));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, port, requests: [], sockets };
}

/** The complete body of a request that a server received. */
export async function readBody(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}

/** A port on loopback without a listener. */
export async function closedPort(): Promise<number> {
  const server = createRawServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Waits until the server's newest connection has ended, in any way. */
export async function socketClosed({ sockets }: TestServer): Promise<void> {
  const socket = sockets.at(-1);
  if (socket?.destroyed !== false) return;
  await new Promise((resolve) => {
    socket.on("error", () => undefined).once("close", resolve);
  });
}
