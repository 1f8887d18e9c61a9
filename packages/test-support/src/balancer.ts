import { once } from "node:events";
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A load balancer without any knowledge of sessions: each request goes to the next server in turn. */
export interface Balancer {
  readonly url: string;
  /** Requests that were in flight at a server when it was killed. */
  readonly interrupted: () => number;
  close(): Promise<void>;
}

/**
 * Balances requests over servers on loopback. A request that a server has not accepted, or has answered with 503, goes
 * to the next one.
 *
 * @param ports Ports of the servers.
 */
export async function balance(ports: readonly number[]): Promise<Balancer> {
  let turn = 0;
  let interrupted = 0;
  // A connection that the server closes while a client uses it again would break a request.
  const server = createServer({ keepAliveTimeout: 65_000 }, (incoming, outgoing) => {
    void exchange(incoming, outgoing);
  });
  const exchange = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part as Buffer);
    const first = (turn += 1);
    const attempt = (left: number): void => {
      const port = ports[(first + ports.length - left) % ports.length];
      const { method, url: path, headers } = incoming;
      const sent = request({ port, host: "127.0.0.1", method, path, headers, agent: false });
      outgoing.once("close", () => sent.destroy());
      sent.on("error", ({ code }: NodeJS.ErrnoException) => {
        if (outgoing.destroyed) return;
        if (code === "ECONNREFUSED" && left > 1) return attempt(left - 1);
        interrupted += 1;
        outgoing.destroy();
      });
      sent.on("response", (response) => {
        if (response.statusCode === 503 && left > 1) return (response.resume(), attempt(left - 1));
        outgoing.writeHead(response.statusCode ?? 502, response.headers);
        outgoing.flushHeaders();
        response.on("error", () => {
          interrupted += 1;
          outgoing.destroy();
        });
        response.pipe(outgoing);
      });
      sent.end(Buffer.concat(parts));
    };
    attempt(ports.length);
  };
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    interrupted: () => interrupted,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close").catch(() => {});
    },
  };
}
