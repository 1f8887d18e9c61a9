import { FakeClock, settled } from "@toolweave/test-support/fake-clock";
import { describe, expect, test } from "vitest";
import { ToolError, type ExecuteAllOptions, type ToolCall } from "@toolweave/core";
import { controlledTools } from "../support/controlled-tools.ts";
import { call, executorFor, recorded, tool, listTypes } from "../support/executor-for.ts";
import { readCode, completed } from "../support/outcomes.ts";

const names = ["a", "b", "c", "d", "e"];
const calls = names.map((name) => call(name));

describe("sequential calls", () => {
  test("F2.5 run one after another in call order", async () => {
    const { tools, running, finish } = controlledTools(names);
    const outcomes = executorFor(tools).startRun().executeAll(calls, { strategy: "sequential" });
    for (const name of names) {
      await settled();
      expect(running).toEqual([name]);
      finish(name);
    }
    expect((await outcomes).map((outcome) => completed(outcome).result.toolName)).toEqual(names);
  });

  test("continue after one that fails, is refused, waits for a person or times out", async () => {
    const executor = executorFor([
      tool("throws", () => Promise.reject(new Error("no"))),
      tool("ask", undefined, { needsApproval: true }),
      tool("hangs", () => new Promise(() => {}), { timeoutMs: 5 }),
      tool("good"),
    ]);
    const outcomes = await executor
      .startRun()
      .executeAll([call("throws"), call("ask"), call("hangs"), call("missing"), call("good")], {
        strategy: "sequential",
      });
    expect(
      outcomes.map((outcome) => (outcome.status === "failed" ? readCode(outcome) : outcome.status)),
    ).toEqual(["execution_failed", "interrupted", "timeout", "not_found", "completed"]);
  });
});

test("sequential calls whose deadline passes before their turn never start", async () => {
  const clock = new FakeClock();
  const { tools, started } = controlledTools(names);
  const outcomes = executorFor(tools, { clock })
    .startRun()
    .executeAll(calls, { strategy: "sequential", deadlineMs: 50 });
  await clock.advance(50);
  expect((await outcomes).map(readCode)).toEqual(names.map(() => "timeout"));
  expect(started).toEqual(["a"]);
});

describe("batched calls", () => {
  test("F2.5 run one batch at a time, the next when all of the batch have ended", async () => {
    const { tools, running, finish } = controlledTools(names);
    const outcomes = executorFor(tools)
      .startRun()
      .executeAll(calls, { strategy: { batched: 2 } });
    await settled();
    expect(running).toEqual(["a", "b"]);
    finish("b");
    await settled();
    expect(running).toEqual(["a"]);
    finish("a");
    await settled();
    expect(running).toEqual(["c", "d"]);
    finish("c");
    finish("d");
    await settled();
    expect(running).toEqual(["e"]);
    finish("e");
    expect((await outcomes).map((outcome) => completed(outcome).result.toolName)).toEqual(names);
  });

  test("that were refused take no place in a batch", async () => {
    const { tools, running } = controlledTools(["a", "b", "c"]);
    const run = executorFor(tools).startRun();
    void run.executeAll([call("a"), call("missing"), call("b"), call("c")], {
      strategy: { batched: 2 },
    });
    await settled();
    expect(running).toEqual(["a", "b"]);
    run.cancel();
  });

  test("run all at once however large the batch is, unless a limit is set", async () => {
    const many = Array.from({ length: 20 }, (_, at) => `t${at}`);
    for (const [options, expected] of [
      [{}, 20],
      [{ maxConcurrency: 3 }, 3],
    ] as const) {
      const { tools, running } = controlledTools(many);
      const run = executorFor(tools).startRun();
      void run.executeAll(
        many.map((name) => call(name)),
        { strategy: { batched: 20 }, ...options },
      );
      await settled();
      expect(running.length).toBe(expected);
      run.cancel();
    }
  });

  test("with a limit below the batch's size still end before the next batch starts", async () => {
    const { tools, running, finish } = controlledTools(names);
    const run = executorFor(tools).startRun();
    void run.executeAll(calls, { strategy: { batched: 3 }, maxConcurrency: 2 });
    await settled();
    expect(running).toEqual(["a", "b"]);
    finish("a");
    await settled();
    expect(running).toEqual(["b", "c"]);
    finish("b");
    await settled();
    expect(running).toEqual(["c"]);
    finish("c");
    await settled();
    expect(running).toEqual(["d", "e"]);
    run.cancel();
  });

  test("continue if one of a batch is cancelled by its tool's timeout", async () => {
    const executor = executorFor([
      tool("hangs", () => new Promise(() => {}), { timeoutMs: 5 }),
      tool("good"),
    ]);
    const outcomes = await executor
      .startRun()
      .executeAll([call("hangs"), call("good", {}, "1"), call("good", {}, "2")], {
        strategy: { batched: 2 },
      });
    expect(outcomes.map(({ status }) => status)).toEqual(["failed", "completed", "completed"]);
  });
});

test.each(["parallel", "sequential", { batched: 2 }] as const)(
  "F0.17 with %j no call starts before all are admitted",
  async (strategy) => {
    const executor = executorFor([tool("a"), tool("b", undefined, { needsApproval: true })], {
      onAsk: async () => (await settled(), { approved: true }),
    });
    const events = recorded(executor);
    await executor
      .startRun()
      .executeAll([call("a"), call("b"), call("missing"), call("a", {}, "2")], { strategy });
    const types = listTypes(events);
    const lastAdmission = Math.max(
      types.lastIndexOf("tool.authorized"),
      types.lastIndexOf("tool.rejected"),
    );
    expect(types.indexOf("tool.started")).toBeGreaterThan(lastAdmission);
    expect(types.filter((type) => type === "tool.started")).toHaveLength(3);
  },
);

test("F0.17 calls run at once with a middleware, too", async () => {
  const { tools, running } = controlledTools(names);
  const run = executorFor(tools, { hooks: [(_, next) => next()] }).startRun();
  void run.executeAll(calls);
  await settled();
  expect(running).toEqual(names);
  run.cancel();
});

describe("F1.21 approvals of several calls, with an approver in the process", () => {
  function asking() {
    const asked: string[] = [];
    const ran: string[] = [];
    let answer: (approved: boolean) => void = () => {};
    let received: () => void = () => {};
    const executor = executorFor(
      ["plain", "x", "y", "z"].map((name) =>
        tool(name, () => void ran.push(name), { needsApproval: name !== "plain" }),
      ),
      {
        onAsk: ({ callId }) =>
          new Promise((resolve) => {
            asked.push(callId);
            answer = (approved) => resolve({ approved });
            received();
          }),
      },
    );
    /** Resolves after the given number of approval requests. */
    const awaitRequests = async (count: number): Promise<void> => {
      while (asked.length < count) await new Promise<void>((resolve) => (received = resolve));
    };
    return {
      executor,
      asked,
      awaitRequests,
      ran,
      answer: (approved: boolean) => answer(approved),
    };
  }

  test("are requested one at a time in call order, and nothing starts before all are answered", async () => {
    const { executor, asked, awaitRequests, answer, ran } = asking();
    const outcomes = executor
      .startRun()
      .executeAll([call("plain"), call("x"), call("y"), call("z")]);
    for (const [at, id] of ["x", "y", "z"].entries()) {
      await awaitRequests(at + 1);
      await settled();
      expect([asked, ran]).toEqual([["x", "y", "z"].slice(0, at + 1), []]);
      answer(id !== "y");
    }
    expect((await outcomes).map(({ status }) => status)).toEqual([
      "completed",
      "completed",
      "failed",
      "completed",
    ]);
    expect(ran).toEqual(["plain", "x", "z"]);
  });

  test("that are pending or not yet requested end when the run is cancelled, and no person is asked any more", async () => {
    const { executor, asked, awaitRequests, ran } = asking();
    const run = executor.startRun();
    const outcomes = run.executeAll([call("plain"), call("x"), call("y")]);
    await awaitRequests(1);
    run.cancel();
    expect((await outcomes).map(readCode)).toEqual(["cancelled", "cancelled", "cancelled"]);
    expect([asked, ran]).toEqual([["x"], []]);
  });
});

describe("the options of several calls", () => {
  const misuses: [string, ExecuteAllOptions, RegExp][] = [
    ["F2.5 batches of size 0", { strategy: { batched: 0 } }, /batched":0.*whole number n above 0/],
    ["half a batch", { strategy: { batched: 1.5 } }, /batched":1\.5.*whole number/],
    ["batches without end", { strategy: { batched: Infinity } }, /"Infinity".*whole number/],
    ["batches of size NaN", { strategy: { batched: NaN } }, /"NaN".*whole number/],
    ["another word", { strategy: "serial" as never }, /"serial"; use "parallel", "sequential"/],
    ["no word", { strategy: null as never }, /strategy is null/],
    ["two things", { strategy: { batched: 1, size: 2 } as never }, /strategy is/],
    ["a steering text", { stopWhen: "stop" as never }, /stopWhen is "stop"; use a function/],
    ["an unknown option for duplicates", { duplicates: "drop" as never }, /use "run" or "skip"/],
    ["no signal", { signal: {} as never }, /signal is {}; use an AbortSignal/],
    ["a misspelt option", { maxConcurency: 2 } as never, /Did you mean maxConcurrency\?/],
  ];

  test.each(misuses)("cannot be %s", async (_, options, message) => {
    const ran: string[] = [];
    const run = executorFor(tool("a", () => void ran.push("a"))).startRun();
    const refused = (error: unknown): boolean =>
      ToolError.is(error) && error.code === "invalid_configuration" && message.test(error.message);
    await expect(run.executeAll([call("a")], options)).rejects.toSatisfy(refused);
    expect(() => run.stream([call("a")], options)).toThrow(message);
    expect(ran).toEqual([]);
  });

  test.each([undefined, null, call("a"), "a"])("cannot be set for %j", async (odd) => {
    const run = executorFor(tool("a")).startRun();
    await expect(run.executeAll(odd as never)).rejects.toThrow(
      "run.executeAll: the calls are no list: pass an array of them.",
    );
  });
});

describe("calls of a faulty host", () => {
  test("may be removed from their list while they are made", async () => {
    const list: ToolCall[] = [call("a"), call("b")];
    const executor = executorFor([tool("a"), tool("b")], {
      hooks: [{ beforeCall: async () => void (list.length = 0) }],
    });
    expect(await executor.startRun().executeAll(list)).toHaveLength(2);
  });

  test("one of which throws when it is read lose none of the others", async () => {
    const hostile = {
      id: "1",
      name: "a",
      get arguments(): never {
        throw new Error("no");
      },
    };
    const outcomes = await executorFor(tool("a"))
      .startRun()
      .executeAll([call("a"), hostile, call("a")]);
    expect(outcomes.map(({ status }) => status)).toEqual(["completed", "failed", "completed"]);
  });

  test("do not wait without end for a broken registry", async () => {
    const executor = executorFor([tool("a")], {
      hooks: [{ beforeCall: () => void (broken = true) }],
    });
    let broken = false;
    const { registry } = executor;
    const toolset = registry.toolset.bind(registry);
    registry.toolset = (selection) => {
      if (broken) throw new Error("broken");
      return toolset(selection);
    };
    const events = recorded(executor);
    await expect(executor.startRun().executeAll([call("a"), call("a")])).rejects.toThrow("broken");
    expect(listTypes(events)).toEqual(["tool.requested", "tool.authorized", "tool.rejected"]);
  });
});
