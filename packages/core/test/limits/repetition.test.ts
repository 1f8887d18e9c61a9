import { describe, expect, test } from "vitest";
import type { ToolRun } from "@toolweave/core";
import { call, executorFor, tool } from "../support/executor-for.ts";
import { readCode, completed, failed, getInterruption } from "../support/outcomes.ts";

const tools = [
  tool("a"),
  tool("b"),
  tool("denied"),
  tool("ask", () => "asked", { needsApproval: true }),
];
const limits = { identicalCalls: 3 };

function start(): ToolRun {
  return executorFor(tools, {
    hooks: [{ when: ({ spec }) => spec.name === "denied", beforeCall: () => ({ block: "no" }) }],
  }).startRun({ limits });
}

async function statuses(run: ToolRun, names: string): Promise<string[]> {
  const seen: string[] = [];
  for (const name of names.split(" ")) {
    const outcome = await run.execute(call(name));
    seen.push(outcome.status === "failed" ? outcome.error.code : outcome.status);
  }
  return seen;
}

describe("F3.21 a model that repeats itself", () => {
  test("may make the same call as often as the limit allows, and receives an error for the next", async () => {
    const run = start();
    for (let index = 0; index < 3; index++) completed(await run.execute(call("a", { x: 1, y: 2 })));
    const { error } = failed(await run.execute(call("a", '{"y":2,"x":1}')));
    expect([error.code, error.message]).toEqual([
      "limit_exceeded",
      "You are repeating yourself: a was called 3 times with these same arguments, and is not run again. Use the results you have, call it with other arguments, or do something else.",
    ]);
    completed(await run.execute(call("a", { x: 1, y: 3 })));
    completed(await run.execute(call("b", { x: 1, y: 2 })));
  });

  test("is detected in a circle of several calls", async () => {
    expect((await statuses(start(), "a b a b a b a b b a")).slice(5)).toEqual([
      "completed",
      "limit_exceeded",
      "limit_exceeded",
      "limit_exceeded",
      "limit_exceeded",
    ]);
  });

  test("may return to a call after twenty others", async () => {
    const run = start();
    await statuses(run, "a a a");
    for (let index = 0; index < 17; index++) completed(await run.execute(call("b", { index })));
    expect(readCode(await run.execute(call("a")))).toBe("limit_exceeded");
    completed(await run.execute(call("b", { index: 17 })));
    expect(await statuses(run, "a a a a")).toEqual([
      ...["completed", "completed", "completed"],
      "limit_exceeded",
    ]);
  });

  test("is detected despite calls that are refused", async () => {
    const run = start();
    await statuses(run, "a a a");
    for (let index = 0; index < 25; index++) {
      failed(await run.execute(call("denied", { index })));
      failed(await run.execute(call("unknown", { index })));
    }
    expect(readCode(await run.execute(call("a")))).toBe("limit_exceeded");
  });

  test("is detected in calls that all wait at once", async () => {
    const executor = executorFor(tools);
    const run = executor.startRun({ limits });
    await statuses(run, "a a a");
    await run.executeAll(Array.from({ length: 25 }, (_, index) => call("ask", { index })));
    expect(readCode(await run.execute(call("a")))).toBe("limit_exceeded");
  });

  test("is detected in calls that are all refused after another has started", async () => {
    let refuse: () => void = () => {};
    const refused = new Promise<{ approved: false }>((resolve) => {
      refuse = () => resolve({ approved: false });
    });
    const run = executorFor(tools, { onAsk: () => refused }).startRun({ limits });
    await statuses(run, "a a a");
    const waiting = Array.from({ length: 25 }, (_, index) => run.execute(call("ask", { index })));
    completed(await run.execute(call("b")));
    refuse();
    for (const outcome of waiting) expect(readCode(await outcome)).toBe("approval_rejected");
    expect(readCode(await run.execute(call("a")))).toBe("limit_exceeded");
  });

  test("is detected in simultaneous calls, and in long arguments", async () => {
    const text = "x".repeat(100_000);
    const run = start();
    const outcomes = await run.executeAll([
      ...Array.from({ length: 5 }, () => call("a", { text })),
      call("a", { text: `${text.slice(1)}y` }),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual([
      ...["completed", "completed", "completed"],
      ...["failed", "failed"],
      "completed",
    ]);
  });

  test("has a waiting call counted when it is resumed", async () => {
    const executor = executorFor(tools);
    const run = executor.startRun({ limits: { identicalCalls: 1 } });
    const first = getInterruption(await run.execute(call("ask")));
    const second = getInterruption(await run.execute(call("ask", {}, "2")));
    completed(await executor.resume(first, [{ type: "approve" }]));
    expect(readCode(await executor.resume(second, [{ type: "approve" }]))).toBe("limit_exceeded");
  });

  test("is detected when tools make the calls", async () => {
    const executor = executorFor([
      tool("loop", async (_, { scope }) => {
        const outcomes = [];
        for (let index = 0; index < 4; index++) outcomes.push(await scope.execute(call("a")));
        return outcomes.map(({ status }) => status);
      }),
      tool("a"),
    ]);
    const { result } = completed(await executor.startRun({ limits }).execute(call("loop")));
    expect(result.value).toEqual(["completed", "completed", "completed", "failed"]);
  });
});
