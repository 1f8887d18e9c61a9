import type { Socket } from "node:net";
import type { buildConnector } from "undici";
import type { Reach } from "../address/origin.ts";

const connectors = new Map<Reach, buildConnector.connector>();

/**
 * Opens a TCP connection to a host, whose name is resolved once: the address that is dialled is the one that was checked.
 * For proxies, which pass on bytes and send no requests of their own.
 *
 * @param reach `public`: only public addresses; `given`: private ones too, but not those of a cloud's metadata.
 * @throws Error (by rejecting) `AddressRefused` for an address that is not allowed, or the error of the system.
 */
export async function connectGuarded(
  hostname: string,
  port: number,
  reach: "public" | "given",
): Promise<Socket> {
  let connect = connectors.get(reach);
  if (connect === undefined) {
    // Loaded on demand: most processes open no connections for others.
    const [{ buildConnector: build }, { guardedConnector }] = await Promise.all([
      import("undici"),
      import("./guarded-connector.ts"),
    ]);
    connect = guardedConnector(reach, { build });
    connectors.set(reach, connect);
  }
  const open = connect;
  const target = { hostname, host: hostname, port: `${port}`, protocol: "http:" };
  return new Promise((resolve, reject) => {
    open(target, (...[error, socket]) => {
      if (error === null) resolve(socket as Socket);
      else reject(error);
    });
  });
}
