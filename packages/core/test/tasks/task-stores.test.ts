import { FakeClock, settled } from "@toolweave/test-support/fake-clock";
import { describe, expect, test } from "vitest";
import { suspend, ToolError } from "@toolweave/core";
import { memoryPendingCalls, memoryTasks, type TaskStore } from "@toolweave/core/stores";
import { call, executorFor, recorded, listTypes } from "../support/executor-for.ts";
import { readCode, completed, failed, getInterruption, textFor } from "../support/outcomes.ts";
import { gate } from "../support/pending-call-stores.ts";
import { getTaskId, taskTool } from "./task-for.ts";

type Step = "add" | "change" | "get" | "list";

/** A store whose steps a test decides. */
class FaultyTasks implements TaskStore {
  readonly inner: TaskStore;
  /** Runs instead of the step. */
  readonly instead: Partial<Record<Step, (...given: unknown[]) => unknown>> = {};

  constructor(clock?: FakeClock) {
    this.inner = memoryTasks(clock);
  }

  add: TaskStore["add"] = (...given) => this.#do("add", given);
  change: TaskStore["change"] = (...given) => this.#do("change", given);
  get: TaskStore["get"] = (...given) => this.#do("get", given);
  list: TaskStore["list"] = (...given) => this.#do("list", given);

  #do<S extends Step>(step: S, given: Parameters<TaskStore[S]>): ReturnType<TaskStore[S]> {
    const instead = this.instead[step];
    if (instead !== undefined) return instead(...given) as never;
    return (this.inner[step] as (...given: unknown[]) => unknown)(...given) as never;
  }
}

const never = (): Promise<never> => new Promise(() => {});
const down = (): never => {
  throw new Error("disk full at /secret/path");
};

describe("a task that cannot be stored", () => {
  test.each([
    ["the store throws", down],
    ["the store rejects", () => Promise.reject(new Error("disk full at /secret/path"))],
  ])("fails its call, which has not run: %s", async (_, add) => {
    const tasks = new FaultyTasks();
    tasks.instead.add = add;
    let ran = 0;
    const executor = executorFor(
      taskTool("t", () => void (ran += 1)),
      { tasks },
    );
    const events = recorded(executor);
    const run = executor.startRun({ limits: { calls: 1 } });
    const outcome = await run.execute(call("t"));
    expect(failed(outcome).error).toMatchObject({
      code: "store_unavailable",
      message:
        "t was not run: it runs as a task, and the store of tasks does not answer. Call it again later.",
    });
    expect(textFor(outcome)).not.toContain("/secret/path");
    expect([ran, run.counters?.calls]).toEqual([0, 0]);
    expect(listTypes(events)).toEqual(["tool.requested", "tool.authorized", "tool.rejected"]);
    delete tasks.instead.add;
    completed(await executor.tasks.result(getTaskId(await run.execute(call("t")))));
  });

  test("fails its call after 5 s if the store does not answer, and is not a task if it answers later", async () => {
    const clock = new FakeClock();
    const tasks = new FaultyTasks(clock);
    const { opened, open } = gate();
    tasks.instead.add = (task) => opened.then(() => tasks.inner.add(task as never));
    let ran = 0;
    const executor = executorFor(
      taskTool("t", () => void (ran += 1)),
      { clock, tasks },
    );
    const outcome = executor.execute(call("t"));
    await clock.advance(5000);
    expect(readCode(await outcome)).toBe("store_unavailable");
    open();
    await settled();
    expect(await executor.tasks.list()).toMatchObject([{ status: "cancelled" }]);
    expect([ran, clock.timers]).toEqual([0, 0]);
  });

  test("ends at once with its call if that is cancelled meanwhile", async () => {
    const tasks = new FaultyTasks();
    const { opened, open } = gate();
    tasks.instead.add = (task) => opened.then(() => tasks.inner.add(task as never));
    let ran = 0;
    const executor = executorFor(
      taskTool("t", () => void (ran += 1)),
      { tasks },
    );
    const run = executor.startRun();
    const outcome = run.execute(call("t"));
    await settled();
    run.cancel("Never mind.");
    expect(textFor(await outcome)).toBe("Never mind.");
    open();
    await settled();
    expect(await executor.tasks.list()).toMatchObject([{ status: "cancelled" }]);
    expect(ran).toBe(0);
  });

  test("above the maximum fails with the store's own limit", async () => {
    const tasks = new FaultyTasks();
    tasks.instead.add = () => {
      throw new ToolError("limit_exceeded", "Enough tasks run already.");
    };
    const { error } = failed(await executorFor(taskTool("t"), { tasks }).execute(call("t")));
    expect([error.code, error.message]).toEqual(["limit_exceeded", "Enough tasks run already."]);
  });
});

describe("the end of a task that the store does not accept", () => {
  test.each([
    ["it throws", down],
    ["it rejects", () => Promise.reject(new Error("down"))],
    ["it answers with an invalid value", () => "yes"],
    ["it answers with nothing", () => undefined],
    ["it has lost the task", () => false],
  ])("is not lost for this process: %s", async (how, change) => {
    const tasks = new FaultyTasks();
    const executor = executorFor(
      taskTool("t", () => "fine"),
      { tasks },
    );
    const events = recorded(executor);
    tasks.instead.change = change;
    if (how.includes("lost")) tasks.instead.get = () => undefined;
    const id = getTaskId(await executor.execute(call("t")));
    expect(textFor(completed(await executor.tasks.result(id)))).toBe("fine");
    expect(await executor.tasks.status(id)).toMatchObject({ status: "completed" });
    expect(await executor.tasks.list()).toMatchObject([{ id, status: "completed" }]);
    const failures = events.filter(({ type }) => type === "store.failed");
    const failure = { store: "tasks", callId: "t" };
    expect(failures).toMatchObject(how.includes("lost") ? [] : [failure]);
    expect(listTypes(events).at(-1)).toBe("task.completed");
  });

  test("is not awaited for longer than 5 s, also by a drain", async () => {
    const clock = new FakeClock();
    const tasks = new FaultyTasks(clock);
    const executor = executorFor(
      taskTool("t", () => "fine"),
      { clock, tasks },
    );
    tasks.instead.change = never;
    const id = getTaskId(await executor.execute(call("t")));
    const result = executor.tasks.result(id);
    const draining = executor.drain();
    await clock.advance(5000);
    expect(textFor(completed(await result))).toBe("fine");
    await draining;
    expect(clock.timers).toBe(0);
  });

  test("is the end that another process has stored before", async () => {
    const tasks = memoryTasks();
    const { opened, open } = gate();
    const executor = executorFor(
      taskTool("t", () => opened),
      { tasks },
    );
    const events = recorded(executor);
    const id = getTaskId(await executor.execute(call("t")));
    const error = { code: "cancelled", message: "By hand." } as const;
    const { result } = failed(await executorFor([]).execute(call("x")));
    const times = { updatedAt: 0, expiresAt: Date.now() + 10_000 };
    await tasks.change(id, { status: "cancelled", error, result, ...times });
    open();
    await settled();
    expect(await executor.tasks.status(id)).toMatchObject({ status: "cancelled", error });
    expect(listTypes(events).at(-1)).toBe("task.cancelled");
  });

  test("is a wait for its person in this process, if that could not be stored", async () => {
    const tasks = new FaultyTasks();
    const executor = executorFor(
      taskTool("t", (_, { resumed }) =>
        resumed ? "fine" : suspend([{ id: "q", type: "input", message: "?" }], null),
      ),
      { tasks },
    );
    tasks.instead.change = down;
    const id = getTaskId(await executor.execute(call("t")));
    const interruption = getInterruption(await executor.tasks.result(id));
    delete tasks.instead.change;
    await executor.resume(interruption, [{ type: "input", value: 1 }]);
    expect(textFor(completed(await executor.tasks.result(id)))).toBe("fine");
  });

  test("is a wait that cannot be resumed while the store of tasks is down", async () => {
    const tasks = new FaultyTasks();
    const pendingCalls = memoryPendingCalls();
    const executor = executorFor(
      taskTool("t", (_, { resumed }) =>
        resumed ? "fine" : suspend([{ id: "q", type: "input", message: "?" }], null),
      ),
      { tasks, pendingCalls },
    );
    const id = getTaskId(await executor.execute(call("t")));
    const interruption = getInterruption(await executor.tasks.result(id));
    tasks.instead.get = down;
    const answers = [{ type: "input", value: 1 }] as const;
    expect(readCode(await executor.resume(interruption, answers))).toBe("store_unavailable");
    delete tasks.instead.get;
    expect(getTaskId(await executor.resume(interruption, answers))).toBe(id);
  });
});

describe("a store that is read for a task", () => {
  const id = `task_${"a".repeat(32)}`;
  const nonsense: readonly unknown[] = [
    7,
    "task",
    {},
    { id },
    { ...createRecord(), status: "gone" },
    { ...createRecord(), id: `task_${"b".repeat(32)}` },
    { ...createRecord(), status: "completed" },
    { ...createRecord(), owner: null },
  ];

  test.each([down, () => Promise.reject(new Error("no")), ...nonsense.map((one) => () => one)])(
    "and fails, or answers with an invalid value, is unavailable (%#)",
    async (get) => {
      const tasks = new FaultyTasks();
      tasks.instead.get = get;
      const executor = executorFor([], { tasks });
      for (const ask of ["status", "result", "cancel"] as const) {
        await expect(executor.tasks[ask](id)).rejects.toMatchObject({
          code: "store_unavailable",
          retryable: true,
        });
      }
    },
  );

  test.each([down, () => 7, () => [7], () => [{}]])(
    "and fails to list them, or lists invalid values, is unavailable (%#)",
    async (list) => {
      const tasks = new FaultyTasks();
      tasks.instead.list = list;
      await expect(executorFor([], { tasks }).tasks.list()).rejects.toMatchObject({
        code: "store_unavailable",
      });
    },
  );

  test("and never answers is awaited for 5 s", async () => {
    const clock = new FakeClock();
    const tasks = new FaultyTasks(clock);
    tasks.instead.get = never;
    const executor = executorFor([], { clock, tasks });
    const asked = executor.tasks.status(id).catch((error: unknown) => error);
    await clock.advance(5000);
    expect(await asked).toMatchObject({ code: "store_unavailable" });
    expect(clock.timers).toBe(0);
  });

  test("and confuses owners reveals no task of another owner", async () => {
    const tasks = new FaultyTasks();
    const strange = { ...createRecord(), owner: '["s","bob"]' };
    tasks.instead.list = () => [strange, createRecord()];
    tasks.instead.get = () => strange;
    const executor = executorFor([], { tasks });
    expect(await executor.tasks.list()).toHaveLength(1);
    await expect(executor.tasks.status(id)).rejects.toMatchObject({ code: "not_found" });
  });

  test("and reports that a task's process has ended is trusted: the task was cut off, and is not run again", async () => {
    const tasks = new FaultyTasks();
    tasks.instead.get = () => ({ ...createRecord(), lost: true });
    tasks.instead.list = () => [{ ...createRecord(), lost: true }];
    const executor = executorFor([], { tasks });
    const failures = await executor.tasks.status(id);
    expect(failures).toMatchObject({ status: "failed", error: { code: "outcome_unknown" } });
    expect(await executor.tasks.list()).toEqual([failures]);
    const outcome = await executor.tasks.result(id);
    expect(readCode(outcome)).toBe("outcome_unknown");
    expect(textFor(outcome as never)).toBe(
      "build was cut off: the process that ran it is gone, and its progress is not known. Check what it did before anything is repeated.",
    );
    expect(await executor.tasks.cancel(id)).toEqual(failures);
  });

  test("is polled until the end of a task that another process runs", async () => {
    const clock = new FakeClock();
    const tasks = new FaultyTasks(clock);
    const { result } = failed(await executorFor([]).execute(call("x")));
    let asked = 0;
    tasks.instead.get = () =>
      ++asked < 4 ? createRecord() : { ...createRecord(), status: "completed", result };
    const executor = executorFor([], { clock, tasks });
    const waiting = executor.tasks.result(id, { waitMs: 60_000 });
    await clock.advance(3000);
    expect((await waiting)?.status).toBe("completed");
    expect([asked, clock.timers]).toEqual([4, 0]);
  });

  test("does not report a task of another process as cancelled", async () => {
    const tasks = new FaultyTasks();
    tasks.instead.get = () => createRecord();
    const executor = executorFor([], { tasks });
    await expect(executor.tasks.cancel(id)).rejects.toMatchObject({
      code: "unavailable",
      message: "The task runs in another process, and can only be cancelled there.",
    });
  });
});

function createRecord() {
  const times = { createdAt: 1, updatedAt: 1, expiresAt: Number.MAX_SAFE_INTEGER };
  const ids = { id: `task_${"a".repeat(32)}`, runId: "r", callId: "c" };
  return { ...ids, ...times, owner: "[null,null]", tool: "build", status: "working" };
}
