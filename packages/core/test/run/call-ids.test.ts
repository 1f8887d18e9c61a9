import { settled } from "@toolweave/test-support/fake-clock";
import { describe, expect, test } from "vitest";
import { defineTool, suspend, ToolError, type ToolCall, type ToolOutcome } from "@toolweave/core";
import { CallIds } from "../../src/executor/call/call-ids.ts";
import { controlledTools } from "../support/controlled-tools.ts";
import { call, executorFor, recorded, tool, listTypes } from "../support/executor-for.ts";
import { readCode, completed, failed, getInterruption } from "../support/outcomes.ts";

/** A tool that counts how often it runs. */
function counting() {
  const ran: unknown[] = [];
  return { ran, add: tool("add", (args) => void ran.push(args)) };
}

const again = (id: string): ToolCall => call("add", { again: true }, id);

/** True for a call that was refused, under its id, because of its id. */
function isRefusedForItsId(outcome: ToolOutcome | undefined, id: string): void {
  const { error, result } = failed(outcome);
  expect([error.code, error.retryable, result.callId]).toEqual(["skipped", false, id]);
  expect(error.message).toContain(`an earlier call of this run has the id "${id}"`);
  expect(error.message).toMatch(/with a new id/);
  expect(result.content).toEqual([{ type: "text", text: error.message }]);
}

describe("a call with the id of an earlier call of its run is refused", () => {
  test("when the earlier one has completed, was refused or is malformed", async () => {
    const { ran, add } = counting();
    const run = executorFor(add).startRun();
    completed(await run.execute(call("add", {}, "1")));
    expect(readCode(await run.execute(call("nothing", {}, "2")))).toBe("not_found");
    expect(readCode(await run.execute(call("add", "{", "3")))).toBe("invalid_arguments");
    for (const id of ["1", "2", "3"]) isRefusedForItsId(await run.execute(again(id)), id);
    expect(ran).toEqual([{}]);
  });

  test("while the earlier one runs, which continues", async () => {
    const { tools, started, finish } = controlledTools(["slow"]);
    const run = executorFor(tools).startRun();
    const first = run.execute(call("slow", {}, "1"));
    await settled();
    isRefusedForItsId(await run.execute(call("slow", {}, "1")), "1");
    finish("slow");
    completed(await first);
    expect(started).toEqual(["slow"]);
  });

  test("while the earlier one waits for a person; resume continues it, once", async () => {
    const { ran, add } = counting();
    const pay = tool("pay", (args) => void ran.push(args), { needsApproval: true });
    const executor = executorFor([pay, add]);
    const run = executor.startRun();
    const interruption = getInterruption(await run.execute(call("pay", { n: 1 }, "1")));
    isRefusedForItsId(await run.execute(call("pay", { n: 1 }, "1")), "1");
    isRefusedForItsId(await run.checkAdmission(call("pay", { n: 1 }, "1")), "1");
    completed(await executor.resume(interruption, [{ type: "approve" }]));
    isRefusedForItsId(await run.execute(again("1")), "1");
    expect(ran).toEqual([{ n: 1 }]);
  });

  test("when the earlier one was resumed in this run by another process", async () => {
    const { ran, add } = counting();
    const pay = tool("pay", (args) => void ran.push(args), { needsApproval: true });
    const executor = executorFor([pay, add]);
    const interruption = getInterruption(await executor.execute(call("pay", { n: 1 }, "1")));
    const run = executor.startRun();
    completed(await executor.resume(interruption, [{ type: "approve" }], { run }));
    isRefusedForItsId(await run.execute(again("1")), "1");
    expect(ran).toEqual([{ n: 1 }]);
  });

  test("among calls that are made together, in a list and in a stream", async () => {
    const { ran, add } = counting();
    const executor = executorFor(add);
    const calls = [call("add", { n: 1 }, "1"), call("add", { n: 2 }, "1")];
    const [first, second] = await executor.startRun().executeAll(calls);
    completed(first);
    isRefusedForItsId(second, "1");
    const streamed = [];
    for await (const { outcome } of executor.startRun().stream(calls))
      streamed.push(outcome.status);
    expect(streamed.toSorted()).toEqual(["completed", "failed"]);
    expect(ran).toEqual([{ n: 1 }, { n: 1 }]);
  });

  test("before it counts against a limit, and before a hook or an approver sees it", async () => {
    const { ran, add } = counting();
    const hooked: string[] = [];
    const executor = executorFor(add, {
      hooks: [{ beforeCall: ({ callId }) => void hooked.push(callId) }],
    });
    const events = recorded(executor);
    const run = executor.startRun({ limits: { calls: 2, identicalCalls: 1 } });
    completed(await run.execute(call("add", {}, "1")));
    for (let time = 0; time < 5; time++) isRefusedForItsId(await run.execute(again("1")), "1");
    completed(await run.execute(again("2")));
    expect([hooked, ran.length]).toEqual([["1", "2"], 2]);
    expect(listTypes(events).filter((type) => type === "tool.rejected")).toHaveLength(5);
  });

  test("for a call that was admitted, when another one has run meanwhile", async () => {
    const { ran, add } = counting();
    const run = executorFor(add).startRun();
    const asked = call("add", { n: 1 }, "1");
    expect(await run.checkAdmission(asked)).toBe(undefined);
    completed(await run.execute(call("add", { n: 2 }, "1")));
    isRefusedForItsId(await run.execute(asked), "1");
    expect(ran).toEqual([{ n: 2 }]);
  });

  test("among the calls that one attempt of a tool makes", async () => {
    const { ran, add } = counting();
    const outer = tool("outer", async (_, { scope }) => {
      completed(await scope.execute(call("add", {}, "1")));
      isRefusedForItsId(await scope.execute(again("1")), "1");
      const [other] = await scope.executeAll([again("1")]);
      isRefusedForItsId(other, "1");
    });
    completed(
      await executorFor([outer, add])
        .startRun()
        .execute(call("outer", {}, "1")),
    );
    expect(ran).toEqual([{}]);
  });
});

describe("an id is free", () => {
  test("in every other run, and for each call without a run of the host", async () => {
    const { ran, add } = counting();
    const executor = executorFor(add);
    for (const run of [executor.startRun(), executor.startRun()]) {
      completed(await run.execute(again("1")));
    }
    for (let time = 0; time < 2; time++) completed(await executor.execute(again("1")));
    expect(ran).toHaveLength(4);
  });

  test("below another call: the ids of nested calls are paths", async () => {
    const { ran, add } = counting();
    const outer = tool("outer", async (_, { scope }) => {
      completed(await scope.execute(again("1")));
    });
    const run = executorFor([outer, add]).startRun();
    for (const id of ["1", "2"]) completed(await run.execute(call("outer", {}, id)));
    expect(ran).toHaveLength(2);
  });

  test("in the next attempt of a tool, and when a tool is resumed", async () => {
    const { ran, add } = counting();
    const flaky = defineTool({
      name: "flaky",
      description: "Makes the same call in each attempt.",
      input: { type: "object" },
      annotations: { idempotentHint: true },
      retry: { attempts: 2, initialDelayMs: 0 },
      execute: async (_, { scope, attempt, resumed }) => {
        completed(await scope.execute(again("1")));
        if (attempt === 1) throw new ToolError("unavailable", "Try again.");
        return resumed === undefined
          ? suspend([{ id: "q", type: "input", message: "?" }], null)
          : "done";
      },
    });
    const executor = executorFor([flaky, add]);
    const run = executor.startRun();
    const interruption = getInterruption(await run.execute(call("flaky", {}, "1")));
    completed(await executor.resume(interruption, [{ type: "input", value: 1 }]));
    expect(ran).toHaveLength(3);
  });

  test("after a check that has refused or admitted a call, which is no call yet", async () => {
    const { ran, add } = counting();
    const executor = executorFor(add);
    const run = executor.startRun();
    expect(readCode(await run.checkAdmission(call("add", "{", "1")))).toBe("invalid_arguments");
    expect(await run.checkAdmission(again("1"))).toBe(undefined);
    expect(await run.checkAdmission(again("1"))).toBe(undefined);
    completed(await run.execute(again("1")));
    expect(ran).toHaveLength(1);
  });
});

test("a run remembers the ids of its last 1,000 calls, and never more than twice as many", () => {
  const ids = new CallIds();
  const of = (count: number): string[] => Array.from({ length: count }, (_, at) => `${at}`);
  expect(of(3_000).filter((id) => !ids.take(id))).toEqual([]);
  expect(
    of(3_000)
      .slice(2_000)
      .filter((id) => ids.take(id)),
  ).toEqual([]);
  expect(ids.take("0")).toBe(true);
  for (const id of of(3_000).map((each) => `checked ${each}`)) {
    ids.take(id);
    ids.release(id);
    expect(ids.take(id)).toBe(true);
  }
});
