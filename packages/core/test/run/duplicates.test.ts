import { describe, expect, test } from "vitest";
import { call, executorFor, recorded, tool, listTypes } from "../support/executor-for.ts";
import { readCode, completed, failed, getInterruption, textFor } from "../support/outcomes.ts";

describe("F3.20 equal calls among several", () => {
  function counting() {
    const ran: unknown[] = [];
    return { ran, executor: executorFor([tool("a", (args) => void ran.push(args)), tool("b")]) };
  }

  test("all run by default", async () => {
    const { ran, executor } = counting();
    const calls = [call("a", { x: 1 }), call("a", { x: 1 })];
    (await executor.startRun().executeAll(calls)).forEach(completed);
    (await executor.startRun().executeAll(calls, { duplicates: "run" })).forEach(completed);
    expect(ran).toHaveLength(4);
  });

  test("are skipped after the first, and the model reads which result applies", async () => {
    const { ran, executor } = counting();
    const outcomes = await executor
      .startRun()
      .executeAll(
        [
          call("a", { x: 1, y: [{ p: 1, q: 2 }] }, "first"),
          call("a", '{ "y": [{"q": 2, "p": 1.0}], "x": 1 }', "second"),
          call("a", { x: 2 }, "third"),
          call("b", { x: 2 }, "fourth"),
          call("a", { x: 2 }, "fifth"),
        ],
        { duplicates: "skip" },
      );
    expect(
      outcomes.map((outcome) => (outcome.status === "failed" ? readCode(outcome) : outcome.status)),
    ).toEqual(["completed", "skipped", "completed", "completed", "skipped"]);
    expect(textFor(outcomes[1] as never)).toBe(
      "a was not run: it repeats call first, with the same arguments. The result of that one holds for both.",
    );
    expect(failed(outcomes[4]).error.message).toMatch(/repeats call third/);
    expect(failed(outcomes[1]).result.callId).toBe("second");
    expect(ran).toHaveLength(2);
  });

  test("are skipped before hooks, approvers and limits", async () => {
    const received: string[] = [];
    const executor = executorFor(tool("pay", undefined, { needsApproval: true }), {
      hooks: [{ beforeCall: ({ callId }) => void received.push(`hook ${callId}`) }],
    });
    const events = recorded(executor);
    const run = executor.startRun({ limits: { calls: 1 } });
    const [first, second] = await run.executeAll([call("pay", {}, "1"), call("pay", {}, "2")], {
      duplicates: "skip",
    });
    expect([getInterruption(first).call.id, readCode(second)]).toEqual(["1", "skipped"]);
    expect(received).toEqual(["hook 1"]);
    expect(listTypes(events).toSorted()).toEqual([
      ...["tool.interrupted", "tool.rejected"],
      ...["tool.requested", "tool.requested"],
    ]);
  });

  test("that are not valid each return the error", async () => {
    const executor = executorFor(
      tool("strict", undefined, { input: { type: "object", required: ["x"] } }),
    );
    const outcomes = await executor
      .startRun()
      .executeAll([call("strict", {}, "1"), call("strict", {}, "2")], { duplicates: "skip" });
    expect(outcomes.map(readCode)).toEqual(["invalid_arguments", "invalid_arguments"]);
  });

  test("are compared by the sent arguments, not by the stripped ones", async () => {
    const ran: unknown[] = [];
    const executor = executorFor(
      tool("a", (args) => void ran.push(args), {
        input: { type: "object", properties: { x: {} } },
      }),
      { undeclaredArguments: "strip" },
    );
    const outcomes = await executor
      .startRun()
      .executeAll([call("a", { x: 1, note: "p" }, "1"), call("a", { x: 1, note: "q" }, "2")], {
        duplicates: "skip",
      });
    expect(outcomes.map(({ status }) => status)).toEqual(["completed", "failed"]);
    expect(ran).toEqual([{ x: 1 }]);
  });

  test("of another executeAll run again, and a call without an id is named as such", async () => {
    const { executor } = counting();
    const run = executor.startRun();
    completed((await run.executeAll([call("a")], { duplicates: "skip" }))[0]);
    const same = [call("a", {}, ""), call("a")];
    const [again, repeated] = await run.executeAll(same, { duplicates: "skip" });
    completed(again);
    expect(failed(repeated).error.message).toMatch(/repeats an earlier call/);
  });
});
