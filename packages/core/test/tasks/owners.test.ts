import { describe, expect, test } from "vitest";
import { ToolError, type TaskOptions } from "@toolweave/core";
import { call, executorFor } from "../support/executor-for.ts";
import { getTaskId, taskTool } from "./task-for.ts";

async function catchError(work: Promise<unknown>): Promise<{ code: string; message: string }> {
  try {
    await work;
  } catch (error) {
    if (ToolError.is(error)) return { code: error.code, message: error.message };
  }
  throw new Error("expected a ToolError");
}

const ada = { sessionId: "s", caller: { id: "ada" } };

describe("a task", () => {
  test("can be read by the session and the caller that created it, and by no other", async () => {
    const executor = executorFor(taskTool("t"));
    const id = getTaskId(await executor.startRun(ada).execute(call("t")));
    const unknown = `task_${"0".repeat(32)}`;
    const others: readonly TaskOptions[] = [
      {},
      { sessionId: "s" },
      { caller: { id: "ada" } },
      { sessionId: "s", caller: { id: "bob" } },
      { sessionId: "t", caller: { id: "ada" } },
      { sessionId: '["s","ada"]' },
    ];
    const { tasks } = executor;
    for (const method of ["status", "result", "cancel"] as const) {
      const nowhere = await catchError(tasks[method](unknown, ada));
      expect(nowhere.code).toBe("not_found");
      for (const other of others) {
        expect(await catchError(tasks[method](id, other))).toEqual(nowhere);
      }
    }
    for (const other of others) expect(await tasks.list(other)).toEqual([]);
    await tasks.result(id, ada);
    expect(await tasks.status(id, ada)).toMatchObject({ id, status: "completed" });
    // Other fields of a caller may change from one request to the next.
    const again = { sessionId: "s", caller: { id: "ada", roles: ["reader"] } };
    expect(await tasks.list(again)).toMatchObject([{ id }]);
  });

  test("without an owner can be read with its id", async () => {
    const executor = executorFor(taskTool("t"));
    const id = getTaskId(await executor.execute(call("t")));
    expect(await executor.tasks.status(id)).toMatchObject({ id });
    expect((await catchError(executor.tasks.status(id, ada))).code).toBe("not_found");
  });

  test("does not contain its owner", async () => {
    const executor = executorFor(taskTool("t"));
    const id = getTaskId(await executor.startRun(ada).execute(call("t")));
    await executor.tasks.result(id, ada);
    const answers = [await executor.tasks.status(id, ada), await executor.tasks.list(ada)];
    expect(JSON.stringify(answers)).not.toMatch(/\bada\b/);
  });

  test.each(["", "task_", "task_1", "../../etc/passwd", `task_${"0".repeat(31)}'`, 7, null, {}])(
    "has no such id as %o, and no store is called for it",
    async (id) => {
      const executor = executorFor(taskTool("t"), {
        tasks: {
          add: () => {},
          change: () => true,
          get: () => {
            throw new Error("asked");
          },
          list: () => [],
        },
      });
      expect((await catchError(executor.tasks.status(id as string))).code).toBe("not_found");
    },
  );
});

describe("executor.tasks", () => {
  test("names unknown options", async () => {
    const { tasks } = executorFor(taskTool("t"));
    const messages = [
      await catchError(tasks.status("x", { session: "s" } as never)),
      await catchError(tasks.list({ waitMs: 1 } as never)),
      await catchError(tasks.result("x", { waitMs: -1 })),
      await catchError(tasks.cancel("x", { caller: "ada" as never })),
    ].map(({ code, message }) => `${code}: ${message}`);
    expect(messages).toEqual([
      'invalid_configuration: executor.tasks.status: unknown option "session". Did you mean sessionId?',
      'invalid_configuration: executor.tasks.list: unknown option "waitMs". It takes sessionId, caller.',
      "invalid_configuration: executor.tasks.result: waitMs is -1; use 0 or more.",
      'invalid_configuration: The caller is none: use { id: "…" }, with roles: ["…"] and agent: "…" where there are any.',
    ]);
  });

  test("stops waiting if its caller aborts, and the task continues", async () => {
    const executor = executorFor(taskTool("t", () => new Promise(() => {})));
    const id = getTaskId(await executor.execute(call("t")));
    const controller = new AbortController();
    const waiting = executor.tasks.result(id, { signal: controller.signal });
    controller.abort();
    expect((await catchError(waiting)).code).toBe("cancelled");
    const aborted = executor.tasks.result(id, { signal: AbortSignal.abort() });
    expect((await catchError(aborted)).code).toBe("cancelled");
    expect(await executor.tasks.status(id)).toMatchObject({ status: "working" });
  });
});
