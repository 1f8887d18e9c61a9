import { FakeClock, settled } from "@toolweave/test-support/fake-clock";
import { describe, expect, test } from "vitest";
import { suspend } from "@toolweave/core";
import { taskTools } from "../../src/built-in/built-in-tools.ts";
import { call, executorFor, tool } from "../support/executor-for.ts";
import { readCode, completed, textFor } from "../support/outcomes.ts";
import { getTaskId, taskTool } from "./task-for.ts";

const ada = { caller: { id: "ada" } };

describe("the tools for tasks", () => {
  test("are listed for a model as soon as a tool that creates tasks exists, and run without approval", async () => {
    const without = executorFor(tool("t"));
    expect([...without.startRun().toolset.names()]).toEqual(["t"]);
    const executor = executorFor(taskTool("t"));
    const run = executor.startRun();
    const names = ["t", "task_cancel", "task_result", "task_status"];
    expect([...run.toolset.names()]).toEqual(names);
    const task_id = getTaskId(await run.execute(call("t")));
    for (const name of names.slice(1)) completed(await run.execute(call(name, { task_id })));
  });

  test("return the status of a task, its result, and that it was stopped", async () => {
    const executor = executorFor([
      taskTool("quick", () => ({ content: [{ type: "text", text: "done" }], value: { n: 1 } })),
      taskTool("long", () => new Promise(() => {})),
    ]);
    const run = executor.startRun(ada);
    const quick = getTaskId(await run.execute(call("quick")));
    const long = getTaskId(await run.execute(call("long")));
    await settled();
    const ask = async (name: string, task_id: string) =>
      completed(await run.execute(call(name, { task_id })));
    expect((await ask("task_result", quick)).result).toMatchObject({
      content: [{ type: "text", text: "done" }],
      value: { n: 1 },
      isError: false,
      callId: "task_result",
    });
    const { result } = await ask("task_status", quick);
    expect(result.value).toMatchObject({ taskId: quick, status: "completed" });
    expect(textFor(await ask("task_status", long))).toBe(
      `Task ${long} (long) is still working. Continue with something else, or call task_result with wait_seconds.`,
    );
    expect(textFor(await ask("task_result", long))).toContain("is still working");
    expect(textFor(await ask("task_cancel", long))).toContain("was cancelled.");
    expect(textFor(await ask("task_cancel", quick))).toContain("has completed");
    const cancelled = await ask("task_result", long);
    expect([cancelled.result.isError, cancelled.error?.code]).toEqual([true, "cancelled"]);
  });

  test("wait for the requested time, and no longer", async () => {
    const clock = new FakeClock();
    const executor = executorFor(
      taskTool("t", () => new Promise((end) => clock.setTimeout(() => end("fine"), 5000))),
      { clock },
    );
    const run = executor.startRun();
    const task_id = getTaskId(await run.execute(call("t")));
    const short = run.execute(call("task_result", { task_id, wait_seconds: 2 }));
    const long = run.execute(call("task_result", { task_id, wait_seconds: 60 }));
    await clock.advance(2000);
    expect(textFor(await short)).toContain("is still working");
    await clock.advance(3000);
    expect(textFor(await long)).toBe("fine");
    expect(readCode(await run.execute(call("task_result", { task_id, wait_seconds: 61 })))).toBe(
      "invalid_arguments",
    );
  });

  test("wait no longer than the maximum timeout of a tool", async () => {
    const clock = new FakeClock();
    const executor = executorFor(
      taskTool("t", () => new Promise(() => {})),
      {
        clock,
        maxTimeoutMs: 10_000,
      },
    );
    const run = executor.startRun();
    const task_id = getTaskId(await run.execute(call("t")));
    const waiting = run.execute(call("task_result", { task_id, wait_seconds: 60 }));
    await clock.advance(9000);
    expect(textFor(await waiting)).toContain("is still working");
  });

  test("report that a task waits for a person, and not for what", async () => {
    const executor = executorFor(
      taskTool("t", () => suspend([{ id: "q", type: "input", message: "The PIN?" }], "S3CRET")),
    );
    const run = executor.startRun();
    const task_id = getTaskId(await run.execute(call("t")));
    await executor.tasks.result(task_id);
    for (const name of ["task_status", "task_result"]) {
      const { result } = completed(await run.execute(call(name, { task_id })));
      expect(JSON.stringify(result)).toContain("waits for a person");
      expect(JSON.stringify(result)).not.toMatch(/PIN|S3CRET|state/);
    }
  });

  test("return no task of another session or caller", async () => {
    const executor = executorFor(taskTool("t"));
    const task_id = getTaskId(await executor.startRun(ada).execute(call("t")));
    for (const name of ["task_status", "task_result", "task_cancel"]) {
      for (const other of [{}, { sessionId: "s", ...ada }, { caller: { id: "eve" } }]) {
        const outcome = await executor.startRun(other).execute(call(name, { task_id }));
        expect(readCode(outcome)).toBe("not_found");
        expect(textFor(outcome)).not.toMatch(/\bada\b/);
      }
    }
  });

  test("need no slot: a call that waits for a task may run while that holds the only slot", async () => {
    const clock = new FakeClock();
    const executor = executorFor(
      taskTool("t", () => new Promise((end) => clock.setTimeout(() => end("fine"), 5000))),
      { clock, limits: { concurrency: { max: 1, perSource: 1 } } },
    );
    const run = executor.startRun();
    const task_id = getTaskId(await run.execute(call("t")));
    const asked = Array.from({ length: 3 }, (_, at) =>
      run.execute(call("task_result", { task_id, wait_seconds: 60 }, `c${at}`)),
    );
    await clock.advance(5000);
    for (const outcome of await Promise.all(asked)) expect(textFor(outcome)).toBe("fine");
  });

  test("let a tool wait for its own task, with only one slot", async () => {
    const executor = executorFor(
      [
        taskTool("t", async () => (await settled(), "fine")),
        tool("outer", async (_, { scope }) => {
          const task_id = getTaskId(await scope.execute(call("t")));
          return textFor(await scope.execute(call("task_result", { task_id, wait_seconds: 60 })));
        }),
      ],
      { limits: { concurrency: { max: 1, exclusive: "outer" } } },
    );
    expect(textFor(await executor.startRun().execute(call("outer")))).toBe("fine");
  });

  test("are read-only or idempotent, and never open world", () => {
    const tools = taskTools(executorFor([]).tasks);
    expect(
      tools.map(({ spec: { name, annotations } }) => [
        name,
        annotations.readOnlyHint === true,
        annotations.idempotentHint,
        annotations.openWorldHint,
      ]),
    ).toEqual([
      ["task_status", true, true, false],
      ["task_result", true, true, false],
      ["task_cancel", false, true, false],
    ]);
  });
});
