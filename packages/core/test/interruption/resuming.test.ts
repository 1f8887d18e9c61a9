import { describe, expect, test } from "vitest";
import { defineTool, type JsonObject } from "@toolweave/core";
import { guarded, call, executorFor, recorded, tool } from "../support/executor-for.ts";
import { readCode, completed, failed, getInterruption } from "../support/outcomes.ts";
import { TestSource } from "../support/test-source.ts";

const yes = [{ type: "approve" }] as const;

describe("resuming", () => {
  test("a call of a cancelled run is cancelled", async () => {
    const ran: JsonObject[] = [];
    const executor = executorFor(guarded(ran));
    const run = executor.startRun();
    const interruption = getInterruption(await run.execute(call("pay")));
    run.cancel("Too late.");
    expect(failed(await executor.resume(interruption, yes)).error).toMatchObject({
      code: "cancelled",
      message: "Too late.",
    });
    expect(ran).toEqual([]);
  });

  test("may take place in a later run of the same caller and session", async () => {
    const ran: JsonObject[] = [];
    const executor = executorFor(guarded(ran));
    const events = recorded(executor);
    const options = { caller: { id: "ada", roles: ["x"] }, sessionId: "s" };
    const first = executor.startRun({ ...options, id: "first" });
    const interruption = getInterruption(await first.execute(call("pay")));
    await first[Symbol.asyncDispose]();
    const second = executor.startRun({ ...options, id: "second" });
    completed(await executor.resume(interruption, yes, { run: second }));
    expect(events.slice(2).map((event) => "runId" in event && event.runId)).toEqual(
      Array.from({ length: 4 }, () => "second"),
    );
  });

  test.each([
    ["caller", { caller: { id: "eve" }, sessionId: "s" }],
    ["caller's role", { caller: { id: "ada", roles: ["admin"] }, sessionId: "s" }],
    ["session", { caller: { id: "ada" }, sessionId: "other" }],
    ["no caller", {}],
  ])("AP04 is refused in a run of another %s", async (_, options) => {
    const ran: JsonObject[] = [];
    const executor = executorFor(guarded(ran));
    const interruption = getInterruption(
      await executor.execute(call("pay"), { caller: { id: "ada" }, sessionId: "s" }),
    );
    const run = executor.startRun(options);
    expect(failed(await executor.resume(interruption, yes, { run })).error).toMatchObject({
      code: "approval_invalid",
      message: "The interruption of pay belongs to another caller or session.",
    });
    expect(ran).toEqual([]);
  });

  test("is refused in a run of another executor", async () => {
    const executor = executorFor(guarded());
    const interruption = getInterruption(await executor.execute(call("pay")));
    const run = executorFor(guarded()).startRun();
    expect(readCode(await executor.resume(interruption, yes, { run }))).toBe("approval_invalid");
    completed(await executor.resume(interruption, yes));
  });

  test("can be cancelled by its own signal", async () => {
    const executor = executorFor(tool("pay", () => new Promise(() => {}), { needsApproval: true }));
    const before = getInterruption(await executor.execute(call("pay")));
    expect(readCode(await executor.resume(before, yes, { signal: AbortSignal.abort() }))).toBe(
      "cancelled",
    );
    const during = getInterruption(await executor.execute(call("pay")));
    const controller = new AbortController();
    executor.on(({ type }) => {
      if (type === "tool.started") setImmediate(() => controller.abort());
    });
    expect(readCode(await executor.resume(during, yes, { signal: controller.signal }))).toBe(
      "cancelled",
    );
  });

  test("waits for a source that is loading again", async () => {
    const executor = executorFor(guarded());
    const interruption = getInterruption(await executor.execute(call("pay")));
    const slow = new TestSource("slow", [], { loading: true });
    executor.registry.add(slow);
    const outcome = executor.resume(interruption, yes);
    slow.load();
    expect((await outcome).status).toBe("completed");
  });

  test("does not reach tools that were not advertised when the call was made", async () => {
    const executor = executorFor([
      tool("delegate", async (_, { scope }) => (await scope.execute(call("secret"))).status, {
        needsApproval: true,
      }),
      tool("secret"),
    ]);
    const run = executor.startRun({ toolset: executor.toolset.select({ include: ["delegate"] }) });
    const interruption = getInterruption(await run.execute(call("delegate")));
    const { result } = completed(await executor.resume(interruption, yes));
    expect(result.content).toEqual([{ type: "text", text: "failed" }]);
  });

  test("uses the arguments as validated, transformed again", async () => {
    const executor = executorFor(
      defineTool({
        name: "pay",
        description: "",
        input: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
        needsApproval: true,
        execute: ({ n }) => n * 2,
      }),
    );
    const interruption = getInterruption(await executor.execute(call("pay", '{"n":21}')));
    expect(completed(await executor.resume(interruption, yes)).result.value).toBe(42);
  });
});
