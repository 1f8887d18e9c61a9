import { join } from "node:path";
import { defineTool, ToolExecutor, ToolRegistry } from "@toolweave/core";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { expect, test } from "vitest";
import { openStore } from "./support/open-store.ts";

/** Two executors with stores of their own on one file, and a task that the first one runs. */
async function twoProcesses() {
  const path = join(tempFolder(), "store.db");
  let end: ((value: string) => void) | undefined;
  const work = defineTool({
    name: "work",
    description: "Works.",
    input: { type: "object" },
    execution: "task",
    execute: () => new Promise<string>((resolve) => (end = resolve)),
  });
  const start = () => {
    const store = openStore({ path, leaseMs: 300 });
    return {
      store,
      executor: new ToolExecutor({ registry: new ToolRegistry([work]), tasks: store.tasks }),
    };
  };
  const first = start();
  const outcome = await first.executor.execute({ id: "1", name: "work", arguments: {} });
  const id = outcome.result?.taskId as string;
  return { id, first, other: start(), end: (value: string) => end?.(value) };
}

test("a task is awaited and cancelled through another connection to the file", async () => {
  const { id, first, other, end } = await twoProcesses();
  const result = other.executor.tasks.result(id);
  end("done");
  expect((await result)?.status).toBe("completed");

  const second = await first.executor.execute({ id: "2", name: "work", arguments: {} });
  const taskId = second.result?.taskId as string;
  expect(await other.executor.tasks.cancel(taskId)).toMatchObject({ status: "cancelled" });
  expect(await first.executor.tasks.status(taskId)).toMatchObject({ status: "cancelled" });
});

test("a waiter notices that the process of a task has ended", async () => {
  const { id, first, other } = await twoProcesses();
  const result = other.executor.tasks.result(id);
  // Its lease is not renewed any more.
  first.store.close();
  expect((await result)?.error?.code).toBe("outcome_unknown");
});

test("a watch ends with its signal, and with its store", async () => {
  const { id, other } = await twoProcesses();
  const { watch } = other.store.tasks;
  const waiting = new AbortController();
  const aborted = watch?.call(other.store.tasks, id, waiting.signal);
  const stopped = watch?.call(other.store.tasks, id, new AbortController().signal);
  waiting.abort();
  await aborted;
  other.store.close();
  await stopped;
  expect(other.store.tasks.requestCancel).toBeTypeOf("function");
});

test("a request to cancel is refused once the task has ended", async () => {
  const { id, other, end } = await twoProcesses();
  end("done");
  await other.executor.tasks.result(id);
  expect(await other.store.tasks.requestCancel?.(id, "ada")).toBe(false);
});
