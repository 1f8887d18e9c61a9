import { settled } from "@toolweave/test-support/fake-clock";
import { describe, expect, test } from "vitest";
import { defineTool, suspend, ToolError, type ToolCall, type ToolOutcome } from "@toolweave/core";
import { memoryLedger } from "@toolweave/core/stores";
import { CallIds } from "../../src/executor/call/call-ids.ts";
import { controlledTools } from "../support/controlled-tools.ts";
import { call, executorFor, tool } from "../support/executor-for.ts";
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

describe("a call with the id of an earlier call of its run runs, since a model may number its calls anew", () => {
  test("whether the earlier one has completed, was refused or is malformed", async () => {
    const { ran, add } = counting();
    const run = executorFor(add).startRun();
    completed(await run.execute(call("add", {}, "1")));
    expect(readCode(await run.execute(call("nothing", {}, "2")))).toBe("not_found");
    expect(readCode(await run.execute(call("add", "{", "3")))).toBe("invalid_arguments");
    for (const id of ["1", "2", "3"]) {
      expect(completed(await run.execute(again(id))).result.callId).toBe(id);
    }
    expect(ran).toHaveLength(4);
  });

  test("with the same arguments, too, and while the earlier one runs", async () => {
    const { tools, started, finish } = controlledTools(["slow", "fast"]);
    const { ran, add } = counting();
    const run = executorFor([...tools, add]).startRun();
    const first = run.execute(call("slow", {}, "1"));
    await settled();
    for (let time = 0; time < 2; time++) completed(await run.execute(call("add", {}, "1")));
    expect([started, ran]).toEqual([["slow"], [{}, {}]]);
    finish("slow");
    completed(await first);
  });

  test("among calls that are made together: the results come in call order", async () => {
    const read = tool("read", ({ n }) => `page ${String(n)}`);
    const calls = [1, 2, 1].map((n) => call("read", { n }, "call_0"));
    const outcomes = await executorFor(read).startRun().executeAll(calls);
    expect(outcomes.map((outcome) => completed(outcome).result.content)).toEqual(
      [1, 2, 1].map((n) => [{ type: "text", text: `page ${n}` }]),
    );
    expect(outcomes.map((outcome) => completed(outcome).result.callId)).toEqual(
      Array(3).fill("call_0"),
    );
  });

  test("and asks a person anew, while the earlier one waits; each answer continues its own call", async () => {
    const { ran, add } = counting();
    const pay = tool("pay", (args) => void ran.push(args), { needsApproval: true });
    const executor = executorFor([pay, add]);
    const run = executor.startRun();
    const [first, second] = [
      getInterruption(await run.execute(call("pay", { n: 1 }, "1"))),
      getInterruption(await run.execute(call("pay", { n: 2 }, "1"))),
    ];
    completed(await executor.resume(second, [{ type: "approve" }]));
    expect(ran).toEqual([{ n: 2 }]);
    completed(await executor.resume(first, [{ type: "approve" }]));
    expect(ran).toEqual([{ n: 2 }, { n: 1 }]);
    await executor.resume(first, [{ type: "approve" }]);
    expect(ran).toHaveLength(2);
  });

  test("and has an idempotency key of its own, which stays when it is resumed", async () => {
    const keys: string[] = [];
    const read = tool("read", async (_, ctx) => void keys.push(await ctx.idempotencyKey()));
    const pay = tool("pay", async (_, { idempotencyKey, resumed }) => {
      keys.push(await idempotencyKey());
      return resumed === undefined
        ? suspend([{ id: "q", type: "input", message: "?" }], null)
        : "done";
    });
    const executor = executorFor([read, pay]);
    const run = executor.startRun();
    for (let time = 0; time < 3; time++) completed(await run.execute(call("read", {}, "1")));
    expect(new Set(keys).size).toBe(3);
    keys.length = 0;
    for (let time = 0; time < 2; time++) {
      const interruption = getInterruption(await run.execute(call("pay", {}, "2")));
      completed(await executor.resume(interruption, [{ type: "input", value: 1 }]));
    }
    expect(keys[0]).toBe(keys[1]);
    expect(keys[2]).toBe(keys[3]);
    expect(keys[0]).not.toBe(keys[2]);
  });

  test("and counts against the limits, as every call", async () => {
    const { ran, add } = counting();
    const run = executorFor(add).startRun({ limits: { calls: 2 } });
    for (let time = 0; time < 2; time++) completed(await run.execute(again("1")));
    expect(readCode(await run.execute(again("1")))).toBe("limit_exceeded");
    expect(ran).toHaveLength(2);
  });
});

describe("a call with the id of an earlier one is refused", () => {
  test("in a durable run, in which it is the same call, made again", async () => {
    const { ran, add } = counting();
    const executor = executorFor(add, { ledger: memoryLedger(), key: new Uint8Array(32) });
    const run = executor.startRun({ durable: true });
    completed(await run.execute(call("add", {}, "1")));
    for (const repeated of [call("add", {}, "1"), again("1")]) {
      isRefusedForItsId(await run.execute(repeated), "1");
    }
    const [outcome] = await run.executeAll([again("1")]);
    isRefusedForItsId(outcome, "1");
    expect(ran).toEqual([{}]);
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
  expect(of(3_000).filter((id) => ids.take(id) > 0)).toEqual([]);
  expect(
    of(3_000)
      .slice(2_000)
      .filter((id) => ids.take(id) !== 1),
  ).toEqual([]);
  expect(ids.take("0")).toBe(0);
  for (const id of of(3_000).map((each) => `checked ${each}`)) {
    ids.take(id);
    ids.release(id);
    expect(ids.take(id)).toBe(0);
  }
});
