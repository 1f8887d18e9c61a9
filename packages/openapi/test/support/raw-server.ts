import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A server that sends arbitrary bytes. */
export interface RawServer {
  readonly origin: string;
  /** Every connection, in order of arrival. */
  readonly sockets: readonly Socket[];
  /** The heads of the requests, in order of arrival. */
  readonly heads: readonly string[];
}

/** On loopback; closed when the test ends. `answer` is called with each request. */
export async function rawServer(
  answer: (socket: Socket, head: string) => void,
): Promise<RawServer> {
  const sockets: Socket[] = [];
  const heads: string[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    socket.on("data", (chunk: Buffer) => {
      const head = chunk.toString("latin1");
      heads.push(head);
      answer(socket, head);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, sockets, heads };
}

/** Waits until a connection has ended, in any way. */
export async function closed(socket: Socket | undefined): Promise<void> {
  if (socket === undefined) throw new Error("no client has connected");
  // Not `once`, which rejects when it ends with an error.
  if (!socket.destroyed) await new Promise((resolve) => socket.once("close", resolve));
}
