import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { defineTool, ToolExecutor, ToolRegistry } from "@toolweave/core";
import { freePort } from "@toolweave/test-support/replicas";
import { startServer } from "@toolweave/test-support/start-server";
import { onTestFinished } from "vitest";
import {
  listenHttp,
  serveMcp,
  type HttpOptions,
  type McpGateway,
  type ServeMcpOptions,
} from "../../../src/gateway/index.ts";
import { Sealer } from "../../../src/gateway/replicas/sealer.ts";
import type { ReplicaAddress } from "../../../src/gateway/replicas/replica-address.ts";
import { key } from "./cluster.ts";

/** A replica in this process, until the test is done. Callers are named by their tokens. */
export async function replicaHere(
  options: Pick<ServeMcpOptions, "rateLimits" | "limits" | "metrics"> &
    Pick<HttpOptions, "maxBodyBytes"> = {},
): Promise<{ readonly url: string; readonly gateway: McpGateway }> {
  const { maxBodyBytes, ...more } = options;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/mcp`;
  const echo = defineTool({
    name: "echo",
    description: "Returns its argument.",
    input: { type: "object", properties: { text: { type: "string" } } },
    execute: ({ text }) => String(text),
  });
  const registry = new ToolRegistry([echo]);
  const executor = new ToolExecutor({ registry, policy: "autonomous" });
  const gateway = serveMcp(registry, executor, { key, replica: { url }, ...more });
  const listener = await listenHttp(gateway, {
    port,
    ...(maxBodyBytes === undefined ? {} : { maxBodyBytes }),
    authenticate: (request) => {
      const token = /^Bearer (\w+)$/.exec(request.headers.get("authorization") ?? "")?.[1];
      return token === undefined ? undefined : { id: token };
    },
  });
  onTestFinished(async () => {
    await Promise.all([gateway.close({ graceMs: 0 }), listener.close(0)]);
    await registry.close();
  });
  return { url, gateway };
}

/** A request that the server has received. */
export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A server in place of a replica, which records requests, until the test is done. */
export async function rawReplica(
  respond: (outgoing: ServerResponse, incoming: IncomingMessage) => void = (outgoing) =>
    outgoing.writeHead(200, { "content-type": "application/json" }).end("{}"),
): Promise<{ readonly address: ReplicaAddress; readonly received: Received[] }> {
  const received: Received[] = [];
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      let body = "";
      for await (const part of incoming) body += String(part);
      const { method = "", url = "", headers } = incoming;
      received.push({ method, url, headers, body });
      respond(outgoing, incoming);
    })();
  });
  const url = `${await startServer(server)}/mcp`;
  return { address: { url, instance: crypto.randomUUID() }, received };
}

const sessions = (secret: string): Sealer => new Sealer(secret, "toolweave mcp session 1");
const serializeContext = (caller: string): string => JSON.stringify([caller, undefined, undefined]);

/** The id of a session of a caller, as a replica at this address makes it. */
export function sessionAt(address: ReplicaAddress, caller = "ann", secret = key): Promise<string> {
  return sessions(secret).seal({ ...address, id: "1" }, serializeContext(caller));
}

/** The replica that a session names. */
export async function findHolder(session: string, caller = "ann"): Promise<ReplicaAddress> {
  return (await sessions(key).open(session, serializeContext(caller))) as ReplicaAddress;
}
