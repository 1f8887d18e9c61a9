import { type AddressInfo, isIP, Server, Socket } from "node:net";

/**
 * Loaded into a server's process before the server (`node --import`). The server listens on
 * loopback alone, at a port that the system chooses, whatever its configuration is; it connects to
 * loopback only; and it ends, with all its child processes, when its parent process has ended.
 */
export interface Listening {
  readonly listening: number;
}

const loopback = "127.0.0.1";

interface Target {
  readonly host?: string;
  /** Of a pipe; `null` from an HTTP agent, to mark that there is none. */
  readonly path?: string | null;
}

function readTarget(given: unknown): Target {
  // `net.connect` passes its arguments on as one list.
  const first: unknown = Array.isArray(given) ? given[0] : given;
  return typeof first === "object" && first !== null ? first : {};
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

// oxlint-disable-next-line typescript/unbound-method -- called with the socket that it is called on
const { connect } = Socket.prototype;
Socket.prototype.connect = function (this: Socket, ...given: unknown[]): Socket {
  const target = readTarget(given[0]);
  const { host = typeof given[1] === "string" ? given[1] : loopback, path } = target;
  if (typeof path === "string" || isLoopback(host)) {
    return Reflect.apply(connect, this, given) as Socket;
  }
  // It fails like an unknown host name: later, when a listener exists.
  const lookup = (_name: string, _options: unknown, done: (error: Error) => void): void => {
    process.nextTick(done, new Error(`${host} is not on this machine`));
  };
  const called = given.flat().filter((argument) => typeof argument === "function");
  return Reflect.apply(connect, this, [
    { ...target, host: "elsewhere", lookup },
    ...called,
  ]) as Socket;
} as typeof connect;

// oxlint-disable-next-line typescript/unbound-method -- called with the server that it is called on
const { listen } = Server.prototype;
Server.prototype.listen = function (this: Server, ...given: unknown[]): Server {
  if (typeof readTarget(given[0]).path === "string")
    return Reflect.apply(listen, this, given) as Server;
  this.once("listening", () => {
    const message: Listening = { listening: (this.address() as AddressInfo).port };
    process.send?.(message);
  });
  const called = given.filter((argument) => typeof argument === "function");
  return Reflect.apply(listen, this, [{ host: loopback, port: 0 }, ...called]) as Server;
} as typeof listen;

process.once("disconnect", () => process.kill(0, "SIGKILL"));
