import { FakeClock, settled } from "@toolweave/test-support/fake-clock";
import { describe, expect, test } from "vitest";
import { ToolError, type ToolOutcome } from "@toolweave/core";
import { memoryPendingCalls } from "@toolweave/core/stores";
import { controlledTools } from "../support/controlled-tools.ts";
import { call, executorFor, guarded, recorded, tool, listTypes } from "../support/executor-for.ts";
import { readCode, completed, failed, getInterruption } from "../support/outcomes.ts";
import { TestSource } from "../support/test-source.ts";

const never = (): Promise<string> => new Promise(() => {});

const getStatus = ({ status }: ToolOutcome): string => status;

/** Reports when a promise has resolved. */
function watched(promise: Promise<unknown>): { readonly done: boolean } {
  const state = { done: false };
  void promise.then(() => (state.done = true));
  return state;
}

describe("draining an executor", () => {
  test("EX08 lets calls end within the grace period, cancels the others, and keeps pending approvals", async () => {
    const clock = new FakeClock();
    const ran: string[] = [];
    const executor = executorFor(
      [
        tool("work", async ({ ms }) => {
          await new Promise<void>((resolve) => clock.setTimeout(resolve, ms as number));
          return "done";
        }),
        tool("pay", () => void ran.push("pay"), { needsApproval: true }),
      ],
      { clock, timeoutMs: 0, maxTimeoutMs: 0 },
    );
    const interruption = getInterruption(await executor.execute(call("pay")));
    const outcomes = Array.from({ length: 20 }, (_, at) =>
      executor.execute(call("work", { ms: (at + 1) * 100 }, `${at}`)),
    );
    await settled();
    const drained = executor.drain({ graceMs: 1000 });
    const { done } = watched(drained);
    expect(readCode(await executor.execute(call("work", { ms: 0 })))).toBe("unavailable");
    await clock.advance(999);
    expect(done).toBe(false);
    await clock.advance(1);
    await drained;
    const ended = await Promise.all(outcomes);
    expect(ended.filter(({ status }) => status === "completed")).toHaveLength(10);
    expect(ended.slice(10).map(readCode)).toEqual(Array.from({ length: 10 }, () => "cancelled"));
    expect(readCode(await executor.resume(interruption, [{ type: "approve" }]))).toBe(
      "unavailable",
    );
    expect(ran).toEqual([]);
  });

  test("EX08 leaves pending approvals to the next process", async () => {
    const options = { key: "k".repeat(32), pendingCalls: memoryPendingCalls() };
    const ran: string[] = [];
    const pay = tool("pay", () => void ran.push("paid"), { needsApproval: true });
    const first = executorFor(pay, options);
    const outcome = first.execute(call("pay"));
    const drained = first.drain();
    const interruption = getInterruption(await outcome);
    await drained;
    expect(readCode(await first.resume(interruption, [{ type: "approve" }]))).toBe("unavailable");
    expect(ran).toEqual([]);
    const next = executorFor(pay, options);
    completed(await next.resume(interruption, [{ type: "approve" }]));
    expect(ran).toEqual(["paid"]);
  });

  test("without running calls resolves at once and leaves no timer", async () => {
    const clock = new FakeClock();
    const executor = executorFor(tool("a"), { clock });
    completed(await executor.execute(call("a")));
    await clock.advance(20);
    await executor.drain();
    expect(clock.timers).toBe(0);
  });

  test("resolves as soon as the last call has ended, long before the end of the grace period", async () => {
    const { tools, finish } = controlledTools(["a"]);
    const executor = executorFor(tools, { clock: new FakeClock() });
    const outcome = executor.execute(call("a"));
    await settled();
    const drained = executor.drain({ graceMs: 3_600_000 });
    finish("a");
    await drained;
    expect(getStatus(await outcome)).toBe("completed");
  });

  test("refuses every new call, of any kind, in words that a model may read", async () => {
    const executor = executorFor([tool("a"), tool("b")]);
    const run = executor.startRun();
    const admitted = call("a");
    expect(await run.checkAdmission(admitted)).toBe(undefined);
    const events = recorded(executor);
    await executor.drain();
    const refused: (ToolOutcome | undefined)[] = [
      await executor.execute(call("a")),
      await run.execute(call("a")),
      await run.execute(admitted),
      await run.checkAdmission(call("a")),
      ...(await run.executeAll([call("a"), call("b")])),
    ];
    for (const outcome of refused) {
      const { error } = failed(outcome);
      expect([error.code, error.retryable]).toEqual(["unavailable", true]);
      expect(error.message).toBe("The host is shutting down and takes no more calls.");
    }
    expect(listTypes(events).filter((type) => type === "tool.started")).toEqual([]);
  });

  test("lets calls end that make nested calls, and batches that have been admitted", async () => {
    const { tools, finish } = controlledTools(["first"]);
    const executor = executorFor([
      ...tools,
      tool("outer", async (_, { scope }) => {
        await settled();
        return (await scope.execute(call("inner"))).status;
      }),
      tool("inner"),
    ]);
    const outcomes = executor
      .startRun()
      .executeAll([call("first"), call("outer")], { strategy: "sequential" });
    await settled();
    const drained = executor.drain();
    finish("first");
    await drained;
    expect((await outcomes).map(getStatus)).toEqual(["completed", "completed"]);
  });

  test("cancels calls that wait for their turn, for a slot or for an approver", async () => {
    const clock = new FakeClock();
    const executor = executorFor([tool("hangs", never), guarded()], {
      clock,
      onAsk: () => never() as never,
    });
    const batch = executor
      .startRun()
      .executeAll([call("hangs", {}, "1"), call("hangs", {}, "2")], { strategy: "sequential" });
    const asking = executor.execute(call("pay"));
    await settled();
    const drained = executor.drain({ graceMs: 50 });
    await clock.advance(50);
    await drained;
    expect([...(await batch), await asking].map(readCode)).toEqual([
      ...["cancelled", "cancelled", "cancelled"],
    ]);
  });

  test("does not wait for a source that never loads: calls that wait for it are refused", async () => {
    const source = new TestSource("s", [], { loading: true });
    const executor = executorFor([source, tool("a")]);
    const waiting = [
      executor.execute(call("a")),
      executor.startRun().executeAll([call("a")]),
      executor.startRun().checkAdmission(call("a")),
    ];
    await settled();
    await executor.drain();
    expect((await Promise.all(waiting)).flat().map((outcome) => readCode(outcome))).toEqual([
      ...["unavailable", "unavailable", "unavailable"],
    ]);
  });

  test("a second time, with a shorter grace period, cancels sooner", async () => {
    const clock = new FakeClock();
    const executor = executorFor(tool("hangs", never), { clock });
    const outcome = executor.execute(call("hangs"));
    await settled();
    const first = executor.drain({ graceMs: 30_000 });
    const second = executor.drain({ graceMs: 0 });
    await clock.advance(0);
    await Promise.all([first, second]);
    expect(readCode(await outcome)).toBe("cancelled");
  });

  test("ends when a suspension is stored, and the call that was resumed before has ended", async () => {
    const { tools, finish } = controlledTools(["slow"]);
    const [slow] = tools;
    const executor = executorFor(tool("slow", slow?.invoke as never, { needsApproval: true }));
    const interruption = getInterruption(await executor.execute(call("slow")));
    const resumed = executor.resume(interruption, [{ type: "approve" }]);
    const interrupted = executor.execute(call("slow"));
    const drained = executor.drain();
    const { done } = watched(drained);
    getInterruption(await interrupted);
    await settled();
    expect(done).toBe(false);
    finish("slow");
    await drained;
    completed(await resumed);
  });

  test("accepts no invalid grace period", async () => {
    const executor = executorFor(tool("a"));
    for (const [options, message] of [
      [{ graceMs: -1 }, /graceMs is -1; use 0 or more/],
      [{ graceMs: NaN }, /graceMs is NaN/],
      [{ grace: 1 }, /Did you mean graceMs/],
    ] as const) {
      await expect(executor.drain(options as never)).rejects.toSatisfy(
        (error) =>
          ToolError.is(error) &&
          error.code === "invalid_configuration" &&
          message.test(error.message),
      );
    }
    completed(await executor.execute(call("a")));
  });

  test("is called by `await using`", async () => {
    const { tools, finish } = controlledTools(["a"]);
    let outcome: Promise<ToolOutcome> | undefined;
    {
      await using executor = executorFor(tools);
      outcome = executor.execute(call("a"));
      await settled();
      setImmediate(() => finish("a"));
    }
    expect(getStatus(await outcome)).toBe("completed");
  });
});
