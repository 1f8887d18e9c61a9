import { spawn } from "node:child_process";
import { once } from "node:events";
import { watch, watchFile, unwatchFile } from "node:fs";
import { createServer, connect, type AddressInfo, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MessageChannel, Worker } from "node:worker_threads";
import { ResourceTracker } from "../../src/observation/resource-tracker.ts";

/** Opens a resource, and returns a function that closes it. */
type Opening = () => (() => unknown) | Promise<() => unknown>;

let outside: Server;

beforeAll(async () => {
  outside = createServer((socket) => socket.on("error", () => {}));
  await once(outside.listen(0, "127.0.0.1"), "listening");
});
afterAll(() => outside.close());

const port = (server: Server): number => (server.address() as AddressInfo).port;

async function dial(server: Server): Promise<Socket> {
  const socket = connect(port(server), "127.0.0.1");
  await once(socket, "connect");
  return socket;
}

const openings: readonly [what: string, opening: Opening][] = [
  ["a timer", () => ending(setTimeout(() => {}, 60_000))],
  ["a timer", () => ending(setInterval(() => {}, 60_000))],
  [
    "a server",
    async () => {
      const server = createServer();
      await once(server.listen(0, "127.0.0.1"), "listening");
      return () => server.close();
    },
  ],
  [
    "a connection",
    async () => {
      const socket = await dial(outside);
      return () => socket.destroy();
    },
  ],
  [
    "a child process",
    () => {
      const child = spawn(process.execPath, ["-e", "setTimeout(() => {}, 60_000)"], {
        stdio: "ignore",
      });
      return () => child.kill();
    },
  ],
  [
    "a child process",
    () => {
      const child = spawn(process.execPath, ["-e", "setTimeout(() => {}, 60_000)"], {
        stdio: "ignore",
      });
      child.unref();
      return () => child.kill();
    },
  ],
  [
    "a file watcher",
    () => {
      const watcher = watch(import.meta.dirname);
      return () => watcher.close();
    },
  ],
  [
    "a file watcher",
    () => {
      const listener = (): void => {};
      watchFile(import.meta.filename, listener);
      return () => unwatchFile(import.meta.filename, listener);
    },
  ],
  [
    "a worker",
    () => {
      const worker = new Worker("setInterval(() => {}, 60_000)", { eval: true });
      return () => worker.terminate();
    },
  ],
  [
    "a message port",
    () => {
      const { port1 } = new MessageChannel();
      port1.on("message", () => {});
      return () => port1.close();
    },
  ],
  [
    "a loop of immediates",
    () => {
      let going = true;
      const go = (): void => void (going && setImmediate(go));
      go();
      return () => (going = false);
    },
  ],
];

function ending(timer: NodeJS.Timeout): () => void {
  return () => clearTimeout(timer);
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test.each(openings)("%s counts until it is closed", async (what, opening) => {
  using opened = new ResourceTracker();
  const close = await opened.run(opening);
  try {
    expect(opened.openResources().map((resource) => resource.what)).toContain(what);
    expect(opened.openResources()[0]?.where).toContain(import.meta.filename);
  } finally {
    await close();
  }
  expect(await opened.waitUntilClosed(turn, 1_000_000)).toEqual([]);
});

test("resources that do not keep the process alive do not count", async () => {
  using opened = new ResourceTracker();
  await opened.run(async () => {
    setTimeout(() => {}, 60_000).unref();
    AbortSignal.timeout(60_000);
    const { port1, port2 } = new MessageChannel();
    port1.postMessage("hello");
    expect(port2).toBeDefined();
    await turn();
  });
  expect(await opened.waitUntilClosed(turn)).toEqual([]);
});

test("resources of other code do not count", async () => {
  using opened = new ResourceTracker();
  using other = new ResourceTracker();
  const timer = setTimeout(() => {}, 60_000);
  const close = await other.run(async () => {
    await turn();
    return ending(setTimeout(() => {}, 60_000));
  });
  expect(opened.openResources()).toEqual([]);
  expect(other.openResources()).toHaveLength(1);
  close();
  clearTimeout(timer);
});

test("later resources count: a connection that a tracked server has accepted", async () => {
  using opened = new ResourceTracker();
  const server = opened.run(() => createServer());
  const accepted = once(server, "connection") as Promise<[Socket]>;
  await opened.run(() => once(server.listen(0, "127.0.0.1"), "listening"));
  const socket = await dial(server);
  const [connection] = await accepted;
  server.close();
  expect(opened.openResources().map(({ what }) => what)).toContain("a connection");
  socket.destroy();
  connection.destroy();
  expect(await opened.waitUntilClosed(turn, 1_000_000)).toEqual([]);
});

test("nothing counts after the tracker was disposed of", () => {
  const opened = new ResourceTracker();
  opened[Symbol.dispose]();
  const close = opened.run(() => ending(setTimeout(() => {}, 60_000)));
  expect(opened.openResources()).toEqual([]);
  close();
});
