import { FakeClock, settled } from "@toolweave/test-support/fake-clock";
import { describe, expect, test } from "vitest";
import { ToolError, type JsonObject, type ToolEvent } from "@toolweave/core";
import { call, executorFor, recorded, tool, listTypes } from "../support/executor-for.ts";
import { deferred } from "../support/deferred.ts";
import { readCode, completed, failed, getInterruption, textFor } from "../support/outcomes.ts";
import { getTaskId, taskTool } from "./task-for.ts";

const never = (): Promise<never> => new Promise(() => {});

describe("a call of a tool that is a task", () => {
  test("answers with an id at once, and its result can be read any number of times", async () => {
    const { promise, resolve } = deferred<unknown>();
    const executor = executorFor(taskTool("t", () => promise));
    const outcome = completed(await executor.execute(call("t", { n: 1 })));
    const { taskId, value, isError, durationMs } = outcome.result;
    expect(taskId).toMatch(/^task_[0-9a-f]{32}$/);
    expect([value, isError, durationMs]).toEqual([{ taskId, status: "working" }, false, 0]);
    expect(textFor(outcome)).toContain(`t continues as task ${taskId}`);
    const id = getTaskId(outcome);
    expect(await executor.tasks.status(id)).toMatchObject({ id, status: "working", callId: "t" });
    expect(await executor.tasks.result(id, { waitMs: 0 })).toBeUndefined();
    const waiting = executor.tasks.result(id);
    resolve({ found: 3 });
    for (const known of [await waiting, await executor.tasks.result(id)]) {
      const { result } = completed(known);
      expect([result.value, result.taskId, result.callId]).toEqual([{ found: 3 }, undefined, "t"]);
    }
    expect(await executor.tasks.status(id)).toMatchObject({ status: "completed" });
  });

  test("emits its own events, and those of the work under the same call id", async () => {
    const executor = executorFor(
      taskTool("t", async (_, ctx) => {
        ctx.progress({ done: 1 });
        return "fine";
      }),
    );
    const events = recorded(executor);
    const id = getTaskId(await executor.execute(call("t", {}, "c")));
    await executor.tasks.result(id);
    expect(listTypes(events)).toEqual([
      "tool.requested",
      "tool.authorized",
      "task.created",
      "tool.started",
      "tool.progressed",
      "tool.completed",
      "task.completed",
    ]);
    const ofTask = events.filter(({ type }) => type.startsWith("task."));
    expect(ofTask).toMatchObject([
      { taskId: id, callId: "c" },
      { taskId: id, callId: "c" },
    ]);
  });

  test("asks a person before there is a task, and becomes one when that is answered", async () => {
    const ran: JsonObject[] = [];
    const executor = executorFor(
      taskTool("pay", (args) => void ran.push(args), { needsApproval: true }),
    );
    const events = recorded(executor);
    const run = executor.startRun();
    const interruption = getInterruption(await run.execute(call("pay", { n: 1 })));
    expect([listTypes(events), await executor.tasks.list()]).toEqual([
      ["tool.requested", "tool.interrupted"],
      [],
    ]);
    const id = getTaskId(await executor.resume(interruption, [{ type: "approve" }]));
    completed(await executor.tasks.result(id));
    expect(ran).toEqual([{ n: 1 }]);
    expect(listTypes(events).slice(2)).toEqual([
      "tool.resumed",
      "tool.authorized",
      "task.created",
      "tool.started",
      "tool.completed",
      "task.completed",
    ]);
  });

  test("that is refused creates no task", async () => {
    const executor = executorFor(taskTool("t"), { policy: "readOnly" });
    readCode(await executor.execute(call("t")));
    expect(await executor.tasks.list()).toEqual([]);
  });

  test("has its output checked, amended and truncated, and not its answer", async () => {
    const executor = executorFor(
      [
        taskTool("number", () => 7, { output: { type: "number" } }),
        taskTool("wrong", () => "x", { output: { type: "number" } }),
        taskTool("big", () => "x".repeat(5000)),
      ],
      {
        maxOutputBytes: 400,
        hooks: [
          {
            when: ({ spec }) => spec.name === "number",
            afterCall: () => ({ content: [{ type: "text", text: "amended" }], value: 8 }),
          },
        ],
      },
    );
    const run = executor.startRun();
    const getResult = async (name: string) =>
      executor.tasks.result(getTaskId(await run.execute(call(name))));
    expect(textFor(completed(await getResult("number")))).toBe("amended");
    expect(readCode(await getResult("wrong"))).toBe("invalid_output");
    expect(textFor(completed(await getResult("big"))).length).toBeLessThanOrEqual(400);
  });

  test("stores the error: code and text, and nothing of the cause", async () => {
    const executor = executorFor([
      taskTool("throws", () => {
        throw new ToolError("upstream", "The shop says no.", { cause: new Error("S3CRET") });
      }),
      taskTool("answers", () => ({ content: [{ type: "text", text: "no such" }], isError: true })),
    ]);
    const run = executor.startRun();
    const events = recorded(executor);
    const thrown = getTaskId(await run.execute(call("throws")));
    const { error, result } = failed(await executor.tasks.result(thrown));
    expect([error.code, error.message, result.isError]).toEqual([
      "upstream",
      "The shop says no.",
      true,
    ]);
    const status = await executor.tasks.status(thrown);
    expect(status).toMatchObject({
      status: "failed",
      error: { code: "upstream", message: "The shop says no." },
    });
    expect(JSON.stringify([status, error])).not.toContain("S3CRET");
    const answered = getTaskId(await run.execute(call("answers")));
    const outcome = completed(await executor.tasks.result(answered));
    expect([outcome.result.isError, outcome.error?.code]).toEqual([true, "execution_failed"]);
    expect(events.filter(({ type }) => /^task\.(completed|failed)$/.test(type))).toMatchObject([
      { type: "task.failed", code: "upstream" },
      { type: "task.completed", isError: true },
    ]);
  });

  test("is retried like any call", async () => {
    let attempts = 0;
    const executor = executorFor(
      taskTool(
        "t",
        () => {
          if (++attempts < 3) throw new ToolError("unavailable", "Busy.");
          return "fine";
        },
        { retry: { attempts: 3, initialDelayMs: 1 }, annotations: { idempotentHint: true } },
      ),
    );
    const id = getTaskId(await executor.execute(call("t")));
    expect(textFor(completed(await executor.tasks.result(id)))).toBe("fine");
    expect(attempts).toBe(3);
  });

  test.each([
    ["its own timeout", { timeoutMs: 5000 }, 5000],
    ["no more than the maximum", { timeoutMs: 0 }, 600_000],
    ["the maximum of tasks, not that of awaited calls", {}, 600_000],
  ])("has %s", async (_, more, ms) => {
    const clock = new FakeClock();
    const executor = executorFor(taskTool("t", never, more), { clock });
    const id = getTaskId(await executor.execute(call("t")));
    await clock.advance(ms - 1);
    expect(await executor.tasks.status(id)).toMatchObject({ status: "working" });
    await clock.advance(1);
    expect(readCode(await executor.tasks.result(id))).toBe("timeout");
    expect(clock.timers).toBe(0);
  });
});

describe("many calls of which some are tasks", () => {
  test.each(["parallel", "sequential", { batched: 1 }] as const)(
    "do not block others, and end with their ids (%o)",
    async (strategy) => {
      const ran: string[] = [];
      const executor = executorFor([
        taskTool("slow", never),
        tool("quick", (_, { callId }) => void ran.push(callId)),
      ]);
      const run = executor.startRun();
      const calls = [call("slow", {}, "a"), call("quick", {}, "b"), call("slow", {}, "c")];
      const outcomes = await run.executeAll(calls, { strategy, maxConcurrency: 1 });
      expect(outcomes.map((outcome) => completed(outcome).result.taskId !== undefined)).toEqual([
        true,
        false,
        true,
      ]);
      expect(ran).toEqual(["b"]);
    },
  );

  test("do not start before all are admitted", async () => {
    const order: string[] = [];
    const executor = executorFor([taskTool("t", () => void order.push("runs")), tool("u")], {
      hooks: [{ beforeCall: ({ callId }) => void order.push(callId) }],
    });
    await executor.startRun().executeAll([call("t", {}, "a"), call("u", {}, "b")]);
    expect(order).toEqual(["a", "b", "runs"]);
  });

  test("continue as tasks if the others are no longer awaited", async () => {
    const executor = executorFor([taskTool("t", never), tool("u", never)]);
    const events = recorded(executor);
    for await (const { outcome } of executor.startRun().stream([call("t"), call("u")])) {
      getTaskId(outcome);
      break;
    }
    await settled();
    expect(listTypes(events.filter((event) => belongsTo(event, "t"))).at(-1)).toBe("tool.started");
    expect(listTypes(events.filter((event) => belongsTo(event, "u"))).at(-1)).toBe("tool.failed");
  });

  test("that were admitted before become tasks when they are made", async () => {
    const executor = executorFor(taskTool("t"));
    const run = executor.startRun();
    const one = call("t");
    expect(await run.checkAdmission(one)).toBeUndefined();
    expect(await executor.tasks.list()).toEqual([]);
    completed(await executor.tasks.result(getTaskId(await run.execute(one))));
  });
});

function belongsTo(event: ToolEvent, callId: string): boolean {
  return "callId" in event && event.callId === callId;
}
