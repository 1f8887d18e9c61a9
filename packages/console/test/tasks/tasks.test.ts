import { join } from "node:path";
import { defineTool, ToolExecutor, ToolRegistry, type Caller, type Tool } from "@toolweave/core";
import { memoryTasks, type TaskStore } from "@toolweave/core/stores";
import { sqliteStore, type SqliteStore } from "@toolweave/stores";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { expect, onTestFinished, test } from "vitest";
import type { TaskDetails, TaskList, TaskRow } from "../../src/index.ts";
import { CheckedConsole, secret } from "../support/checked-console.ts";
import { deferred, type Deferred } from "../support/deferred.ts";

const key = "0123456789abcdef0123456789abcdef";

function makeTools(running: Deferred = deferred()): readonly Tool[] {
  const make = (name: string, more: object, execute: Tool["invoke"]): Tool =>
    defineTool({
      name,
      description: name,
      input: { type: "object" },
      execution: "task",
      ...more,
      execute,
    });
  return [
    make("report", {}, () => ({ content: [], value: { secret, done: true } })),
    make("pay", { needsApproval: true }, () => "paid"),
    make("break", {}, () => {
      throw new Error(`It broke with ${secret}.`);
    }),
    make("wait", {}, async (_, { progress, signal }) => {
      progress({ message: `At ${secret}`, done: 1, total: 3 });
      running.resolve();
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      return "cancelled";
    }),
  ];
}

/** Makes a task, and returns its id. */
async function makeTask(executor: ToolExecutor, name: string, caller?: Caller): Promise<string> {
  const options = caller === undefined ? {} : { caller };
  const outcome = await executor.execute({ id: `call-${name}`, name, arguments: {} }, options);
  const id = outcome.result?.taskId;
  if (id === undefined) throw new Error(`${name} has no task.`);
  return id;
}

const list = async (
  console: CheckedConsole,
  query = "",
  as: "ada" | "bob" | "agent" = "ada",
): Promise<TaskList> => (await console.send<TaskList>(`/api/tasks${query}`, { as })).body;

test("a task is listed and read, with its outcome once it has ended", async () => {
  const console = new CheckedConsole(makeTools());
  const [report, broken] = [
    await makeTask(console.executor, "report", { id: "ada" }),
    await makeTask(console.executor, "break", { id: "ada" }),
  ];
  const behalf = { caller: { id: "ada" } };
  for (const id of [report, broken]) await console.executor.tasks.result(id, behalf);
  const { items } = await list(console);
  expect(items.map(({ tool, status, caller }) => [tool, status, caller]).sort()).toEqual([
    ["break", "failed", "ada"],
    ["report", "completed", "ada"],
  ]);
  const read = await console.send<TaskDetails>(`/api/tasks/${report}`);
  expect(read.body).toMatchObject({
    tool: "report",
    outcome: { status: "completed", ok: true, result: { value: { secret: "[redacted]" } } },
  });
  expect((await console.send<TaskDetails>(`/api/tasks/${broken}`)).body).toMatchObject({
    code: "execution_failed",
    outcome: { ok: false },
  });
  const unknown = await console.send(`/api/tasks/task_${"0".repeat(32)}`);
  expect([unknown.status, unknown.body["code"]]).toEqual([404, "not_found"]);
});

test("people see their own tasks, or with owners all of them; programs see their own", async () => {
  for (const owners of ["own", "all"] as const) {
    const console = new CheckedConsole(makeTools(), {}, { owners });
    const ids = new Map<string, string>();
    for (const id of ["ada", "bob"])
      ids.set(id, await makeTask(console.executor, "report", { id }));
    ids.set("", await makeTask(console.executor, "report"));
    const seen = async (as: "ada" | "agent"): Promise<readonly unknown[]> =>
      (await list(console, "", as)).items.map(({ caller }) => caller).sort();
    expect(await seen("agent")).toEqual(["ada"]);
    expect(await seen("ada")).toEqual(owners === "own" ? ["ada"] : ["ada", "bob", undefined]);
    for (const [name, id] of ids) {
      const status = name === "ada" || owners === "all" ? 200 : 404;
      expect((await console.send(`/api/tasks/${id}`)).status).toBe(status);
      const asProgram = await console.send(`/api/tasks/${id}`, { as: "agent" });
      expect(asProgram.status).toBe(name === "ada" ? 200 : 404);
      const cancelled = await console.send(`/api/tasks/${id}/cancel`, { as: "agent", json: {} });
      expect(cancelled.status).toBe(name === "ada" ? 202 : 404);
    }
  }
});

test("a task that runs shows its progress, and is cancelled", async () => {
  const running = deferred();
  const console = new CheckedConsole(makeTools(running), {}, { runs: { live: true } });
  const id = await makeTask(console.executor, "wait", { id: "ada" });
  await running.promise;
  const { body } = await console.send<TaskRow>(`/api/tasks/${id}`);
  expect([body.status, body.progress]).toEqual([
    "working",
    { message: "At [redacted]", done: 1, total: 3 },
  ]);
  const cancelled = await console.send<TaskRow>(`/api/tasks/${id}/cancel`, { json: {} });
  expect([cancelled.status, cancelled.body.status]).toEqual([202, "cancelled"]);
  const again = await console.send<TaskRow>(`/api/tasks/${id}/cancel`, { json: {} });
  expect([again.status, again.body.status]).toEqual([202, "cancelled"]);
  expect((await console.send<TaskDetails>(`/api/tasks/${id}`)).body).toMatchObject({
    status: "cancelled",
    code: "cancelled",
  });
});

test("a store that cannot list all tasks lists those of the sender", async () => {
  const { listLatest: _, ...store } = bindAll(memoryTasks());
  const console = new CheckedConsole(makeTools(), { tasks: store }, { owners: "all" });
  for (const id of ["ada", "bob"]) await makeTask(console.executor, "report", { id });
  expect((await list(console)).items.map(({ caller }) => caller)).toEqual(["ada"]);
  expect((await list(console, "", "bob")).items.map(({ caller }) => caller)).toEqual(["bob"]);
});

function bindAll(store: TaskStore): TaskStore {
  const names = ["add", "change", "get", "list", "watch", "requestCancel", "listLatest"] as const;
  return Object.fromEntries(
    names.map((name) => [name, (store[name] as () => unknown).bind(store)]),
  ) as unknown as TaskStore;
}

test("tasks that another process has left in a file are listed, read and cancelled", async () => {
  const path = join(tempFolder(), "store.db");
  const stores: SqliteStore[] = [];
  onTestFinished(async () => {
    for (const store of stores) await store.close();
  });
  const open = (): SqliteStore => {
    const store = sqliteStore({ path });
    stores.push(store);
    return store;
  };
  const first = open();
  const gateway = new ToolExecutor({
    registry: new ToolRegistry(makeTools()),
    key,
    pendingCalls: first.pendingCalls,
    tasks: first.tasks,
  });
  const second = open();
  const console = new CheckedConsole(
    makeTools(),
    { key, pendingCalls: second.pendingCalls, tasks: second.tasks },
    { owners: "all" },
  );
  const report = await makeTask(gateway, "report", { id: "claude" });
  await gateway.tasks.result(report, { caller: { id: "claude" } });
  const waiting = await makeTask(gateway, "wait", { id: "claude" });
  const asking = await gateway.execute({ id: "1", name: "pay", arguments: {} });
  if (asking.status !== "interrupted") throw new Error(`It is ${asking.status}.`);
  const { items } = await list(console);
  expect(items.map(({ tool, status }) => [tool, status]).sort()).toEqual([
    ["report", "completed"],
    ["wait", "working"],
  ]);
  expect((await console.send<TaskDetails>(`/api/tasks/${report}`)).body).toMatchObject({
    caller: "claude",
    outcome: { ok: true, result: { value: { secret: "[redacted]", done: true } } },
  });
  const cancelled = await console.send<TaskRow>(`/api/tasks/${waiting}/cancel`, { json: {} });
  expect([cancelled.status, cancelled.body.status]).toEqual([202, "cancelled"]);
});
