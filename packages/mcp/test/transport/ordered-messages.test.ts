import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { expect, it } from "vitest";
import { orderedMessages } from "../../src/transport/host-client.ts";

const progress = { jsonrpc: "2.0", method: "notifications/progress" } as JSONRPCMessage;
const response = { jsonrpc: "2.0", id: 1, result: {} } as JSONRPCMessage;

it("a response waits until the work of an earlier notification is done", async () => {
  const done: string[] = [];
  const receive = orderedMessages(async (message) => {
    if (message === response) {
      done.push("response");
      return;
    }
    await Promise.resolve();
    await Promise.resolve();
    done.push("progress");
  });
  receive(progress);
  receive(progress);
  receive(response);
  receive(progress);
  await new Promise(setImmediate);
  expect(done).toEqual(["progress", "progress", "response", "progress"]);
});

it("a response without an earlier notification is delivered at once", () => {
  const done: JSONRPCMessage[] = [];
  const receive = orderedMessages((message) => void done.push(message));
  receive(response);
  expect(done).toEqual([response]);
});
