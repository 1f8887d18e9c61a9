import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** A server on loopback that can be away for a while, at the same address. */
export interface PausableServer {
  /** The address of its MCP endpoint. */
  readonly url: string;
  /** Closes its port and all connections. Repeated calls have no effect. */
  pause(): Promise<void>;
  /** Opens the port again. */
  resume(): Promise<void>;
}

/** Starts a server on a free port. */
export async function listenPausable(server: Server): Promise<PausableServer> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async pause() {
      const closed = server.listening ? once(server.close(), "close") : undefined;
      server.closeAllConnections();
      await closed;
    },
    async resume() {
      await once(server.listen(port, "127.0.0.1"), "listening");
    },
  };
}
