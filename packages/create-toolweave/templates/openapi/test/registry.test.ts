import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { ToolExecutor, type ToolRegistry } from "@toolweave/core";
import { loadRegistry } from "../src/registry.ts";

// The API of this test: a server on loopback with one order.
const requests: string[] = [];
const server = createServer((request, response) => {
  requests.push(`${request.method} ${request.url}`);
  if (request.url !== "/orders/7") response.writeHead(404).end();
  else if (request.method === "DELETE") response.writeHead(204).end();
  else response.setHeader("content-type", "application/json").end('{"id":7,"item":"tea"}');
});
let registry: ToolRegistry;

before(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  registry = await loadRegistry(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

after(async () => {
  await registry.close();
  server.close();
  server.closeAllConnections();
});

test("an operation that reads runs at once", async () => {
  const executor = new ToolExecutor({ registry });
  const outcome = await executor.execute({ id: "1", name: "get_order", arguments: { id: 7 } });
  assert.deepEqual(outcome.result?.value, { id: 7, item: "tea" });
});

test("an operation that changes something waits for approval", async () => {
  const executor = new ToolExecutor({ registry });
  const call = { id: "1", name: "cancel_order", arguments: { id: 7 } };
  const pending = await executor.execute(call);
  assert.ok(pending.interruption);
  assert.ok(!requests.includes("DELETE /orders/7"));

  await executor.resume(pending.interruption, [{ type: "approve", by: "Ada" }]);
  assert.ok(requests.includes("DELETE /orders/7"));
});

test("arguments that the document does not allow are not sent", async () => {
  const executor = new ToolExecutor({ registry });
  const outcome = await executor.execute({ id: "1", name: "get_order", arguments: { id: "x" } });
  assert.equal(outcome.error?.code, "invalid_arguments");
});
