import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { ReplicaConnections } from "../../../src/gateway/replicas/forward-request.ts";
import { opening } from "../../support/open-gateway.ts";
import { rawReplica, replicaHere, sessionAt } from "../../support/replicas/raw-replica.ts";
import { askIn } from "../../support/replicas/replica-requests.ts";

const parts = { method: "POST", headers: [], body: "{}" };
const intervals = { everyMs: 10, timeoutMs: 50 };

it("a request to a process that accepts connections and does not respond any more ends, and may have run", async () => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => void sockets.add(socket)).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const connections = new ReplicaConnections(intervals);
  const { signal } = new AbortController();
  expect(await connections.send(url, parts, "credential", signal)).toBe("interrupted");
});

it("a stream from a process stays open as long as the process responds to checks", async () => {
  let checks = 0;
  let isLost = false;
  const { address } = await rawReplica((outgoing, { url }) => {
    if (url !== "/healthz") {
      outgoing.writeHead(200, { "content-type": "text/event-stream" });
      outgoing.write("data: first\n\n");
      return;
    }
    checks += 1;
    // Later checks get no response.
    isLost ||= checks > 5;
    if (!isLost) outgoing.writeHead(200).end("ok");
  });
  const { signal } = new AbortController();
  const connections = new ReplicaConnections(intervals);
  const response = await connections.send(address.url, { ...parts, method: "GET" }, "x", signal);
  await expect((response as Response).text()).rejects.toThrow(/./);
  expect(checks).toBeGreaterThan(5);
});

it("a forwarded request is not cut off when the gateway that has forwarded it closes", async () => {
  const { opened: released, open: release } = opening();
  const { opened: arrived, open: arrive } = opening();
  const holder = await rawReplica((outgoing) => {
    arrive();
    const headers = { "content-type": "application/json" };
    void released.then(() => outgoing.writeHead(200, headers).end('{"result":{"answered":true}}'));
  });
  const { url, gateway } = await replicaHere();
  const answer = askIn(url, await sessionAt(holder.address), "tools/list", {});
  await arrived;
  await gateway.close({ graceMs: 60_000 });
  release();
  expect(await answer).toEqual({ status: 200, result: { answered: true } });
});
