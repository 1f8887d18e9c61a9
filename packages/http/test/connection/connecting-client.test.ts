import { once } from "node:events";
import net, { type LookupFunction, type Socket, type TcpNetConnectOpts } from "node:net";
import tls, { type TLSSocket } from "node:tls";
import { Worker } from "node:worker_threads";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { httpClient } from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { serveRaw, type TestServer } from "../support/servers.ts";

/** More than the number of connections of a pool. */
const many = 129;

/** A server that accepts connections and answers no handshake, and its `https:` URL. */
async function silent(): Promise<
  TestServer & { readonly secure: string; arrived(): Promise<void> }
> {
  const greeted: Socket[] = [];
  let arrived = (): void => {};
  const server = await serveRaw((socket) => {
    greeted.push(socket);
    arrived();
  });
  return {
    ...server,
    secure: server.origin.replace("http:", "https:"),
    // The beginning of a handshake, so the connection exists.
    arrived: () =>
      new Promise((resolve) => (greeted.length > 0 ? resolve() : (arrived = () => resolve()))),
  };
}

const ways = ["its signal", "its deadline", "the client's end"];

/** A listener that accepts nothing, and whose queue is full: the system answers no further connection. */
const fullListener = `
const { parentPort } = require("node:worker_threads");
const server = require("node:net").createServer();
server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
  parentPort.postMessage(server.address().port);
  // The thread never returns to its event loop, which would accept.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});
`;

/** Its port. Linux queues one connection more than the backlog. */
async function fullPort(): Promise<number> {
  const worker = new Worker(fullListener, { eval: true });
  onTestFinished(async () => void (await worker.terminate()));
  const [port] = (await once(worker, "message")) as [number];
  for (let queued = 0; queued < 2; queued++) {
    const socket = net.connect(port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    await once(socket, "connect");
  }
  return port;
}

/** The next socket that is connected; `change` changes where to. */
function nextSocket(change: (to: TcpNetConnectOpts) => TcpNetConnectOpts): Promise<Socket> {
  const { connect } = net;
  return new Promise((resolve) => {
    const spy = vi.spyOn(net, "connect").mockImplementation(((to: TcpNetConnectOpts) => {
      spy.mockRestore();
      const socket = connect(change(to));
      resolve(socket);
      return socket;
    }) as typeof connect);
    onTestFinished(() => spy.mockRestore());
  });
}

const noAnswer: LookupFunction = () => {};

describe.each([
  ["its name is resolved", async () => 80, { host: "unanswered.example", lookup: noAnswer }],
  ["its TCP connection is established", fullPort, {}],
])("a request that is aborted while %s", (phase, openPort, changes) => {
  // Other systems queue another number of connections.
  it.skipIf(phase.includes("TCP") && process.platform !== "linux").each(ways)(
    "by %s closes its socket at once",
    async (by) => {
      const origin = `http://127.0.0.1:${await openPort()}`;
      const abort = new AbortController();
      const timeoutMs = by === "its deadline" ? 100 : 0;
      const client = httpClient({ givenOrigins: [origin], timeoutMs });
      const connecting = nextSocket((to) => ({ ...to, ...changes }));
      const pending = failure(
        client.request({ method: "POST", url: origin, signal: abort.signal }),
      );
      const socket = await connecting;
      const established = vi.fn<() => void>();
      socket.once("connect", established);
      const closed = new Promise((resolve) => void socket.once("close", resolve));
      // The system has been asked to connect.
      await new Promise((done) => setImmediate(done));
      if (by === "its signal") abort.abort();
      if (by === "the client's end") await client.close();
      const error = await pending;
      expect(error.code).toBe(by === "its deadline" ? "timeout" : "cancelled");
      expect(error.message).not.toContain("carried out");
      expect(socket.destroyed).toBe(true);
      await closed;
      expect(established).not.toHaveBeenCalled();
    },
  );
});

/** The client's sockets with TLS, in order of creation. */
function secureSockets(): () => readonly TLSSocket[] {
  const spy = vi.spyOn(tls, "connect");
  onTestFinished(() => spy.mockRestore());
  return () => spy.mock.results.map(({ value }) => value as TLSSocket);
}

describe("a request that is aborted during the TLS handshake", () => {
  it.each(ways)("by %s closes its socket at once", async (by) => {
    const server = await silent();
    const opened = secureSockets();
    const abort = new AbortController();
    const timeoutMs = by === "its deadline" ? 1_000 : 0;
    const client = httpClient({ givenOrigins: [server.secure], timeoutMs });
    const pending = failure(
      client.request({ method: "POST", url: server.secure, signal: abort.signal }),
    );
    await server.arrived();
    const [socket] = server.sockets as [Socket];
    const closed = once(socket, "close");
    if (by === "its signal") abort.abort();
    if (by === "the client's end") await client.close();
    const error = await pending;
    expect(error.code).toBe(by === "its deadline" ? "timeout" : "cancelled");
    // Nothing was sent.
    expect(error.message).not.toContain("carried out");
    // Not only when undici's own limit for connecting is reached.
    expect(opened().map(({ destroyed }) => destroyed)).toEqual([true]);
    await closed;
  });

  it("releases its slot in the pool for the next one", async () => {
    const server = await silent();
    const opened = secureSockets();
    const abort = new AbortController();
    const client = httpClient({ givenOrigins: [server.secure], timeoutMs: 0 });
    const { signal } = abort;
    const first = Array.from({ length: many }, () =>
      failure(client.request({ method: "GET", url: server.secure, signal })),
    );
    await server.arrived();
    const before = opened().length;
    expect(before).toBeLessThan(many);
    const closed = opened().map((one) => new Promise((resolve) => void one.once("close", resolve)));
    abort.abort();
    await Promise.all(first);
    expect(opened().every(({ destroyed }) => destroyed)).toBe(true);
    await Promise.all(closed);
    await new Promise((done) => setImmediate(done));
    // The waiting requests have received no slot in the end.
    expect(opened()).toHaveLength(before);
    const last = new AbortController();
    const next = failure(
      client.request({ method: "GET", url: server.secure, signal: last.signal }),
    );
    expect(opened()).toHaveLength(before + 1);
    last.abort();
    await next;
  });
});
