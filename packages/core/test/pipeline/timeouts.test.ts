import { FakeClock, settled } from "@toolweave/test-support/fake-clock";
import { recordUnhandledRejections } from "@toolweave/test-support/unhandled-rejections";
import { describe, expect, test } from "vitest";
import type { ExecutorOptions, ToolContext } from "@toolweave/core";
import {
  call,
  executorFor,
  foreignTool,
  recorded,
  tool,
  listTypes,
} from "../support/executor-for.ts";
import { readCode, completed, failed } from "../support/outcomes.ts";
import { TestSource } from "../support/test-source.ts";

const never = (): Promise<string> => new Promise(() => {});

/** The number of milliseconds after which a tool that never answers is aborted. */
async function givenUpAfter(
  own: number | undefined,
  options: Pick<ExecutorOptions, "timeoutMs" | "maxTimeoutMs">,
  ofCall?: number,
): Promise<number> {
  const clock = new FakeClock();
  const slow = tool("slow", never, own === undefined ? {} : { timeoutMs: own });
  const executor = executorFor(slow, { clock, ...options });
  const start = clock.now();
  let ended = Infinity;
  void executor
    .execute(call("slow"), ofCall === undefined ? {} : { timeoutMs: ofCall })
    .then(() => (ended = clock.now() - start));
  await clock.advance(10_000);
  return ended;
}

describe("the timeout of an attempt", () => {
  test.each<
    [string, number | undefined, Parameters<typeof givenUpAfter>[1], number | undefined, number]
  >([
    ["the executor's default", undefined, { timeoutMs: 300 }, undefined, 300],
    ["the tool's own, if it has one", 500, { timeoutMs: 300 }, undefined, 500],
    ["the call's, if that is shorter", 500, {}, 200, 200],
    ["no more than the tool's, whatever the call has", 500, {}, 900, 500],
    ["no more than the maximum", 500, { maxTimeoutMs: 100 }, undefined, 100],
    ["the maximum, if the tool has none", 0, { maxTimeoutMs: 700 }, undefined, 700],
    ["the call's, if the tool has none", 0, {}, 50, 50],
    ["infinite, if none is set", 0, { timeoutMs: 0, maxTimeoutMs: 0 }, undefined, Infinity],
    ["the tool's, if the call has 0", 500, {}, 0, 500],
    ["shorter than the first tick of the timer", 3, {}, undefined, 3],
  ])("is %s", async (_, own, options, ofCall, ms) => {
    expect(await givenUpAfter(own, options, ofCall)).toBe(ms);
  });

  test("below 0 of an external tool is the host's defect", async () => {
    const source = new TestSource("s", [foreignTool("odd", { spec: { timeoutMs: -5 } })]);
    const { error } = failed(
      await executorFor(source, { policy: "autonomous" }).execute(call("odd")),
    );
    expect([error.code, error.message]).toEqual([
      "invalid_configuration",
      "odd declares a timeout of -5 ms; use 0 for none.",
    ]);
  });

  test.each(["timeoutMs", "maxTimeoutMs", "maxOutputBytes"])(
    "%s of the executor is 0 or more",
    (option) => {
      for (const value of [-1, NaN]) {
        expect(() => executorFor([], { [option]: value })).toThrow(
          `${option} is ${value}; use 0 or more.`,
        );
      }
    },
  );
});

describe("a timeout", () => {
  test("fails the call, fires its signal, and warns that part of the work may be done", async () => {
    const clock = new FakeClock();
    let reason: unknown;
    const slow = (_: unknown, { signal }: ToolContext): Promise<string> => {
      signal.addEventListener("abort", () => (reason = signal.reason));
      return never();
    };
    const executor = executorFor(tool("slow", slow, { timeoutMs: 50 }), { clock });
    const events = recorded(executor);
    const outcome = executor.execute(call("slow"));
    await clock.advance(50);
    const { error, result } = failed(await outcome);
    expect([error.code, error.retryable, result.durationMs]).toEqual(["timeout", true, 50]);
    expect(error.message).toBe(
      "slow did not answer within 50 ms and was stopped. It may have done part of its work: check before calling it again. If it needs more time, the host can raise timeoutMs.",
    );
    expect(reason).toBe(error);
    expect(listTypes(events)).toEqual([
      "tool.requested",
      "tool.authorized",
      "tool.started",
      "tool.failed",
    ]);
  });

  test("of a read-only tool says that it may be called again", async () => {
    const clock = new FakeClock();
    const annotations = { readOnlyHint: true };
    const source = new TestSource("s", [
      foreignTool("other", { spec: { annotations, timeoutMs: 50 }, invoke: never }),
    ]);
    const read = tool("read", never, { timeoutMs: 50, annotations });
    const executor = executorFor([read, source], { clock, policy: "autonomous" });
    await executor.registry.ready;
    const outcomes = [executor.execute(call("read")), executor.execute(call("other"))];
    await clock.advance(50);
    expect((await Promise.all(outcomes)).map((outcome) => failed(outcome).error.message)).toEqual([
      "read did not answer within 50 ms and was stopped. It changes nothing and may be called again. If it needs more time, the host can raise timeoutMs.",
      "other did not answer within 50 ms and was stopped. It may have done part of its work: check before calling it again. If it needs more time, the host can raise timeoutMs.",
    ]);
  });

  test("does not fire if the tool answers in time, even at the last moment", async () => {
    const clock = new FakeClock();
    let answer: (value: string) => void = () => {};
    const slow = (): Promise<string> => new Promise((resolve) => (answer = resolve));
    const executor = executorFor(tool("slow", slow, { timeoutMs: 50 }), { clock });
    const outcome = executor.execute(call("slow"));
    await clock.advance(49);
    answer("just in time");
    await settled();
    await clock.advance(1000);
    completed(await outcome);
    expect(clock.timers).toBe(0);
  });

  test("applies to one call: the others continue", async () => {
    const clock = new FakeClock();
    const executor = executorFor(
      [10, 200, 30, 100].map((timeoutMs, at) => tool(`t${at}`, never, { timeoutMs })),
      { clock },
    );
    const ended: string[] = [];
    for (const name of ["t0", "t1", "t2", "t3"]) {
      void executor
        .execute(call(name))
        .then(() => ended.push(`${name} at ${clock.now() - 1_000_000}`));
    }
    await clock.advance(1000);
    expect(ended).toEqual(["t0 at 10", "t2 at 30", "t3 at 100", "t1 at 200"]);
    expect(clock.timers).toBe(0);
  });

  test("TC09 that is late because the process was busy keeps its order, and only affects calls that are due", async () => {
    const clock = new FakeClock();
    const executor = executorFor(
      [300, 100, 200, 5000].map((timeoutMs, at) => tool(`t${at}`, never, { timeoutMs })),
      { clock },
    );
    const ended: string[] = [];
    for (const name of ["t0", "t1", "t2", "t3"]) {
      void executor
        .execute(call(name))
        .then((outcome) => ended.push(`${name} ${readCode(outcome)}`));
    }
    await settled();
    clock.skip(500);
    await clock.advance(0);
    expect(ended).toEqual(["t1 timeout", "t2 timeout", "t0 timeout"]);
  });

  test("can be longer than the platform's timers", async () => {
    const month = 31 * 24 * 60 * 60 * 1000;
    const clock = new FakeClock();
    const executor = executorFor(tool("slow", never, { timeoutMs: month }), {
      clock,
      maxTimeoutMs: 0,
    });
    let ended = false;
    void executor.execute(call("slow")).then(() => (ended = true));
    await clock.advance(month - 1);
    expect(ended).toBe(false);
    await clock.advance(1);
    expect(ended).toBe(true);
  });

  test("fires earlier for a later call with less time", async () => {
    const clock = new FakeClock();
    const executor = executorFor(
      [tool("slow", never, { timeoutMs: 1000 }), tool("fast", never, { timeoutMs: 5 })],
      {
        clock,
      },
    );
    const ended: string[] = [];
    const start = clock.now();
    void executor.execute(call("slow")).then(() => ended.push(`slow ${clock.now() - start}`));
    await clock.advance(100);
    void executor.execute(call("fast")).then(() => ended.push(`fast ${clock.now() - start}`));
    await clock.advance(2000);
    expect(ended).toEqual(["fast 105", "slow 1000"]);
  });

  test("leaves no timer behind if no call runs", async () => {
    const clock = new FakeClock();
    let answer: (value: string) => void = () => {};
    const executor = executorFor(
      tool("t", () => new Promise<string>((resolve) => (answer = resolve)), { timeoutMs: 60_000 }),
      { clock },
    );
    for (const wait of [0, 20, 3000]) {
      const outcome = executor.execute(call("t"));
      await clock.advance(wait);
      answer("done");
      completed(await outcome);
      await clock.advance(10);
      expect(clock.timers).toBe(0);
    }
  });
});

describe("the platform's clock", () => {
  test("is the default clock of an executor", async () => {
    const executor = executorFor([
      tool("slow", never, { timeoutMs: 90 }),
      tool("slower", never, { timeoutMs: 40 }),
      tool("fast", never, { timeoutMs: 2 }),
    ]);
    const ended: string[] = [];
    const started = Date.now();
    await Promise.all(
      ["slow", "slower", "fast"].map(async (name) => {
        const { result } = failed(await executor.execute(call(name)));
        ended.push(name);
        expect(result.timestamp).toBeGreaterThanOrEqual(started);
      }),
    );
    expect(ended).toEqual(["fast", "slower", "slow"]);
  });
});

describe("late", () => {
  test("TC04 errors of a tool after its timeout are one event, and no unhandled rejection", async () => {
    const clock = new FakeClock();
    const unhandled = recordUnhandledRejections();
    let fail: (error: Error) => void = () => {};
    const slow = (): Promise<string> => new Promise((_, reject) => (fail = reject));
    const executor = executorFor(tool("slow", slow, { timeoutMs: 50 }), { clock });
    const events = recorded(executor);
    const outcome = executor.execute(call("slow"));
    await clock.advance(100);
    expect(readCode(await outcome)).toBe("timeout");
    fail(new Error("too late"));
    await settled();
    expect(unhandled).toEqual([]);
    expect(listTypes(events).slice(-2)).toEqual(["tool.failed", "tool.late"]);
    expect(events.at(-1)).toMatchObject({ outcome: "threw", callId: "slow" });
  });

  test("TC05 results of a tool after its cancellation are dropped, with one event", async () => {
    let answer: (value: string) => void = () => {};
    const executor = executorFor(
      tool("slow", () => new Promise<string>((resolve) => (answer = resolve))),
    );
    const events = recorded(executor);
    const run = executor.startRun();
    const outcome = run.execute(call("slow"));
    await settled();
    run.cancel();
    expect(readCode(await outcome)).toBe("cancelled");
    answer("too late");
    await settled();
    expect(listTypes(events).slice(-2)).toEqual(["tool.failed", "tool.late"]);
    expect(events.at(-1)).toMatchObject({ outcome: "returned" });
  });

  test("TC18 uses of a tool's context after the end are ignored", async () => {
    let kept: ToolContext | undefined;
    const executor = executorFor(tool("t", (_, ctx) => void (kept = ctx)));
    completed(await executor.execute(call("t")));
    const events = recorded(executor);
    kept?.update({ content: [] });
    kept?.progress({ done: 1 });
    kept?.checkpoint({ a: 1 });
    expect(events).toEqual([]);
    expect(readCode(await kept?.scope.execute(call("t")))).toBe("cancelled");
  });
});
