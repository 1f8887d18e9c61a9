import { FakeClock, settled } from "@toolweave/test-support/fake-clock";
import { describe, expect, test } from "vitest";
import type { ToolContext, ToolExecutor } from "@toolweave/core";
import { call, executorFor, recorded, tool, listTypes } from "../support/executor-for.ts";
import { controlledTools } from "../support/controlled-tools.ts";
import { readCode, completed, textFor } from "../support/outcomes.ts";
import { getTaskId, taskTool } from "./task-for.ts";

const never = (): Promise<never> => new Promise(() => {});

async function getStatus(executor: ToolExecutor, id: string): Promise<string> {
  return (await executor.tasks.status(id)).status;
}

describe("a task outlives", () => {
  test("the run that created it, if that is disposed of, including its nested calls", async () => {
    const contexts: ToolContext[] = [];
    const executor = executorFor([
      taskTool("t", async (_, ctx) => {
        contexts.push(ctx);
        await settled();
        return textFor(await ctx.scope.execute(call("helps")));
      }),
      tool("helps", async () => (await settled(), "helped")),
    ]);
    let id: string;
    {
      await using run = executor.startRun();
      id = getTaskId(await run.execute(call("t")));
    }
    expect(textFor(completed(await executor.tasks.result(id)))).toBe("helped");
    expect(contexts[0]?.runId).toBe((await executor.tasks.status(id)).runId);
  });

  test("the call's signal and its deadline", async () => {
    const clock = new FakeClock();
    const executor = executorFor(taskTool("t", never), { clock });
    const { signal, abort } = aborting();
    const options = { signal, deadlineMs: 50 };
    const ids = [
      getTaskId(await executor.execute(call("t"), options)),
      getTaskId(await executor.startRun().execute(call("t"), options)),
    ];
    abort();
    await clock.advance(100);
    for (const id of ids) expect(await getStatus(executor, id)).toBe("working");
  });

  test("the tool that called it", async () => {
    const { tools, finish } = controlledTools(["work"]);
    const [work] = tools;
    const executor = executorFor([
      { ...(work as never as object), spec: { ...work?.spec, execution: "task" } } as never,
      tool("outer", async (_, { scope }) => getTaskId(await scope.execute(call("work")))),
    ]);
    const id = textFor(await executor.execute(call("outer")));
    expect(await getStatus(executor, id)).toBe("working");
    finish("work");
    expect(textFor(completed(await executor.tasks.result(id)))).toBe("work");
  });

  test("the attempt that called it", async () => {
    const clock = new FakeClock();
    let id = "";
    const executor = executorFor(
      [
        taskTool("work", never),
        tool(
          "outer",
          async (_, { scope }) => {
            id = getTaskId(await scope.execute(call("work")));
            return never();
          },
          { timeoutMs: 10 },
        ),
      ],
      { clock },
    );
    const outcome = executor.execute(call("outer"));
    await clock.advance(10);
    expect([readCode(await outcome), await getStatus(executor, id)]).toEqual([
      "timeout",
      "working",
    ]);
  });
});

describe("a task ends with", () => {
  test("the cancellation of its run, also after that was disposed of", async () => {
    const executor = executorFor(taskTool("t", never));
    const runs = [executor.startRun(), executor.startRun()] as const;
    const ids: string[] = [];
    for (const run of runs) ids.push(getTaskId(await run.execute(call("t"))));
    await runs[1][Symbol.asyncDispose]();
    for (const run of runs) run.cancel("Enough.");
    for (const id of ids) {
      const outcome = await executor.tasks.result(id);
      expect([readCode(outcome), await getStatus(executor, id)]).toEqual([
        "cancelled",
        "cancelled",
      ]);
      expect(textFor(outcome as never)).toBe("Enough.");
    }
  });

  test("the signal of its run", async () => {
    const executor = executorFor(taskTool("t", never));
    const { signal, abort } = aborting();
    const id = getTaskId(await executor.startRun({ signal }).execute(call("t")));
    abort();
    expect(readCode(await executor.tasks.result(id))).toBe("cancelled");
  });

  test("the timeout of its run", async () => {
    const clock = new FakeClock();
    const executor = executorFor(taskTool("t", never), { clock });
    const run = executor.startRun({ limits: { durationMs: 100 } });
    const id = getTaskId(await run.execute(call("t"), { deadlineMs: 20 }));
    await clock.advance(99);
    expect(await getStatus(executor, id)).toBe("working");
    await clock.advance(1);
    expect(readCode(await executor.tasks.result(id))).toBe("limit_exceeded");
  });

  test("its own cancellation, which includes its nested calls", async () => {
    const aborted: string[] = [];
    const hang =
      (name: string) =>
      (_: unknown, { signal }: ToolContext) => {
        signal.addEventListener("abort", () => aborted.push(name));
        return never();
      };
    const executor = executorFor([
      taskTool("t", (args, ctx) => {
        void ctx.scope.execute(call("inner"));
        return hang("t")(args, ctx);
      }),
      tool("inner", hang("inner")),
    ]);
    const events = recorded(executor);
    const id = getTaskId(await executor.execute(call("t")));
    expect(await executor.tasks.cancel(id)).toMatchObject({ status: "cancelled" });
    expect(aborted.sort()).toEqual(["inner", "t"]);
    expect(listTypes(events).at(-1)).toBe("task.cancelled");
    expect(await executor.tasks.cancel(id)).toMatchObject({ status: "cancelled" });
  });

  test("its end or its cancellation, whichever comes first", async () => {
    const { tools, finish } = controlledTools(["work"]);
    const [work] = tools;
    const spec = { ...work?.spec, execution: "task" };
    const executor = executorFor({ ...work, spec } as never);
    const events = recorded(executor);
    const id = getTaskId(await executor.execute(call("work")));
    finish("work");
    const cancelling = executor.tasks.cancel(id);
    const [{ status }, outcome] = [await cancelling, await executor.tasks.result(id)];
    expect(outcome?.status).toBe(status === "completed" ? "completed" : "failed");
    expect(listTypes(events).filter((type) => /^task\.(?!created)/.test(type))).toEqual([
      `task.${status}`,
    ]);
    expect(await executor.tasks.cancel(id)).toMatchObject({ status });
  });

  test("a drain, which gives it time, and records its result", async () => {
    const clock = new FakeClock();
    const executor = executorFor(
      [
        taskTool("long", never),
        taskTool("short", () => new Promise((end) => clock.setTimeout(() => end("fine"), 30))),
      ],
      { clock },
    );
    const run = executor.startRun();
    const long = getTaskId(await run.execute(call("long")));
    const short = getTaskId(await run.execute(call("short")));
    let atRest = false;
    const draining = executor.drain({ graceMs: 100 }).then(() => (atRest = true));
    await clock.advance(99);
    expect([atRest, await getStatus(executor, short)]).toEqual([false, "completed"]);
    await clock.advance(1);
    await draining;
    expect(await getStatus(executor, long)).toBe("cancelled");
    expect(textFor((await executor.tasks.result(long)) as never)).toBe(
      "The host is shutting down.",
    );
  });
});

describe("a task counts", () => {
  test("once among the calls of its run, and so does each of its nested calls", async () => {
    const executor = executorFor([
      taskTool("t", async (_, { scope }) => (await scope.execute(call("u")), "fine")),
      tool("u"),
    ]);
    const run = executor.startRun({ limits: { calls: 3 } });
    await executor.tasks.result(getTaskId(await run.execute(call("t"))));
    expect(run.counters?.calls).toBe(2);
    completed(await run.execute(call("u")));
    expect(readCode(await run.execute(call("t")))).toBe("limit_exceeded");
  });

  test("as a running call: others wait for its slot, and it waits for theirs", async () => {
    const { tools, finish, running } = controlledTools(["first", "second"]);
    const asTasks = tools.map((one) => ({ ...one, spec: { ...one.spec, execution: "task" } }));
    const executor = executorFor([...(asTasks as never[]), tool("plain")], {
      limits: { concurrency: { max: 1 } },
    });
    const run = executor.startRun();
    const first = getTaskId(await run.execute(call("first")));
    const second = getTaskId(await run.execute(call("second")));
    const plain = run.execute(call("plain"));
    await settled();
    expect([[...running], await getStatus(executor, second)]).toEqual([["first"], "working"]);
    finish("first");
    await executor.tasks.result(first);
    await settled();
    expect(running).toEqual(["second"]);
    finish("second");
    completed(await plain);
  });

  test("as none if it is cancelled while it waits for a slot", async () => {
    const executor = executorFor([taskTool("t", never)], { limits: { concurrency: { max: 1 } } });
    const run = executor.startRun({ limits: { calls: 5 } });
    await run.execute(call("t"));
    const events = recorded(executor);
    const id = getTaskId(await run.execute(call("t", {}, "second")));
    await executor.tasks.cancel(id);
    expect(run.counters?.calls).toBe(1);
    expect(listTypes(events).slice(-2)).toEqual(["tool.rejected", "task.cancelled"]);
  });

  test("without blocking the tool that called it, with only one slot", async () => {
    const executor = executorFor(
      [
        taskTool("t", () => "fine"),
        tool("outer", async (_, { scope }) => getTaskId(await scope.execute(call("t")))),
      ],
      { limits: { concurrency: { max: 1, exclusive: "outer" } } },
    );
    const id = textFor(await executor.execute(call("outer")));
    expect(textFor(completed(await executor.tasks.result(id)))).toBe("fine");
  });
});

function aborting(): { readonly signal: AbortSignal; readonly abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
