import { FakeClock } from "@toolweave/test-support/fake-clock";
import { describe, expect, test } from "vitest";
import type { ExecutorOptions, ToolExecutor } from "@toolweave/core";
import { memoryTasks } from "@toolweave/core/stores";
import { call, executorFor, tool } from "../support/executor-for.ts";
import { completed } from "../support/outcomes.ts";

/** Two executors with one store of tasks, and a task that the first one runs. */
async function twoProcesses(options: Partial<ExecutorOptions> = {}) {
  const clock = new FakeClock();
  const store = memoryTasks(clock);
  let reads = 0;
  const get: typeof store.get = (id) => ((reads += 1), store.get(id));
  const tasks = Object.assign(Object.create(store) as typeof store, {
    get,
    add: store.add.bind(store),
    change: store.change.bind(store),
    list: store.list.bind(store),
    watch: store.watch?.bind(store),
    requestCancel: store.requestCancel?.bind(store),
  });
  let end: ((value: string) => void) | undefined;
  const work = tool("work", () => new Promise<string>((resolve) => (end = resolve)), {
    execution: "task",
    timeoutMs: 0,
  });
  const start = (): ToolExecutor => executorFor(work, { clock, tasks, ...options });
  const first = start();
  const id = completed(await first.execute(call("work"))).result.taskId as string;
  return {
    clock,
    id,
    first,
    other: start(),
    end: (value: string) => end?.(value),
    reads: () => reads,
  };
}

describe("a task of another process", () => {
  test("is awaited without polling", async () => {
    const { id, other, end, reads } = await twoProcesses();
    const result = other.tasks.result(id);
    const before = reads();
    end("done");
    expect(completed(await result).result.content).toMatchObject([{ text: "done" }]);
    expect(reads() - before).toBeLessThan(6);
  });

  test("is read again after 10 seconds, in case the store does not notice its end", async () => {
    const { id, other, end, clock } = await twoProcesses({});
    const result = other.tasks.result(id, { waitMs: 20_000 });
    await clock.advance(10_000);
    end("done");
    expect(completed(await result).status).toBe("completed");
  });

  test("is cancelled by the process that runs it", async () => {
    const { id, first, other } = await twoProcesses();
    expect(await other.tasks.cancel(id)).toMatchObject({ id, status: "cancelled" });
    expect(await first.tasks.status(id)).toMatchObject({ status: "cancelled" });
  });

  test("that has ended stays as it is", async () => {
    const { id, other, end } = await twoProcesses();
    end("done");
    await other.tasks.result(id);
    expect(await other.tasks.cancel(id)).toMatchObject({ status: "completed" });
  });

  test("that is not cancelled in time is not reported as cancelled", async () => {
    const clock = new FakeClock();
    const tasks = memoryTasks(clock);
    const now = clock.now();
    const times = { createdAt: now, updatedAt: now, expiresAt: now + 1e9 };
    // Its process does not react.
    const id = `task_${"0".repeat(32)}`;
    const of = { owner: "[null,null]", runId: "r", callId: "c", tool: "work" };
    const made = executorFor(tool("work", undefined, { execution: "task" }), { clock, tasks });
    const taskId = completed(await made.execute(call("work"))).result.taskId as string;
    const { owner } = (await tasks.get(taskId)) ?? of;
    await tasks.add({ ...of, ...times, owner, id, status: "working" });
    const cancelled = made.tasks.cancel(id).catch((error: unknown) => error);
    await clock.advance(10_000);
    await clock.advance(10_000);
    expect(await cancelled).toMatchObject({ code: "unavailable" });
    expect(await tasks.get(id)).toMatchObject({ status: "working", cancelRequestedBy: "" });
  });
});
