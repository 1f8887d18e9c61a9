import { Server, type AddressInfo } from "node:net";

/**
 * Loaded before a server that would listen on every address, at a fixed port: it listens on
 * loopback, at a free port, and sends that to its parent.
 */
const { listen } = Server.prototype;

Server.prototype.listen = function (this: Server, ...given: unknown[]): Server {
  this.once("listening", () => process.send?.((this.address() as AddressInfo).port));
  const listener = given.findLast((one) => typeof one === "function") as (() => void) | undefined;
  return listen.call(this, { host: "127.0.0.1", port: 0 }, listener);
} as typeof listen;
