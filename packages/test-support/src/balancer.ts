import { once } from "node:events";
import { createServer as createHttpServer, request } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

/** A machine to which connections or requests go. */
interface Target {
  readonly address: string;
  readonly port: number;
}

/** One address for several machines: each connection goes to the next machine that accepts it. */
export async function startBalancer(
  targets: readonly Target[],
): Promise<{ readonly port: number; readonly stop: () => Promise<void> }> {
  const nextFirst = inTurn(targets);
  const sockets = new Set<Socket>();
  const server = createServer((incoming) => {
    sockets.add(incoming);
    incoming.on("error", () => incoming.destroy()).on("close", () => sockets.delete(incoming));
    incoming.pause();
    void connectToFirst(nextFirst()).then((found) => {
      if (found === undefined || incoming.destroyed) {
        found?.socket.destroy();
        incoming.destroy();
        return;
      }
      const { socket: outgoing } = found;
      sockets.add(outgoing);
      outgoing.on("error", () => outgoing.destroy());
      outgoing.on("close", () => (sockets.delete(outgoing), incoming.destroy()));
      incoming.on("close", () => outgoing.destroy());
      incoming.pipe(outgoing).pipe(incoming);
    });
  });
  const port = await listen(server);
  return {
    port,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** A load balancer for HTTP that knows nothing of sessions: each request goes to the next server in turn. */
export interface RequestBalancer {
  readonly url: string;
  /** The number of requests that were in flight at a server when it was killed. */
  readonly interrupted: () => number;
  close(): Promise<void>;
}

/** Milliseconds between two checks of a server. */
const readyEveryMs = 200;

/**
 * Balances requests of HTTP over servers. A request that a server has not accepted, or has answered with 503, goes to
 * the next one. A server whose `/readyz` is 503 gets no request as long as another one accepts it.
 */
export async function balanceRequests(targets: readonly Target[]): Promise<RequestBalancer> {
  const inOrder = inTurn(targets);
  const notReady = new Set<Target>();
  const nextFirst = (): readonly Target[] =>
    inOrder().toSorted((one, other) => Number(notReady.has(one)) - Number(notReady.has(other)));
  const check = async (target: Target): Promise<void> => {
    const { address, port } = target;
    const signal = AbortSignal.timeout(readyEveryMs * 5);
    const response = await fetch(`http://${address}:${port}/readyz`, { signal });
    await response.body?.cancel();
    if (response.status === 503) notReady.add(target);
    else notReady.delete(target);
  };
  const checking = setInterval(() => {
    // One that does not respond is tried, as others are.
    for (const target of targets) check(target).catch(() => notReady.delete(target));
  }, readyEveryMs);
  let interrupted = 0;
  // A connection that the server closes while a client uses it again would break a request.
  const server = createHttpServer({ keepAliveTimeout: 65_000 }, (incoming, outgoing) => {
    void exchange(incoming, outgoing, nextFirst()).then((isDone) => {
      if (isDone || outgoing.destroyed) return;
      interrupted += 1;
      outgoing.destroy();
    });
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    interrupted: () => interrupted,
    async close() {
      clearInterval(checking);
      server.close();
      server.closeAllConnections();
      await once(server, "close").catch(() => {});
    },
  };
}

/** The order in which the targets are tried, which begins with another one each time. */
function inTurn(targets: readonly Target[]): () => readonly Target[] {
  let next = 0;
  return () => {
    const first = next++ % targets.length;
    return [...targets.slice(first), ...targets.slice(0, first)];
  };
}

interface Connected {
  readonly socket: Socket;
  /** The targets that come after it in turn. */
  readonly others: readonly Target[];
}

/** A connection to the first target that accepts one. */
async function connectToFirst(targets: readonly Target[]): Promise<Connected | undefined> {
  for (const [index, { address, port }] of targets.entries()) {
    const socket = connect(port, address);
    const isConnected = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    if (isConnected) return { socket, others: targets.slice(index + 1) };
  }
  return undefined;
}

/** Forwards a request, and its response. False: no target has accepted it, or its connection was lost. */
async function exchange(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  targets: readonly Target[],
): Promise<boolean> {
  const parts: Buffer[] = [];
  try {
    for await (const part of incoming) parts.push(part as Buffer);
    const response = await send(incoming, outgoing, Buffer.concat(parts), targets);
    if (response === undefined) return false;
    outgoing.writeHead(response.statusCode ?? 502, response.headers);
    outgoing.flushHeaders();
    response.pipe(outgoing);
    await once(response, "end");
    return true;
  } catch {
    return false;
  }
}

async function send(
  { method, url, headers }: Pick<IncomingMessage, "method" | "url" | "headers">,
  outgoing: ServerResponse,
  body: Buffer,
  targets: readonly Target[],
): Promise<IncomingMessage | undefined> {
  const found = await connectToFirst(targets);
  if (found === undefined) return undefined;
  const { socket, others } = found;
  if (outgoing.destroyed) {
    socket.destroy();
    return undefined;
  }
  // A request with a connection of its own uses no agent, so that no other request reuses it.
  const createConnection = (): Socket => socket;
  const sent = request({ method, path: url, headers, createConnection });
  outgoing.once("close", () => sent.destroy());
  sent.end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  sent.on("error", () => {});
  if (response.statusCode !== 503 || others.length === 0) return response;
  response.resume();
  return send({ method, url, headers }, outgoing, body, others);
}

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}
