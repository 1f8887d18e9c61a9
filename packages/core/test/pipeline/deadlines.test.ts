import { FakeClock, settled } from "@toolweave/test-support/fake-clock";
import { describe, expect, test } from "vitest";
import type { ToolContext } from "@toolweave/core";
import { call, executorFor, recorded, tool, listTypes } from "../support/executor-for.ts";
import { deferred } from "../support/deferred.ts";
import { readCode, completed, failed, getInterruption } from "../support/outcomes.ts";

const never = (): Promise<string> => new Promise(() => {});

describe("the deadline of a call", () => {
  test("ends it in the middle of its work, and aborts the tool", async () => {
    const clock = new FakeClock();
    let signal: AbortSignal | undefined;
    const executor = executorFor(
      tool("t", (_, ctx) => ((signal = ctx.signal), never())),
      { clock },
    );
    const events = recorded(executor);
    const outcome = executor.execute(call("t"), { deadlineMs: 250 });
    await clock.advance(249);
    expect(signal?.aborted).toBe(false);
    await clock.advance(1);
    const { error, result } = failed(await outcome);
    expect([error.code, error.retryable, result.durationMs]).toEqual(["timeout", true, 250]);
    expect(error.message).toBe(
      "t was not done by its deadline, 250 ms after it was called. t may have done part of its work: check before calling it again.",
    );
    expect(signal?.reason).toBe(error);
    expect(listTypes(events).at(-1)).toBe("tool.failed");
    expect(clock.timers).toBe(0);
  });

  test("is reported only if it is before the tool's timeout; the earlier of both applies", async () => {
    for (const [deadlineMs, timeoutMs, message] of [
      [100, 200, "by its deadline, 100 ms"],
      [200, 100, "did not answer within 100 ms"],
    ] as const) {
      const clock = new FakeClock();
      const executor = executorFor(tool("t", never, { timeoutMs }), { clock });
      const start = clock.now();
      const outcome = executor.execute(call("t"), { deadlineMs });
      await clock.advance(1000);
      const { error, result } = failed(await outcome);
      expect(error.message).toContain(message);
      expect(result.timestamp - start).toBe(100);
    }
  });

  test("covers hooks, whose own timeout may be longer", async () => {
    const clock = new FakeClock();
    const executor = executorFor(tool("t"), {
      clock,
      hooks: [{ beforeCall: () => new Promise(() => {}) }],
    });
    const events = recorded(executor);
    const outcome = executor.execute(call("t"), { deadlineMs: 40 });
    await clock.advance(100);
    const { error } = failed(await outcome);
    expect([error.code, error.message]).toEqual([
      "timeout",
      "t was not done by its deadline, 40 ms after it was called.",
    ]);
    expect(listTypes(events).at(-1)).toBe("tool.rejected");
  });

  test("covers the wait for a slot", async () => {
    const clock = new FakeClock();
    let ran = 0;
    const executor = executorFor(
      tool("t", () => ((ran += 1), never()), { timeoutMs: 0 }),
      { clock, maxTimeoutMs: 0 },
    );
    const run = executor.startRun();
    const outcomes = run.executeAll([call("t", {}, "1"), call("t", {}, "2")], {
      maxConcurrency: 1,
      deadlineMs: 300,
    });
    await clock.advance(300);
    for (const outcome of await outcomes) expect(readCode(outcome)).toBe("timeout");
    expect(ran).toBe(1);
  });

  test("applies to the calls that the tool makes, too", async () => {
    const clock = new FakeClock();
    let inner: AbortSignal | undefined;
    const executor = executorFor(
      [
        tool("outer", async (_, { scope }) => (await scope.execute(call("inner"))).status),
        tool("inner", (_, { signal }) => ((inner = signal), never())),
      ],
      { clock },
    );
    const outcome = executor.execute(call("outer"), { deadlineMs: 100 });
    await clock.advance(100);
    expect(readCode(await outcome)).toBe("timeout");
    expect(inner?.aborted).toBe(true);
  });

  test.each([0, -1, NaN, -Infinity])("of %d has passed: nothing starts", async (deadlineMs) => {
    let ran = 0;
    const executor = executorFor(tool("t", () => void (ran += 1)));
    const events = recorded(executor);
    expect(readCode(await executor.execute(call("t"), { deadlineMs }))).toBe("timeout");
    expect([ran, listTypes(events)]).toEqual([0, ["tool.requested", "tool.rejected"]]);
  });

  test("of Infinity, or none, is no deadline", async () => {
    const clock = new FakeClock();
    const executor = executorFor(
      tool(
        "t",
        () => new Promise((resolve) => void clock.setTimeout(() => resolve("done"), 500_000)),
      ),
      { clock, timeoutMs: 0, maxTimeoutMs: 0 },
    );
    const outcomes = [{}, { deadlineMs: Infinity }].map((options) =>
      executor.execute(call("t"), options),
    );
    await clock.advance(500_000);
    expect((await Promise.all(outcomes)).map(({ status }) => status)).toEqual([
      "completed",
      "completed",
    ]);
  });

  test("passes while the process is busy, too: the tool does not start any more", async () => {
    const clock = new FakeClock();
    let ran = 0;
    const executor = executorFor(
      tool("t", () => void (ran += 1)),
      { clock, hooks: [{ beforeCall: () => clock.skip(100) }] },
    );
    expect(readCode(await executor.execute(call("t"), { deadlineMs: 100 }))).toBe("timeout");
    expect(ran).toBe(0);
  });

  test("of a call that was only admitted begins again when it is made", async () => {
    const clock = new FakeClock();
    const run = executorFor(tool("t", never, { timeoutMs: 0 }), { clock }).startRun();
    const asked = call("t");
    expect(await run.checkAdmission(asked, { deadlineMs: 100 })).toBe(undefined);
    await clock.advance(1000);
    const start = clock.now();
    const outcome = run.execute(asked);
    await clock.advance(1000);
    expect(failed(await outcome).result.timestamp - start).toBe(100);
    expect(readCode(await run.checkAdmission(call("t"), { deadlineMs: 0 }))).toBe("timeout");
  });

  test("does not count while a person is asked, in the process or later", async () => {
    const clock = new FakeClock();
    const executor = executorFor(tool("t", undefined, { needsApproval: true }), { clock });
    const interruption = getInterruption(await executor.execute(call("t"), { deadlineMs: 100 }));
    await clock.advance(10_000);
    const outcome = await executor.resume(interruption, [{ type: "approve" }]);
    expect(outcome.status).toBe("completed");
  });
});

describe("the duration of a run", () => {
  test("F0.23 ends running calls, and no call starts any more", async () => {
    const clock = new FakeClock();
    let ran = 0;
    const executor = executorFor([tool("slow", never), tool("quick", () => void (ran += 1))], {
      clock,
    });
    const run = executor.startRun({ limits: { durationMs: 500 } });
    await clock.advance(200);
    completed(await run.execute(call("quick")));
    const outcome = run.execute(call("slow"));
    await clock.advance(300);
    const { error, result } = failed(await outcome);
    expect([error.code, error.retryable, result.durationMs]).toEqual([
      "limit_exceeded",
      false,
      300,
    ]);
    expect(error.message).toBe(
      "This run has used up its 500 ms. slow may have done part of its work: check before calling it again. Answer with what you have.",
    );
    const late = failed(await run.execute(call("quick")));
    expect([late.error.code, late.error.message]).toEqual([
      "limit_exceeded",
      "This run has used up its 500 ms. Answer with what you have.",
    ]);
    expect(ran).toBe(1);
    completed(await executor.execute(call("quick")));
  });

  test("applies if the call's own deadline is later, and the other way round", async () => {
    for (const [deadlineMs, code, ms] of [
      [1000, "limit_exceeded", 500],
      [100, "timeout", 100],
    ] as const) {
      const clock = new FakeClock();
      const run = executorFor(tool("t", never), { clock }).startRun({
        limits: { durationMs: 500 },
      });
      const start = clock.now();
      const outcome = run.execute(call("t"), { deadlineMs });
      await clock.advance(2000);
      expect([readCode(await outcome), failed(await outcome).result.timestamp - start]).toEqual([
        code,
        ms,
      ]);
    }
  });

  test("of 0 prevents every start", async () => {
    const run = executorFor(tool("t")).startRun({ limits: { durationMs: 0 } });
    expect(readCode(await run.execute(call("t")))).toBe("limit_exceeded");
  });

  test.each([-1, NaN])("of %d is refused when the run starts", (durationMs) => {
    expect(() => executorFor(tool("t")).startRun({ limits: { durationMs } })).toThrow(
      `limits.durationMs is ${durationMs}; use 0 or more.`,
    );
  });

  test("does not apply to a call that has waited for a person, nor to its nested calls", async () => {
    const clock = new FakeClock();
    const executor = executorFor(
      [
        tool("outer", async (_, { scope }) => (await scope.execute(call("inner"))).status, {
          needsApproval: true,
        }),
        tool("inner"),
      ],
      { clock },
    );
    const run = executor.startRun({ limits: { durationMs: 500 } });
    const interruption = getInterruption(await run.execute(call("outer")));
    await clock.advance(10_000);
    const { result } = completed(await executor.resume(interruption, [{ type: "approve" }]));
    expect(result.value ?? result.content).toMatchObject([{ text: "completed" }]);
  });

  test("leaves no timer behind if no call runs", async () => {
    const clock = new FakeClock();
    const run = executorFor(tool("t"), { clock }).startRun({ limits: { durationMs: 60_000 } });
    completed(await run.execute(call("t")));
    await clock.advance(20);
    expect(clock.timers).toBe(0);
  });
});

describe("approvals by a person", () => {
  test("have no time limit: neither the call's deadline passes meanwhile nor that of its parent", async () => {
    const clock = new FakeClock();
    const asked = deferred<() => void>();
    const begun = deferred<void>();
    const executor = executorFor(
      [
        tool("outer", async (_, { scope }) => (await scope.execute(call("pay"))).status, {
          timeoutMs: 100,
        }),
        tool("pay", () => (begun.resolve(), never()), { needsApproval: true, timeoutMs: 50 }),
      ],
      {
        clock,
        onAsk: () => new Promise((resolve) => asked.resolve(() => resolve({ approved: true }))),
      },
    );
    const outcome = executor.execute(call("outer"), { deadlineMs: 200 });
    const answer = await asked.promise;
    await clock.advance(60 * 60_000);
    answer();
    await begun.promise;
    const start = clock.now();
    await clock.advance(1000);
    const { result } = completed(await outcome);
    expect(result.content).toMatchObject([{ text: "failed" }]);
    expect(result.timestamp - start).toBe(50);
  });
});

test("if a person never answers, only the clock of that call stops", async () => {
  const clock = new FakeClock();
  const executor = executorFor(
    [
      tool(
        "outermost",
        async (_, { scope }) => {
          await scope.execute(call("careless"));
          return never();
        },
        { timeoutMs: 100 },
      ),
      tool("careless", async (_, { scope }) => {
        void scope.execute(call("pay"));
        await settled();
        return "gone";
      }),
      tool("pay", undefined, { needsApproval: true }),
    ],
    { clock, onAsk: () => new Promise(() => {}) },
  );
  const outcome = executor.execute(call("outermost"));
  for (let turn = 0; turn < 3; turn++) await settled();
  await clock.advance(100);
  expect(readCode(await outcome)).toBe("timeout");
});

test("tools have timeouts: one that hangs does not hang the agent (vercel/ai #12037)", async () => {
  const clock = new FakeClock();
  const executor = executorFor([tool("hangs", never), tool("works", () => "fine")], { clock });
  const outcomes = executor.startRun().executeAll([call("hangs"), call("works")]);
  await clock.advance(60_000);
  const [hung, worked] = await outcomes;
  expect([readCode(hung), worked?.status]).toEqual(["timeout", "completed"]);
});

test("cancelling a run reaches nested calls at any depth (mastra #13646)", async () => {
  const stopped: string[] = [];
  const level = (name: string, inner?: string) =>
    tool(name, async (_, { scope, signal }: ToolContext) => {
      signal.addEventListener("abort", () => stopped.push(name));
      return inner === undefined ? never() : (await scope.execute(call(inner))).status;
    });
  const run = executorFor([level("a", "b"), level("b", "c"), level("c")]).startRun();
  const outcome = run.execute(call("a"));
  await settled();
  run.cancel("The user has left.");
  expect(failed(await outcome).error.message).toBe("The user has left.");
  expect(stopped.toSorted()).toEqual(["a", "b", "c"]);
});
