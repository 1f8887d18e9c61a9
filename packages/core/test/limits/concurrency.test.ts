import { FakeClock, settled } from "@toolweave/test-support/fake-clock";
import { describe, expect, test } from "vitest";
import type { ConcurrencyLimits, ExecutorOptions } from "@toolweave/core";
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
import { Controlled } from "./controlled.ts";

function limited(
  concurrency: ConcurrencyLimits,
  names: readonly string[] = ["a", "b", "c"],
  more: Partial<ExecutorOptions> = {},
) {
  const controlled = new Controlled();
  const executor = executorFor(
    names.map((name) => controlled.tool(name)),
    { limits: { concurrency }, ...more },
  );
  const run = executor.startRun();
  return {
    ...{ controlled, executor, run },
    /** Makes a call whose id is its tool's name followed by a number. */
    go: (id: string) => run.execute(call(id.replace(/\d+$/, ""), {}, id)),
  };
}

describe("concurrency control (openai-agents-js #1254, mastra #7288)", () => {
  test("runs no more calls than the limit, over all runs, in order of arrival", async () => {
    const { controlled, executor } = limited({ max: 2 });
    const ids = ["a1", "b2", "a3", "c4", "a5"];
    const outcomes = ids.map((id) => executor.execute(call(id.slice(0, 1), {}, id)));
    await settled();
    expect(controlled.running).toEqual(["a1", "b2"]);
    controlled.end("b2");
    await settled();
    expect(controlled.running).toEqual(["a1", "a3"]);
    controlled.end("a1", "a3");
    await settled();
    expect(controlled.running).toEqual(["c4", "a5"]);
    controlled.end("c4", "a5");
    for (const outcome of outcomes) completed(await outcome);
    expect(controlled.started).toEqual(ids);
  });

  test("may be set for each tool; a call that waits for its tool's limit does not block others", async () => {
    const { controlled, go } = limited({ perTool: 1, max: 3 });
    const outcomes = ["a1", "a2", "a3", "b4", "c5", "b6"].map(go);
    await settled();
    expect(controlled.running).toEqual(["a1", "b4", "c5"]);
    controlled.end("c5");
    await settled();
    expect(controlled.running).toEqual(["a1", "b4"]);
    controlled.end("b4");
    await settled();
    expect(controlled.running).toEqual(["a1", "b6"]);
    controlled.end("a1", "b6");
    await settled();
    controlled.end("a2");
    await settled();
    controlled.end("a3");
    for (const outcome of outcomes) completed(await outcome);
  });

  test("may be set for each source", async () => {
    const controlled = new Controlled();
    const source = new TestSource(
      "far",
      ["c", "d"].map((name) => foreignTool(name, { invoke: (_, ctx) => controlled.work(ctx) })),
    );
    const executor = executorFor([controlled.tool("a"), source], {
      policy: "autonomous",
      limits: { concurrency: { perSource: 1 } },
    });
    const outcomes = ["c", "d", "a"].map((name) => executor.execute(call(name)));
    await settled();
    expect(controlled.running).toEqual(["c", "a"]);
    controlled.end("c");
    await settled();
    expect(controlled.running).toEqual(["a", "d"]);
    controlled.end("a", "d");
    for (const outcome of outcomes) completed(await outcome);
  });

  test("a call emits its start when it starts, not while it waits", async () => {
    const { controlled, executor, go } = limited({ max: 1 });
    const first = go("a1");
    await settled();
    const events = recorded(executor);
    const second = go("b2");
    await settled();
    expect(listTypes(events)).toEqual(["tool.requested", "tool.authorized"]);
    controlled.end("a1");
    await settled();
    expect(listTypes(events).slice(2)).toEqual(["tool.completed", "tool.started"]);
    controlled.end("b2");
    completed(await first);
    completed(await second);
  });

  test("a batch's own limit applies in addition", async () => {
    const { controlled, go, run } = limited({ max: 2 });
    const alone = go("c");
    const outcomes = run.executeAll(
      ["a1", "b2", "a3"].map((id) => call(id.slice(0, 1), {}, id)),
      { maxConcurrency: 2 },
    );
    await settled();
    expect(controlled.running).toEqual(["c", "a1"]);
    controlled.end("c");
    await settled();
    expect(controlled.running).toEqual(["a1", "b2"]);
    controlled.end("a1", "b2");
    await settled();
    controlled.end("a3");
    completed(await alone);
    for (const outcome of await outcomes) completed(outcome);
  });
});

describe("a slot", () => {
  test("is released by a call that throws, at once or later", async () => {
    const executor = executorFor(
      [
        tool("throws", () => {
          throw new Error("no");
        }),
        tool("rejects", async () => {
          throw new Error("no");
        }),
        tool("a"),
      ],
      { limits: { concurrency: { max: 1, perTool: 1, perSource: 1 } } },
    );
    for (const name of ["throws", "rejects", "throws", "rejects"]) {
      expect(readCode(await executor.execute(call(name)))).toBe("execution_failed");
    }
    completed(await executor.execute(call("a")));
  });

  test("EX13 of a tool that never answers is released at its timeout", async () => {
    const clock = new FakeClock();
    const executor = executorFor([tool("hangs", () => new Promise<never>(() => {})), tool("a")], {
      clock,
      timeoutMs: 1000,
      limits: { concurrency: { max: 1 } },
    });
    const hanging = executor.execute(call("hangs"));
    const waiting = executor.execute(call("a"));
    await clock.advance(1000);
    expect(readCode(await hanging)).toBe("timeout");
    completed(await waiting);
  });

  test("is not awaited by a cancelled call, and those behind it move up", async () => {
    const { controlled, executor, go } = limited({ max: 1 });
    const first = go("a1");
    const controller = new AbortController();
    const second = executor.execute(call("b", {}, "b2"), { signal: controller.signal });
    const third = executor.execute(call("c", {}, "c3"));
    await settled();
    controller.abort();
    const { error, result } = failed(await second);
    expect([error.code, result.durationMs]).toEqual(["cancelled", 0]);
    controlled.end("a1");
    await settled();
    expect(controlled.running).toEqual(["c3"]);
    controlled.end("c3");
    completed(await first);
    completed(await third);
    expect(controlled.started).toEqual(["a1", "c3"]);
  });

  test("that is released as its call is cancelled is passed to the next one", async () => {
    const { controlled, go, executor } = limited({ max: 1 });
    const first = go("a1");
    const run = executor.startRun();
    const second = run.execute(call("b", {}, "b2"));
    const third = go("c3");
    await settled();
    controlled.end("a1");
    // The first has ended, and the second has not yet received its slot.
    await first;
    run.cancel();
    expect(readCode(await second)).toBe("cancelled");
    await settled();
    expect(controlled.started).toEqual(["a1", "c3"]);
    controlled.end("c3");
    completed(await third);
  });

  test("is free again when a run of many calls is cancelled", async () => {
    const { controlled, executor, run } = limited({ max: 2, exclusive: "b" });
    const names = ["a1", "a2", "b3", "c4", "b5", "a6"];
    const outcomes = run.executeAll(names.map((id) => call(id.slice(0, 1), {}, id)));
    await settled();
    run.cancel();
    for (const outcome of await outcomes) expect(readCode(outcome)).toBe("cancelled");
    const after = executor.execute(call("b", {}, "after"));
    await settled();
    controlled.end("after");
    completed(await after);
    expect(controlled.started).toEqual(["a1", "a2", "after"]);
  });
});

describe("an exclusive tool", () => {
  test("waits until nothing runs, and nothing runs beside it", async () => {
    const { controlled, go } = limited({ exclusive: ["ex*"] }, ["a", "b", "exclusive"]);
    const outcomes = [go("a1"), go("exclusive2"), go("a3"), go("exclusive4"), go("b5")];
    await settled();
    expect(controlled.running).toEqual(["a1"]);
    controlled.end("a1");
    await settled();
    expect(controlled.running).toEqual(["exclusive2"]);
    controlled.end("exclusive2");
    await settled();
    expect(controlled.running).toEqual(["a3"]);
    controlled.end("a3");
    await settled();
    expect(controlled.running).toEqual(["exclusive4"]);
    controlled.end("exclusive4");
    await settled();
    expect(controlled.running).toEqual(["b5"]);
    controlled.end("b5");
    for (const outcome of outcomes) completed(await outcome);
  });

  test("does not starve behind new calls", async () => {
    const { controlled, go } = limited({ exclusive: "only", max: 2 }, ["a", "only"]);
    void go("a0");
    void go("a1");
    const only = go("only");
    for (let index = 2; index < 20; index++) {
      await settled();
      controlled.end(...controlled.running.slice(0, 1));
      if (controlled.started.includes("only")) break;
      void go(`a${index}`);
    }
    completed(await only);
    expect(controlled.started.slice(0, 3)).toEqual(["a0", "a1", "only"]);
  });

  test("that is cancelled while it waits unblocks the others", async () => {
    const { controlled, executor, go } = limited({ exclusive: "b" });
    void go("a1");
    const controller = new AbortController();
    const exclusive = executor.execute(call("b"), { signal: controller.signal });
    void go("a2");
    void go("c3");
    await settled();
    expect(controlled.running).toEqual(["a1"]);
    controller.abort();
    expect(readCode(await exclusive)).toBe("cancelled");
    await settled();
    expect(controlled.running).toEqual(["a1", "a2", "c3"]);
  });
});
