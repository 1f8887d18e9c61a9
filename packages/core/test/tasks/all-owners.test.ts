import { expect, test } from "vitest";
import { defineTool, ToolExecutor, ToolRegistry, type ExecutorOptions } from "../../src/index.ts";
import { memoryTasks, parseOwner } from "../../src/stores.ts";
import type { TaskStore } from "../../src/tasks/task-store.ts";

function open(options: Partial<ExecutorOptions> = {}): ToolExecutor {
  const job = defineTool({
    name: "job",
    description: "Runs in the background.",
    input: { type: "object", properties: { ask: { type: "boolean" } } },
    execution: "task",
    execute: () => "done",
  });
  return new ToolExecutor({ registry: new ToolRegistry([job]), ...options });
}

async function start(executor: ToolExecutor, behalf: object): Promise<string> {
  const outcome = await executor.execute({ id: "1", name: "job", arguments: {} }, behalf);
  return outcome.result?.taskId as string;
}

test("the latest tasks of all owners are listed, each with its owner", async () => {
  const executor = open();
  const behalves = [{}, { sessionId: "s" }, { sessionId: "s", caller: { id: "ada" } }];
  const ids: string[] = [];
  for (const behalf of behalves) ids.push(await start(executor, behalf));
  const latest = (await executor.tasks.latest()) ?? [];
  const byId = new Map(latest.map((task) => [task.id, task]));
  expect(ids.map((id) => byId.get(id)?.behalf)).toEqual(behalves);
  expect(JSON.stringify(latest)).not.toContain("result");
  expect(await executor.tasks.latest(2)).toHaveLength(2);
});

test("the owner of a task is found, and is accepted by the other methods", async () => {
  const executor = open();
  const id = await start(executor, { sessionId: "s", caller: { id: "ada", roles: ["admin"] } });
  const behalf = await executor.tasks.behalf(id);
  expect(behalf).toEqual({ sessionId: "s", caller: { id: "ada" } });
  expect((await executor.tasks.result(id, behalf))?.ok).toBe(true);
  for (const unknown of ["x", `task_${"0".repeat(32)}`]) {
    await expect(executor.tasks.behalf(unknown)).rejects.toMatchObject({ code: "not_found" });
  }
});

test("a task that was running when its process ended has failed in the list, too", async () => {
  const lost = { ...task("working"), lost: true } as const;
  const executor = open({ tasks: { ...emptyStore, listLatest: () => [lost] } });
  expect(await executor.tasks.latest()).toMatchObject([
    { status: "failed", error: { code: "outcome_unknown" } },
  ]);
});

test("a store without that method lists no tasks of all owners; one with a wrong answer fails", async () => {
  expect(await open({ tasks: emptyStore }).tasks.latest()).toBeUndefined();
  for (const answer of [undefined, [null], [{ ...task("working"), status: "new" }]]) {
    const tasks = { ...emptyStore, listLatest: () => answer as never };
    await expect(open({ tasks }).tasks.latest()).rejects.toMatchObject({
      code: "store_unavailable",
    });
  }
});

test.each(["", "ada", "{}", "[]", "[1,null]", '["a"]', '["a","b","c"]'])(
  "%o is no owner that an executor derives",
  (owner) => {
    expect(parseOwner(owner)).toBeUndefined();
  },
);

const memory = memoryTasks();
const emptyStore: TaskStore = {
  add: (added) => memory.add(added),
  change: (id, change) => memory.change(id, change),
  get: (id) => memory.get(id),
  list: (owner) => memory.list(owner),
};

function task(status: "working") {
  return {
    ...{ id: "task_1", owner: "[null,null]", runId: "r", callId: "c", tool: "job", status },
    ...{ createdAt: 1, updatedAt: 1, expiresAt: 9_000_000_000_000 },
  };
}
