import { FakeClock, settled } from "@toolweave/test-support/fake-clock";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ToolError, type ToolEvent } from "@toolweave/core";
import { controlledTools } from "../support/controlled-tools.ts";
import { call, executorFor, foreignTool, recorded, tool } from "../support/executor-for.ts";
import { readCode, completed, failed } from "../support/outcomes.ts";
import { TestSource } from "../support/test-source.ts";

describe("several calls", () => {
  test("F4.10 run at once, and return their results in the order of the calls, whichever ends first", async () => {
    const names = ["a", "b", "c"];
    const { tools, finish } = controlledTools(names);
    const outcomes = executorFor(tools)
      .startRun()
      .executeAll(names.map((name) => call(name)));
    await settled();
    for (const name of ["c", "a", "b"]) finish(name);
    expect((await outcomes).map((outcome) => completed(outcome).result.toolName)).toEqual(names);
  });

  test("TC28 of which one fails do not block each other", async () => {
    const executor = executorFor([
      tool("good"),
      tool("bad", () => {
        throw new Error("no");
      }),
      tool("ask", undefined, { needsApproval: true }),
    ]);
    const outcomes = await executor
      .startRun()
      .executeAll([
        call("good"),
        call("bad"),
        call("unknown"),
        call("ask"),
        call("good", "no json"),
        call("good"),
      ]);
    expect(
      outcomes.map((outcome) => (outcome.status === "failed" ? readCode(outcome) : outcome.status)),
    ).toEqual([
      "completed",
      "execution_failed",
      "not_found",
      "interrupted",
      "invalid_arguments",
      "completed",
    ]);
  });

  test("may be none", async () => {
    expect(await executorFor(tool("a")).startRun().executeAll([])).toEqual([]);
  });

  test("are all admitted, in order, before any starts", async () => {
    const order: string[] = [];
    const executor = executorFor(
      ["a", "b", "c"].map((name) => tool(name, () => void order.push(`run ${name}`))),
      {
        hooks: [
          {
            beforeCall: async ({ spec }) => {
              order.push(`hook ${spec.name}`);
              await settled();
              order.push(`hooked ${spec.name}`);
              return spec.name === "b" ? { block: "no" } : undefined;
            },
          },
        ],
      },
    );
    await executor.startRun().executeAll([call("a"), call("b"), call("c")]);
    expect(order).toEqual([
      ...["hook a", "hooked a", "hook b", "hooked b", "hook c", "hooked c"],
      ...["run a", "run c"],
    ]);
  });

  test("are counted in order: the first ones use the rest of a limit", async () => {
    const run = executorFor(tool("a")).startRun({ limits: { calls: 2 } });
    const outcomes = await run.executeAll([1, 2, 3].map((id) => call("a", {}, `${id}`)));
    expect(outcomes.map(({ status }) => status)).toEqual(["completed", "completed", "failed"]);
  });

  test("run at most eight at once, or as many as the option allows, in order", async () => {
    for (const [maxConcurrency, expected] of [
      [undefined, 8],
      [1, 1],
      [3, 3],
    ] as const) {
      const names = Array.from({ length: 10 }, (_, at) => `t${at}`);
      const { tools, running, finish } = controlledTools(names);
      const started: ToolEvent[] = [];
      const executor = executorFor(tools);
      executor.on((event) => event.type === "tool.started" && started.push(event));
      const outcomes = executor.startRun().executeAll(
        names.map((name) => call(name)),
        maxConcurrency === undefined ? {} : { maxConcurrency },
      );
      let most = 0;
      for (const name of names) {
        await settled();
        most = Math.max(most, running.length);
        finish(name);
      }
      expect(most).toBe(expected);
      expect((await outcomes).map((outcome) => completed(outcome).result.toolName)).toEqual(names);
      expect(started.map((event) => "tool" in event && event.tool)).toEqual(names);
    }
  });

  test("never run more at once than the option allows, however they end", async () => {
    const step = fc.record({
      ms: fc.nat(50),
      fails: fc.boolean(),
      timeoutMs: fc.constantFrom(0, 20),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 12 }),
        fc.integer({ min: 1, max: 4 }),
        async (steps, most) => {
          const clock = new FakeClock();
          let running = 0;
          let highest = 0;
          const executor = executorFor(
            steps.map(({ ms, fails, timeoutMs }, at) =>
              tool(
                `t${at}`,
                async (_, { signal }) => {
                  running += 1;
                  highest = Math.max(highest, running);
                  // A timed-out call no longer counts, though it may continue.
                  if (timeoutMs > 0 && ms >= timeoutMs) {
                    signal.addEventListener("abort", () => (running -= 1));
                    await new Promise(() => {});
                  }
                  await new Promise<void>((resolve) => clock.setTimeout(resolve, ms));
                  running -= 1;
                  if (fails) throw new Error("no");
                  return at;
                },
                { timeoutMs },
              ),
            ),
            { clock, maxTimeoutMs: 0 },
          );
          const outcomes = executor.startRun().executeAll(
            steps.map((_, at) => call(`t${at}`)),
            { maxConcurrency: most },
          );
          await clock.advance(2000);
          expect((await outcomes).map(({ status }) => status)).toEqual(
            steps.map(({ ms, fails, timeoutMs }) =>
              fails || (timeoutMs > 0 && ms >= timeoutMs) ? "failed" : "completed",
            ),
          );
          expect(highest).toBeLessThanOrEqual(most);
        },
      ),
      { numRuns: 30 },
    );
  });

  test("that wait for their turn are cancelled without ever starting", async () => {
    const { tools, running } = controlledTools(["a", "b", "c"]);
    const executor = executorFor(tools);
    const events = recorded(executor);
    const run = executor.startRun();
    const outcomes = run.executeAll([call("a"), call("b"), call("c")], { maxConcurrency: 1 });
    await settled();
    run.cancel();
    expect((await outcomes).map(readCode)).toEqual(["cancelled", "cancelled", "cancelled"]);
    expect(running).toEqual(["a"]);
    expect(events.filter(({ type }) => type === "tool.rejected")).toHaveLength(2);
  });

  test("can be cancelled together by a signal, including those that are not yet admitted", async () => {
    const controller = new AbortController();
    const executor = executorFor(tool("a"), {
      hooks: [{ beforeCall: ({ callId }) => (callId === "2" ? controller.abort() : undefined) }],
    });
    const calls = [1, 2, 3].map((id) => call("a", {}, `${id}`));
    const outcomes = await executor.startRun().executeAll(calls, { signal: controller.signal });
    expect(outcomes.map(readCode)).toEqual(["cancelled", "cancelled", "cancelled"]);
  });

  test("share a timeout setting that applies to each separately", async () => {
    const clock = new FakeClock();
    const executor = executorFor(
      tool("a", () => new Promise(() => {})),
      { clock },
    );
    const outcomes = executor
      .startRun()
      .executeAll([call("a", {}, "1"), call("a", {}, "2")], { timeoutMs: 10, maxConcurrency: 1 });
    await clock.advance(30);
    for (const outcome of await outcomes) {
      expect([readCode(outcome), failed(outcome).result.durationMs]).toEqual(["timeout", 10]);
    }
  });

  test.each([0, -1, 1.5, NaN, Infinity])("cannot be %d at once", async (maxConcurrency) => {
    const run = executorFor(tool("a")).startRun();
    await expect(run.executeAll([call("a")], { maxConcurrency })).rejects.toSatisfy(
      (error) =>
        ToolError.is(error) &&
        error.code === "invalid_configuration" &&
        /whole number above 0/.test(error.message),
    );
  });

  test("that make nested calls do not block each other at the limit", async () => {
    const executor = executorFor([
      tool("outer", async (_, { scope }) => (await scope.execute(call("inner"))).status),
      tool("inner", async () => {
        await settled();
      }),
    ]);
    const outcomes = await executor.startRun().executeAll(
      Array.from({ length: 4 }, (_, at) => call("outer", {}, `${at}`)),
      { maxConcurrency: 1 },
    );
    for (const outcome of outcomes) {
      expect(completed(outcome).result.content).toEqual([{ type: "text", text: "completed" }]);
    }
  });

  test("one of which is never admitted delay the others only until it is cancelled", async () => {
    const stuck = foreignTool("stuck", { preflight: () => new Promise(() => {}) });
    const executor = executorFor([new TestSource("s", [stuck]), tool("a")], {
      policy: "autonomous",
    });
    await executor.registry.ready;
    const run = executor.startRun();
    const outcomes = run.executeAll([call("stuck"), call("a")]);
    await settled();
    run.cancel();
    expect((await outcomes).map(readCode)).toEqual(["cancelled", "cancelled"]);
  });
});
