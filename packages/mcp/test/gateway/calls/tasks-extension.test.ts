import type { JsonObject } from "@toolweave/core";
import { memoryPendingCalls, memoryTasks, type TaskStore } from "@toolweave/core/stores";
import { describe, expect, it, vi } from "vitest";
import { opening, post, requestFor, serving } from "../../support/open-gateway.ts";
import { knowingTasks } from "../../support/task-client.ts";
import { asking, live, work } from "../../support/task-tools.ts";

describe("a client of 2026-07-28", () => {
  const begin = async (url: string, name: string): Promise<string> => {
    const { result } = await post(url, "tools/call", { name, arguments: {} }, knows);
    expect(result).toMatchObject({ resultType: "task", status: "working" });
    return result?.["taskId"] as string;
  };
  const knows: JsonObject = { ...knowingTasks, elicitation: { form: {} } };
  const get = async (url: string, taskId: string): Promise<JsonObject | undefined> =>
    (await post(url, "tasks/get", { taskId }, knows)).result;

  it("that declares the extension gets a task with its result", async () => {
    const { tool, release } = work();
    const { url } = await serving({ tools: [tool] });
    const taskId = await begin(url, "work");
    expect(await get(url, taskId)).toMatchObject({ taskId, status: "working" });
    release();
    await vi.waitFor(
      async () =>
        expect(await get(url, taskId)).toMatchObject({
          status: "completed",
          result: { content: [{ type: "text", text: "done" }] },
        }),
      60_000,
    );
  });

  it("that does not declare it gets no task, and cannot use task methods", async () => {
    const { url } = await serving({ tools: [work().tool] });
    const { result } = await post(url, "tools/call", { name: "work", arguments: {} });
    expect(result).not.toHaveProperty("taskId");
    const { error } = await post(url, "tasks/get", { taskId: `task_${"0".repeat(32)}` });
    expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities: knowingTasks } });
  });

  it.each([
    ["before it continues", "ask", { action: "accept", content: { answer: 7 } }, "It is 7."],
    ["while it runs", "live", { action: "decline" }, "The answer: decline"],
  ])("answers the questions of a task %s", async (_when, name, answer, text) => {
    const { url } = await serving({ tools: [asking, live] });
    const taskId = await begin(url, name);
    const inputRequests = await vi.waitFor(async () => {
      const task = await get(url, taskId);
      expect(task).toMatchObject({ status: "input_required" });
      return task?.["inputRequests"] as JsonObject;
    });
    const [key = ""] = Object.keys(inputRequests);
    expect(inputRequests[key]).toMatchObject({ method: "elicitation/create" });
    const inputResponses = { [key]: answer, other: {} };
    const { result } = await post(url, "tasks/update", { taskId, inputResponses }, knows);
    expect(result).toMatchObject({ resultType: "complete" });
    await vi.waitFor(
      async () =>
        expect(await get(url, taskId)).toMatchObject({
          ...{ status: "completed", result: { content: [{ text }] } },
        }),
      60_000,
    );
  });

  it("cancels its task", async () => {
    const { tool, stopped } = work();
    const { url } = await serving({ tools: [tool] });
    const taskId = await begin(url, "work");
    await post(url, "tasks/cancel", { taskId }, knows);
    expect(stopped()).toBe(true);
    expect(await get(url, taskId)).toMatchObject({ status: "cancelled" });
  });

  it("cannot see a task of another caller", async () => {
    const served = await serving({ tools: [work().tool] });
    const taskId = await begin(await served.as({ id: "ann" }), "work");
    const bob = await served.as({ id: "bob" });
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
      expect((await post(bob, method, { taskId }, knows)).error).toMatchObject({ code: -32602 });
    }
  });

  it("continues its task over another gateway with the same stores", async () => {
    const shared = {
      key: "k".repeat(32),
      tasks: memoryTasks(),
      pendingCalls: memoryPendingCalls(),
    };
    const [one, other] = await Promise.all(
      [1, 2].map(() => serving({ tools: [asking], executor: shared })),
    );
    const first = (await one?.as({ id: "ann" })) ?? "";
    const taskId = await begin(first, "ask");
    const asks = async (): Promise<void> =>
      expect(await get(first, taskId)).toMatchObject({ status: "input_required" });
    await vi.waitFor(asks, 60_000);
    await one?.gateway.close({ graceMs: 1_000 });
    const url = (await other?.as({ id: "ann" })) ?? "";
    const task = await vi.waitFor(async () => {
      const seen = await get(url, taskId);
      expect(seen).toMatchObject({ status: "input_required" });
      return seen;
    });
    const [key = ""] = Object.keys(task?.["inputRequests"] as JsonObject);
    const inputResponses = { [key]: { action: "accept", content: { answer: "blue" } } };
    await post(url, "tasks/update", { taskId, inputResponses }, knows);
    await vi.waitFor(
      async () =>
        expect(await get(url, taskId)).toMatchObject({
          result: { content: [{ text: 'It is "blue".' }] },
        }),
      60_000,
    );
  });

  it("that cancels a poll does not cancel the task", async () => {
    const tasks = memoryTasks();
    const shared = { key: "k".repeat(32), pendingCalls: memoryPendingCalls() };
    const one = await serving({ tools: [asking], executor: { ...shared, tasks } });
    const taskId = await begin(await one.as({ id: "ann" }), "ask");
    await vi.waitFor(
      async () =>
        expect(await one.executor.tasks.status(taskId, { caller: { id: "ann" } })).toMatchObject({
          status: "input_required",
        }),
      60_000,
    );
    await one.gateway.close({ graceMs: 1_000 });
    const gate = opening();
    const looked = opening();
    const slow: TaskStore = {
      add: (task) => tasks.add(task),
      change: (id, change) => tasks.change(id, change),
      list: (owner) => tasks.list(owner),
      async get(id) {
        looked.open();
        await gate.opened;
        return tasks.get(id);
      },
    };
    const other = await serving({ tools: [asking], executor: { ...shared, tasks: slow } });
    const leaving = new AbortController();
    const url = await other.as({ id: "ann" });
    const look = requestFor(url, "tasks/get", { taskId }, knows);
    const answered = other.gateway
      .fetch(new Request(look, { signal: leaving.signal }), { caller: { id: "ann" } })
      .catch(() => undefined);
    await looked.opened;
    leaving.abort();
    gate.open();
    await answered;
    const seen = await get(url, taskId);
    expect(seen).toMatchObject({ status: "input_required" });
    expect(Object.keys(seen?.["inputRequests"] as JsonObject)).toHaveLength(1);
  });
});
