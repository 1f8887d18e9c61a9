import { setTimeout as delay } from "node:timers/promises";
import { defineTool, type JsonObject } from "@toolweave/core";
import { memoryTasks, type TaskStore } from "@toolweave/core/stores";
import { expect, it, onTestFinished } from "vitest";
import { forwardToClient, listenHttp, type McpProvider } from "../../../src/gateway/index.ts";
import { openClient, eras, opening, serving, readText } from "../../support/open-gateway.ts";
import { getRequest } from "../../support/task-client.ts";

it.each(eras)(
  "a %s client reads an answer to each request that the end of the gateway has cut off",
  async (era) => {
    let under = 0;
    const all = opening();
    const begin = (): void => {
      under += 1;
      if (under === 3) all.open();
    };
    const hold = defineTool({
      name: "hold",
      description: "Waits until it is stopped.",
      input: { type: "object", properties: {} },
      execute: (_args, { signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason as Error));
          begin();
        }),
    });
    const shelf: McpProvider = {
      id: "shelf",
      resources: {
        list: () => [],
        templates: () => [],
        read: () =>
          new Promise(() => {
            begin();
          }),
      },
      onChange: () => () => {},
    };
    const { gateway } = await serving({ tools: [hold], gateway: { providers: [shelf] } });
    const listener = await listenHttp(gateway);
    onTestFinished(() => listener.close(0));
    const client = await openClient(listener.url, era);
    const calls = [1, 2].map(() => client.callTool({ name: "hold", arguments: {} }));
    const read = client.readResource({ uri: "shelf://1" }).catch((error: unknown) => error);
    await all.opened;
    await Promise.all([gateway.close({ graceMs: 1 }), listener.close(600_000)]);
    for (const result of await Promise.all(calls)) {
      expect(result.isError).toBe(true);
      expect(readText(result)).toContain("cancelled");
    }
    expect(String(await read)).toContain("The gateway is shutting down.");
  },
);

it("a client of 2025-11-25 that waits for a task reads its result if it ends in the grace period, however slow the store is", async () => {
  const stored = memoryTasks();
  let isEnding = false;
  const tasks: TaskStore = {
    add: (task) => stored.add(task),
    change: (id, change) => stored.change(id, change),
    list: (owner) => stored.list(owner),
    async get(id) {
      if (isEnding) await delay(50);
      return stored.get(id);
    },
  };
  const answered = opening();
  const { opened: released, open: release } = opening();
  const report = defineTool({
    name: "report",
    description: "Asks its client, which is possible while that waits for the result.",
    input: { type: "object", properties: {} },
    execution: "task",
    async execute(_args, ctx) {
      await forwardToClient.onElicitation({ message: "Sure?" }, ctx);
      answered.open();
      await released;
      return "done";
    },
  });
  const { gateway } = await serving({ tools: [report], executor: { tasks } });
  const listener = await listenHttp(gateway);
  onTestFinished(() => listener.close(0));
  const client = await openClient(listener.url, "legacy", { says: () => ({ action: "accept" }) });
  const params = { name: "report", arguments: {}, task: { ttl: 60_000 } };
  const { taskId } = (await getRequest(client, "tools/call", params))["task"] as JsonObject;
  const result = getRequest(client, "tasks/result", { taskId: taskId as string });
  await answered.opened;
  const closed = Promise.all([gateway.close({ graceMs: 600_000 }), listener.close(600_000)]);
  isEnding = true;
  release();
  expect(readText(await result)).toBe("done");
  await closed;
});
