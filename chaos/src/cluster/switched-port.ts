import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** An address that leads to one server at a time: the one that is the primary. */
export interface SwitchedPort {
  readonly port: number;
  /** New connections lead to this port of 127.0.0.1. The others are reset. `undefined`: there is no primary. */
  switchTo(target: number | undefined): void;
  end(): Promise<void>;
}

/** Listens on a free port of 127.0.0.1, and forwards connections to the port `target`. */
export async function startSwitchedPort(target: number): Promise<SwitchedPort> {
  let current: number | undefined = target;
  const open = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    const port = current;
    if (port === undefined) return void client.resetAndDestroy();
    const upstream = connect({ host: "127.0.0.1", port, noDelay: true });
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(from);
      from.pipe(to);
      from.on("error", () => to.destroy());
      from.once("close", () => {
        open.delete(from);
        to.destroy();
      });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const closeAll = (): void => {
    for (const socket of open) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    switchTo(next) {
      current = next;
      closeAll();
    },
    async end() {
      server.close();
      closeAll();
      await once(server, "close");
    },
  };
}
