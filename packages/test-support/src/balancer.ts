import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

/** One address for several machines: each connection goes to the next machine that accepts it. */
export async function startBalancer(
  targets: readonly { readonly address: string; readonly port: number }[],
): Promise<{ readonly port: number; readonly stop: () => Promise<void> }> {
  let next = 0;
  const sockets = new Set<Socket>();
  const server: Server = createServer((incoming) => {
    sockets.add(incoming);
    incoming.on("error", () => incoming.destroy()).on("close", () => sockets.delete(incoming));
    incoming.pause();
    const first = next++;
    const attempt = (tried: number): void => {
      const target = targets[(first + tried) % targets.length];
      if (target === undefined || tried === targets.length) {
        incoming.destroy();
        return;
      }
      const outgoing = connect(target.port, target.address);
      sockets.add(outgoing);
      outgoing.on("close", () => sockets.delete(outgoing));
      const failed = (): void => attempt(tried + 1);
      outgoing.once("error", failed);
      outgoing.once("connect", () => {
        outgoing.off("error", failed);
        outgoing.on("error", () => outgoing.destroy()).on("close", () => incoming.destroy());
        incoming.on("close", () => outgoing.destroy());
        incoming.pipe(outgoing).pipe(incoming);
      });
    };
    attempt(0);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
