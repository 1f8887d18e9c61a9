import type { JsonObject, Tool } from "@toolweave/core";
import {
  memoryPendingCalls,
  memoryTasks,
  type PendingCallStore,
  type TaskStore,
} from "@toolweave/core/stores";
import { describe, expect, it, vi } from "vitest";
import { openClient, echo, opening, serving, readText } from "../../support/open-gateway.ts";
import { getRequest } from "../../support/task-client.ts";
import { asking, live, work } from "../../support/task-tools.ts";

const related = "io.modelcontextprotocol/related-task";

const named = ({ spec }: Tool): Tool["spec"] => ({ ...spec, name: "others_work" });

const called = (name: string): JsonObject => ({ name, arguments: {}, task: { ttl: 60_000 } });

describe("a client of 2025-11-25", () => {
  const begin = async (
    client: Awaited<ReturnType<typeof openClient>>,
    name: string,
  ): Promise<JsonObject & { taskId: string }> => {
    const { task } = await getRequest(client, "tools/call", called(name));
    return task as JsonObject & { taskId: string };
  };

  it("sees the tasks capability and which tools can be tasks", async () => {
    const { url } = await serving({ tools: [work().tool, echo("say")] });
    const client = await openClient(url, "legacy");
    expect(client.getServerCapabilities()).toMatchObject({
      tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
    });
    const { tools } = await client.listTools();
    const byName = Object.fromEntries(tools.map(({ name, ...tool }) => [name, tool]));
    expect(byName["work"]).toMatchObject({ execution: { taskSupport: "optional" } });
    expect(byName["say"]).not.toHaveProperty("execution");
  });

  it("that requests a task gets one, can poll it, and can read its result any number of times", async () => {
    const { tool, release } = work();
    const { url } = await serving({ tools: [tool] });
    const client = await openClient(url, "legacy");
    const { taskId, ...task } = await begin(client, "work");
    expect(taskId).toMatch(/^task_[0-9a-f]{32}$/);
    expect(task).toMatchObject({ status: "working", ttl: expect.any(Number), pollInterval: 1000 });
    await vi.waitFor(
      async () =>
        expect(await getRequest(client, "tasks/get", { taskId })).toMatchObject({
          ...{ taskId, status: "working", statusMessage: "Begun" },
        }),
      60_000,
    );
    const waiting = getRequest(client, "tasks/result", { taskId });
    release();
    const result = await waiting;
    expect(result).toMatchObject({
      content: [{ type: "text", text: "done" }],
      _meta: { [related]: { taskId } },
    });
    expect(await getRequest(client, "tasks/result", { taskId })).toEqual(result);
    expect(await getRequest(client, "tasks/get", { taskId })).toMatchObject({
      status: "completed",
    });
    expect(await getRequest(client, "tasks/list", {})).toMatchObject({
      tasks: [{ taskId, status: "completed" }],
    });
  });

  it("is notified of the status of its task", async () => {
    const { tool, release } = work();
    const { url } = await serving({ tools: [tool] });
    const client = await openClient(url, "legacy");
    const received: unknown[] = [];
    client.fallbackNotificationHandler = async ({ method, params }) => {
      received.push([method, params?.["taskId"], params?.["status"]]);
    };
    const { taskId } = await begin(client, "work");
    release();
    await getRequest(client, "tasks/result", { taskId });
    await vi.waitFor(
      () => expect(received.at(-1)).toEqual(["notifications/tasks/status", taskId, "completed"]),
      60_000,
    );
  });

  it("cancels its task once, and cannot cancel an ended one", async () => {
    const { tool, stopped } = work();
    const { url } = await serving({ tools: [tool] });
    const client = await openClient(url, "legacy");
    const { taskId } = await begin(client, "work");
    expect(await getRequest(client, "tasks/cancel", { taskId })).toMatchObject({
      ...{ taskId, status: "cancelled" },
    });
    expect(stopped()).toBe(true);
    await expect(getRequest(client, "tasks/cancel", { taskId })).rejects.toMatchObject({
      code: -32602,
    });
  });

  it("is asked for input of a task while it waits for the result", async () => {
    const { url } = await serving({ tools: [asking, live] });
    const asked: JsonObject[] = [];
    const client = await openClient(url, "legacy", {
      says: (params) => {
        asked.push(params);
        return { action: "accept", content: { answer: "red" } };
      },
    });
    for (const [name, text] of Object.entries({
      ask: 'It is "red".',
      live: "The answer: accept",
    })) {
      const { taskId } = await begin(client, name);
      await vi.waitFor(
        async () =>
          expect(await getRequest(client, "tasks/get", { taskId })).toMatchObject({
            status: "input_required",
          }),
        60_000,
      );
      expect(readText(await getRequest(client, "tasks/result", { taskId }))).toBe(text);
      expect(asked.at(-1)?.["_meta"]).toMatchObject({ [related]: { taskId } });
    }
    expect(asked).toHaveLength(2);
  });

  it("receives the final status last, however slow the store is", async () => {
    const gate = opening();
    const calls = memoryPendingCalls();
    let looks = 0;
    const pendingCalls: PendingCallStore = {
      add: (call) => calls.add(call),
      claim: (call) => calls.claim(call),
      finish: (id) => calls.finish(id),
      list: () => calls.list(),
      async get(id) {
        looks += 1;
        const found = await calls.get(id);
        // The first poll is the gateway's own, the second one is for the client.
        if (looks === 2) await gate.opened;
        return found;
      },
    };
    const { url } = await serving({ tools: [asking], executor: { pendingCalls } });
    const client = await openClient(url, "legacy", {
      says: () => ({ action: "accept", content: { answer: "red" } }),
    });
    const received: unknown[] = [];
    client.fallbackNotificationHandler = async ({ params }) =>
      void received.push(params?.["status"]);
    const { taskId } = await begin(client, "ask");
    await vi.waitFor(() => expect(looks).toBeGreaterThan(1), 60_000);
    await getRequest(client, "tasks/result", { taskId });
    gate.open();
    await vi.waitFor(() => expect(received).toContain("completed"), 60_000);
    await client.ping();
    expect(received.at(-1)).toBe("completed");
  });

  it("continues the list of its tasks at its cursor after earlier tasks have expired", async () => {
    const tasks = memoryTasks();
    let expired = 0;
    const list: TaskStore["list"] = (owner) =>
      Array.from({ length: 600 }, (_, index) => ({
        ...{ owner, runId: "run", callId: "call", tool: "work", status: "working" as const },
        // Ids are not in order.
        id: `task_${((index * 7_919) % 600).toString(16).padStart(32, "0")}`,
        ...{ createdAt: Date.now() + index, updatedAt: 0, expiresAt: Date.now() + 60_000 },
      })).slice(expired);
    const { url } = await serving({
      executor: {
        tasks: {
          add: (task) => tasks.add(task),
          change: (id, change) => tasks.change(id, change),
          get: (id) => tasks.get(id),
          list,
        },
      },
    });
    const client = await openClient(url, "legacy");
    const first = await getRequest(client, "tasks/list", {});
    expect(first["tasks"]).toHaveLength(500);
    expired = 500;
    const second = await getRequest(client, "tasks/list", {
      cursor: first["nextCursor"] as string,
    });
    expect(second["tasks"]).toHaveLength(100);
  });

  it("approves a call before it becomes a task", async () => {
    const { tool, release } = work();
    const { url } = await serving({ tools: [tool], executor: { policy: "supervised" } });
    const client = await openClient(url, "legacy", {
      says: () => ({ action: "accept", content: { decision: "approve" } }),
    });
    const { taskId } = await begin(client, "work");
    release();
    expect(readText(await getRequest(client, "tasks/result", { taskId }))).toBe("done");
  });

  it("cannot see a task of another client: the error is the one of an unknown task", async () => {
    const { tool } = work();
    const served = await serving({ tools: [tool] });
    const url = await served.as({ id: "ann" });
    const [ann, other] = [await openClient(url, "legacy"), await openClient(url, "legacy")];
    const { taskId } = await begin(ann, "work");
    const never = `task_${"0".repeat(32)}`;
    for (const method of ["tasks/get", "tasks/result", "tasks/cancel"]) {
      const errors = await Promise.all(
        [taskId, never].map((id) =>
          getRequest(other, method, { taskId: id }).catch((error: unknown) => error as Error),
        ),
      );
      expect(errors[0]).toMatchObject({ code: -32602, message: (errors[1] as Error).message });
    }
    expect(await getRequest(other, "tasks/list", {})).toEqual({ tasks: [] });
  });

  it("gets no task of a tool without task support", async () => {
    const { url } = await serving({ tools: [echo("say")] });
    const client = await openClient(url, "legacy");
    await expect(begin(client, "say")).rejects.toMatchObject({ code: -32601 });
  });

  it("has its tasks counted as concurrent calls", async () => {
    const { tool, release } = work();
    const { url } = await serving({
      tools: [tool],
      gateway: { limits: { concurrentCalls: 1 } },
    });
    const client = await openClient(url, "legacy");
    const { taskId } = await begin(client, "work");
    expect(readText(await getRequest(client, "tools/call", called("work")))).toContain(
      "limit of 1 concurrent calls",
    );
    release();
    await getRequest(client, "tasks/result", { taskId });
    expect(await begin(client, "work")).toMatchObject({ status: "working" });
  });

  it("that disconnects leaves no task running", async () => {
    const { tool, stopped } = work();
    const { url } = await serving({ tools: [tool] });
    const client = await openClient(url, "legacy");
    await begin(client, "work");
    await (client.transport as { terminateSession?(): Promise<void> }).terminateSession?.();
    await vi.waitFor(() => expect(stopped()).toBe(true), 60_000);
  });

  it("that requests no task of a task tool gets the id of one, like a model", async () => {
    const { url } = await serving({ tools: [work().tool] });
    const client = await openClient(url, "legacy");
    const { content } = await client.callTool({ name: "work", arguments: {} });
    expect(readText({ content })).toMatch(/^work continues as task task_/);
  });

  it("has those counted as concurrent calls too", async () => {
    const { tool, release } = work();
    const gateway = { limits: { concurrentCalls: 2 } };
    const { url } = await serving({ tools: [tool, echo("say")], gateway });
    const client = await openClient(url, "legacy");
    const call = async (): Promise<string> =>
      readText(await client.callTool({ name: "work", arguments: {} }));
    expect([await call(), await call()]).toEqual(
      Array(2).fill(expect.stringContaining("continues as task")),
    );
    expect(await call()).toContain("limit of 2 concurrent calls");
    release();
    await vi.waitFor(async () => expect(await call()).toContain("continues as task"), 60_000);
  });

  it("leaves none of those running when it disconnects, and does not affect those of others", async () => {
    const [own, others] = [work(), work()];
    const { url } = await serving({
      tools: [own.tool, { ...others.tool, spec: named(others.tool) }],
    });
    const [client, other] = [await openClient(url, "legacy"), await openClient(url, "legacy")];
    await client.callTool({ name: "work", arguments: {} });
    const { content } = await other.callTool({ name: "others_work", arguments: {} });
    const [taskId = ""] = /task_[0-9a-f]{32}/.exec(readText({ content })) ?? [];
    await (client.transport as { terminateSession?(): Promise<void> }).terminateSession?.();
    await vi.waitFor(() => expect(own.stopped()).toBe(true), 60_000);
    expect(others.stopped()).toBe(false);
    others.release();
    expect(readText(await getRequest(other, "tasks/result", { taskId }))).toBe("done");
  });
});
