import { FakeClock, settled } from "@toolweave/test-support/fake-clock";
import { describe, expect, test } from "vitest";
import { suspend, type PermissionRequest } from "@toolweave/core";
import { call, executorFor, foreignTool, tool } from "../support/executor-for.ts";
import { readCode, completed, failed, getInterruption } from "../support/outcomes.ts";
import { shop, spending } from "./controlled.ts";

const open = { policy: "autonomous" } as const;

describe("a spending limit", () => {
  test("allows exactly its amount, in fractions too, and reports the rest", async () => {
    const run = executorFor(shop(), open).startRun({ limits: { spend: 0.3 } });
    for (let index = 0; index < 2; index++) {
      completed(await run.execute(call("buy", { amount: 0.1 })));
    }
    const { error } = failed(await run.execute(call("buy", { amount: 0.2 })));
    expect([error.code, error.message]).toEqual([
      "limit_exceeded",
      "This run may spend 0.3 in all and has 0.1 left; buy would spend 0.2. Choose something cheaper, or answer with what you have.",
    ]);
    completed(await run.execute(call("buy", { amount: 0.1 })));
    expect(readCode(await run.execute(call("buy", { amount: 0.1 })))).toBe("limit_exceeded");
    completed(await run.execute(call("buy", { amount: 0 })));
  });

  test("counts all amounts that one call declares", async () => {
    const twice = shop({ preflight: () => [spending(6), spending(6)] });
    const run = executorFor(twice, open).startRun({ limits: { spend: 10 } });
    expect(readCode(await run.execute(call("buy")))).toBe("limit_exceeded");
  });

  test("is enforced for simultaneous calls", async () => {
    const slow = shop({ preflight: async () => [spending(4)] });
    const run = executorFor(slow, open).startRun({ limits: { spend: 10 } });
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => run.execute(call("buy"))));
    expect(outcomes.filter(({ status }) => status === "completed")).toHaveLength(2);
  });

  test.each([
    ["nothing", undefined],
    ["a text", "5"],
    ["a negative amount", -5],
    ["no number", NaN],
    ["no end", Infinity],
    ["an object", { valueOf: (): number => 1 }],
  ])("refuses a call that declares %s as its amount", async (_, amount) => {
    let ran = false;
    const tool = shop({ preflight: () => [spending(amount)], invoke: () => void (ran = true) });
    const executor = executorFor(tool, open);
    const run = executor.startRun({ limits: { spend: 10 } });
    const { error } = failed(await run.execute(call("buy")));
    expect([error.code, ran]).toEqual(["limit_exceeded", false]);
    expect(error.message).toMatch(/spends without saying how much/);
    completed(await executor.startRun({ limits: { calls: 1 } }).execute(call("buy")));
  });

  test.each<[string, PermissionRequest["details"]]>([
    ["null", null],
    ["a list", [5]],
    ["a number", 5],
  ])("refuses a call whose details are %s", async (_, details) => {
    const request = { kind: "spend", target: "t", summary: "s", details: details as never };
    const run = executorFor(shop({ preflight: () => [request] }), open).startRun({
      limits: { spend: 10 },
    });
    expect(readCode(await run.execute(call("buy")))).toBe("limit_exceeded");
  });

  test("refuses a tool that is known to spend and declares no amount", async () => {
    const buy = foreignTool("buy", { spec: { annotations: { access: { spend: true } } } });
    const run = executorFor([buy, tool("free")], open).startRun({ limits: { spend: 10 } });
    expect(readCode(await run.execute(call("buy")))).toBe("limit_exceeded");
    completed(await run.execute(call("free")));
  });

  test("is released by a call that is refused, and by one that waits until it is resumed", async () => {
    const executor = executorFor(shop());
    const run = executor.startRun({ limits: { spend: 10 } });
    const first = getInterruption(await run.execute(call("buy", { amount: 10 }, "1")));
    const second = getInterruption(await run.execute(call("buy", { amount: 10 }, "2")));
    const third = getInterruption(await run.execute(call("buy", { amount: 1 }, "3")));
    failed(await executor.resume(third, [{ type: "reject" }]));
    completed(await executor.resume(first, [{ type: "approve" }]));
    expect(readCode(await executor.resume(second, [{ type: "approve" }]))).toBe("limit_exceeded");
  });

  test("counts a call once that waits in the middle of its work", async () => {
    const buy = shop({
      invoke: (_, { resumed }) =>
        resumed === undefined ? suspend([{ id: "q", type: "input", message: "?" }], null) : "done",
    });
    const executor = executorFor(buy, open);
    const run = executor.startRun({ limits: { spend: 10 } });
    const waiting = getInterruption(await run.execute(call("buy", { amount: 10 })));
    completed(await executor.resume(waiting, [{ type: "input", value: 1 }]));
    expect(readCode(await run.execute(call("buy", { amount: 1 })))).toBe("limit_exceeded");
  });

  describe("the spending of a suspended call", () => {
    /** A tool that waits for a person a given number of times, and declares an amount each time. */
    function suspending(waits: number, amounts: readonly number[] = []) {
      let asked = 0;
      let started = 0;
      const buy = shop({
        preflight: ({ amount }) => [spending(amounts[asked++] ?? amount)],
        invoke: () =>
          ++started <= waits ? suspend([{ id: "q", type: "input", message: "?" }], null) : "done",
      });
      return executorFor(buy, open);
    }
    const answer = [{ type: "input", value: 1 }] as const;

    test("is retained: the tool has run, and others may not spend its amount", async () => {
      const limits = { spend: 20, calls: 5, callsPerTool: 5, identicalCalls: 3 };
      const run = suspending(Infinity).startRun({ limits });
      getInterruption(await run.execute(call("buy", { amount: 10 })));
      getInterruption(await run.execute(call("buy", { amount: 10 })));
      expect(readCode(await run.execute(call("buy", { amount: 10 })))).toBe("limit_exceeded");
      expect(run.counters).toMatchObject({ calls: 2, spend: 20 });
      const few = suspending(Infinity).startRun({ limits: { calls: 2 } });
      for (let n = 0; n < 2; n++) getInterruption(await few.execute(call("buy", { amount: 1 })));
      expect(readCode(await few.execute(call("buy", { amount: 1 })))).toBe("limit_exceeded");
    });

    test("is counted once, however often the call is resumed in its run", async () => {
      const executor = suspending(3);
      const limits = { spend: 10, calls: 1, callsPerTool: 1, identicalCalls: 1 };
      const run = executor.startRun({ limits });
      let waiting = getInterruption(await run.execute(call("buy", { amount: 10 })));
      for (let n = 0; n < 2; n++) waiting = getInterruption(await executor.resume(waiting, answer));
      completed(await executor.resume(waiting, answer));
      expect(run.counters).toMatchObject({ calls: 1, spend: 10 });
    });

    test("grows with a higher amount, and never shrinks", async () => {
      const executor = suspending(3, [4, 6, 1, 5]);
      const run = executor.startRun({ limits: { spend: 10 } });
      let waiting = getInterruption(await run.execute(call("buy")));
      waiting = getInterruption(await executor.resume(waiting, answer));
      waiting = getInterruption(await executor.resume(waiting, answer));
      completed(await executor.resume(waiting, answer));
      expect(run.counters?.spend).toBe(6);
    });

    test("cannot exceed the limit when it is resumed", async () => {
      const executor = suspending(1, [1, 100]);
      const run = executor.startRun({ limits: { spend: 10 } });
      const waiting = getInterruption(await run.execute(call("buy")));
      expect(readCode(await executor.resume(waiting, answer))).toBe("limit_exceeded");
      expect(run.counters?.spend).toBe(1);
    });

    test("is counted again in another run", async () => {
      const executor = suspending(2);
      const [first, second] = [1, 2].map(() => executor.startRun({ limits: { spend: 10 } }));
      const waiting = getInterruption(await first?.execute(call("buy", { amount: 10 })));
      const again = getInterruption(
        await executor.resume(waiting, answer, { run: second as never }),
      );
      completed(await executor.resume(again, answer));
      expect([first?.counters?.spend, second?.counters?.spend]).toEqual([10, 10]);
    });

    test("is released by another run in which it waits for an approval, until it starts there", async () => {
      let asks = false;
      const buy = shop({
        invoke: (_, { resumed }) =>
          resumed === undefined
            ? suspend([{ id: "q", type: "input", message: "?" }], null)
            : "done",
      });
      const executor = executorFor(buy, { policy: () => (asks ? "ask" : "allow") });
      const [first, second] = [1, 2].map(() => executor.startRun({ limits: { spend: 10 } }));
      const waiting = getInterruption(await first?.execute(call("buy", { amount: 10 })));
      asks = true;
      const asked = getInterruption(
        await executor.resume(waiting, answer, { run: second as never }),
      );
      expect([first?.counters?.calls, second?.counters?.calls]).toEqual([1, 0]);
      completed(await executor.resume(asked, [{ type: "approve" }]));
      expect(second?.counters).toMatchObject({ calls: 1, spend: 10 });
    });
  });

  test("counts a call that was admitted first when it starts", async () => {
    const run = executorFor(shop(), open).startRun({ limits: { spend: 10 } });
    const [first, second] = [call("buy", { amount: 10 }), call("buy", { amount: 10 })];
    expect([await run.checkAdmission(first), await run.checkAdmission(second)]).toEqual([
      undefined,
      undefined,
    ]);
    completed(await run.execute(first));
    expect(readCode(await run.execute(second))).toBe("limit_exceeded");
  });

  test("does not count a call that is stopped before the decision", async () => {
    const clock = new FakeClock();
    let propose: () => void = () => {};
    let recorded: () => void = () => {};
    const slow = shop({
      preflight: async () => {
        await new Promise<void>((resolve) => (propose = resolve));
        return [spending(10)];
      },
    });
    const executor = executorFor(slow, {
      ...open,
      clock,
      audit: { write: () => new Promise<void>((resolve) => (recorded = resolve)) },
    });
    const run = executor.startRun({ limits: { spend: 10, durationMs: 1000 } });
    const outcome = run.execute(call("buy"));
    await clock.advance(1000);
    // The refusal is being recorded when the tool finally declares its amount.
    propose();
    await settled();
    recorded();
    expect(readCode(await outcome)).toBe("limit_exceeded");
    expect(run.counters?.spend).toBe(0);
  });

  test("does not count an admitted call that is stopped while its rate is reserved", async () => {
    const asked: string[] = [];
    let answer: () => void = () => {};
    const executor = executorFor(shop(), {
      ...open,
      limits: { rates: [{ calls: 9, spend: 9, windowMs: 1000 }] },
      rateLimits: {
        reserve: ([request]) => {
          asked.push(`reserve ${request?.key}`);
          const granted = { granted: true, id: `${asked.length}` } as const;
          if (asked.length < 5) return granted;
          return new Promise((resolve) => (answer = () => resolve(granted)));
        },
        commit: () => {},
        release: (id) => void asked.push(`release ${id}`),
      },
    });
    const run = executor.startRun({ limits: { spend: 9 } });
    const buy = call("buy", { amount: 5 });
    expect(await run.checkAdmission(buy)).toBeUndefined();
    expect(asked).toHaveLength(4);
    const outcome = run.execute(buy);
    await settled();
    run.cancel();
    expect(readCode(await outcome)).toBe("cancelled");
    answer();
    await settled();
    expect(asked.slice(4)).toEqual(["reserve calls/1000:all", "release 5"]);
    expect(run.counters?.spend).toBe(0);
  });

  test("is shared with the calls that a tool makes", async () => {
    const executor = executorFor(
      [
        shop(),
        tool("agent", async (_, { scope }) => {
          const outcome = await scope.execute(call("buy", { amount: 6 }));
          return outcome.status === "failed" ? outcome.error.code : outcome.status;
        }),
      ],
      open,
    );
    const run = executor.startRun({ limits: { spend: 10 } });
    completed(await run.execute(call("buy", { amount: 6 })));
    const { result } = completed(await run.execute(call("agent")));
    expect(result.content).toEqual([{ type: "text", text: "limit_exceeded" }]);
  });
});
