import { describe, expect, test } from "vitest";
import {
  suspend,
  type Interruption,
  type InterruptionRequest,
  type JsonObject,
  type JsonValue,
  type Tool,
  type ToolExecutor,
} from "@toolweave/core";
import { memoryPendingCalls } from "@toolweave/core/stores";
import {
  call,
  delegating,
  executorFor,
  foreignTool,
  guarded,
  tool,
} from "../support/executor-for.ts";
import { completed, failed, getInterruption } from "../support/outcomes.ts";
import { key } from "../support/pending-call-stores.ts";
import { TestSource } from "../support/test-source.ts";

const yes = [{ type: "approve" }] as const;

function carried<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

function processes(tools: () => readonly Tool[], count = 2): ToolExecutor[] {
  const pendingCalls = memoryPendingCalls();
  return Array.from({ length: count }, () => executorFor(tools(), { key, pendingCalls }));
}

describe("the question of a nested call", () => {
  test("AP12 reaches the host with its call, and the answer reaches the call", async () => {
    const ran: JsonObject[] = [];
    const pendingCalls = memoryPendingCalls();
    const executor = executorFor([delegating("outer", "pay"), guarded(ran)], { pendingCalls });
    const interruption = getInterruption(
      await executor.execute(call("outer", { amount: 5 }), { caller: { id: "ada" } }),
    );
    expect(await pendingCalls.list()).toMatchObject([
      { interruption: { call: { name: "pay" }, parentCallId: "outer" } },
      { interruption: { call: { name: "outer" } } },
    ]);
    expect([interruption.call.name, interruption.parentCallId]).toEqual(["outer", undefined]);
    expect(interruption.requests).toMatchObject([
      {
        type: "approval",
        permission: { target: "pay" },
        call: { id: "outer>pay", name: "pay", arguments: { amount: 5 } },
      },
    ]);
    const outcome = await executor.resume(interruption, [{ type: "approve", by: "ada" }]);
    expect(completed(outcome).result.value).toEqual({ pay: null });
    expect(ran).toEqual([{ amount: 5 }]);
  });

  test("AP12 can be answered two levels down, in another process, by one approval", async () => {
    const ran: JsonObject[] = [];
    const [here, there] = processes(() => [
      delegating("outer", "middle"),
      delegating("middle", "inner"),
      tool("inner", (args) => (ran.push(args), { paid: true }), { needsApproval: true }),
    ]) as [ToolExecutor, ToolExecutor];
    const interruption = carried(
      getInterruption(
        await here.execute(call("outer", { n: 1 }), { caller: { id: "ada" }, sessionId: "s" }),
      ),
    );
    expect(interruption.requests).toMatchObject([
      { permission: { target: "inner" }, call: { name: "inner", arguments: { n: 1 } } },
    ]);
    const outcome = await there.resume(interruption, yes);
    expect(completed(outcome).result.value).toEqual({ middle: { inner: { paid: true } } });
    expect(ran).toEqual([{ n: 1 }]);
    expect(await there.resume(interruption, yes)).toEqual(outcome);
    expect(ran).toEqual([{ n: 1 }]);
  });

  test("is passed on as displayed, however long the tool's texts are", async () => {
    const ran: JsonObject[] = [];
    const wordy = foreignTool("pay", {
      preflight: () => [
        {
          kind: "spend",
          target: "bank",
          summary: `Pay\n${"much ".repeat(1000)}`,
          details: { n: 1n } as never,
        },
      ],
      invoke: (args) => void ran.push(args),
    });
    const executor = executorFor([
      delegating("outer", "middle"),
      delegating("middle", "pay"),
      new TestSource("s", [wordy], { trusted: true }),
    ]);
    const interruption = getInterruption(await executor.execute(call("outer")));
    completed(await executor.resume(interruption, yes));
    expect(ran).toHaveLength(1);
  });

  test("is rejected by a rejection, which the outer tool receives as the end of the nested call", async () => {
    const ran: JsonObject[] = [];
    const executor = executorFor([delegating("outer", "pay"), guarded(ran)]);
    const interruption = getInterruption(await executor.execute(call("outer")));
    const outcome = await executor.resume(interruption, [{ type: "reject", reason: "no" }]);
    expect(completed(outcome).result.value).toEqual({ pay: "approval_rejected" });
    expect(ran).toEqual([]);
  });

  test("can be answered with other arguments, and with a grant", async () => {
    const ran: JsonObject[] = [];
    const executor = executorFor([delegating("outer", "pay"), guarded(ran)]);
    const first = getInterruption(await executor.execute(call("outer", { n: 1 })));
    completed(await executor.resume(first, [{ type: "approve", arguments: { n: 2 } }]));
    expect(ran.splice(0)).toEqual([{ n: 2 }]);
    const second = getInterruption(await executor.execute(call("outer", { n: 1 })));
    completed(await executor.resume(second, [{ type: "approve", grant: "always" }]));
    completed(await executor.execute(call("outer", { n: 1 })));
    expect(ran).toEqual([{ n: 1 }, { n: 1 }]);
  });

  test("can be input: the typed text reaches only the tool that asked", async () => {
    const question: InterruptionRequest = { id: "q", type: "input", message: "?" };
    const executor = executorFor([
      delegating("outer", "asking"),
      tool("asking", (_, { resumed }) =>
        resumed === undefined
          ? suspend([question], null)
          : ((resumed.answers[0] as { value: JsonValue }).value as never),
      ),
    ]);
    const interruption = getInterruption(await executor.execute(call("outer")));
    const outcome = await executor.resume(interruption, [{ type: "input", value: 42 }]);
    expect(completed(outcome).result.value).toEqual({ asking: 42 });
  });

  test("is answered separately if there are several at once", async () => {
    const ran: JsonObject[] = [];
    const executor = executorFor([
      tool("both", async (_, { scope, resumed }) => {
        const waiting = resumed?.state as Interruption[] | undefined;
        const outcomes = await Promise.all(
          waiting === undefined
            ? [1, 2].map((n) => scope.execute(call("pay", { n }, `p${n}`)))
            : waiting.map((one) => scope.resume(one)),
        );
        const open = outcomes.flatMap((it) =>
          it.status === "interrupted" ? [it.interruption] : [],
        );
        return open.length > 0
          ? suspend(
              open.flatMap(({ requests }) => requests),
              open as never,
            )
          : outcomes.map(({ status }) => status);
      }),
      guarded(ran),
    ]);
    const interruption = getInterruption(await executor.execute(call("both")));
    expect(interruption.requests.map(({ id }) => id)).toEqual(["p1:1", "p2:1"]);
    const outcome = await executor.resume(interruption, [
      { type: "reject", requestId: "p1:1" },
      { type: "approve", requestId: "p2:1" },
    ]);
    expect(completed(outcome).result.value).toEqual(["failed", "completed"]);
    expect(ran).toEqual([{ n: 2 }]);
  });
});

test("AP03 a resumed nested call is decided again by the policies of the outer calls", async () => {
  const ran: JsonObject[] = [];
  const pendingCalls = memoryPendingCalls();
  const tools = () => [delegating("outer", "pay"), guarded(ran)];
  const here = executorFor(tools(), { key, pendingCalls });
  const there = executorFor(tools(), {
    key,
    pendingCalls,
    policy: ({ spec }) => (spec.name === "pay" ? "deny" : undefined),
  });
  const interruption = carried(getInterruption(await here.execute(call("outer"))));
  const outcome = await there.resume(interruption, yes);
  expect(completed(outcome).result.value).toEqual({ pay: "permission_denied" });
  expect(ran).toEqual([]);
});

test("a nested call that a person has answered is not run again by its tool", async () => {
  const ran: JsonObject[] = [];
  let inner: Interruption | undefined;
  const executor = executorFor([
    tool("outer", async (_, { scope, resumed }) => {
      if (resumed !== undefined)
        return failed(await scope.resume(resumed.state as never)).error.code;
      inner = getInterruption(await scope.execute(call("pay")));
      return suspend(inner.requests, inner as never);
    }),
    guarded(ran),
  ]);
  const interruption = getInterruption(await executor.execute(call("outer")));
  completed(await executor.resume(inner as Interruption, yes));
  const { result } = completed(await executor.resume(interruption, yes));
  expect([result.content, ran.length]).toEqual([[{ type: "text", text: "approval_invalid" }], 1]);
});

test("concurrency limits do not block a resumed nested call", async () => {
  const ran: JsonObject[] = [];
  const executor = executorFor([delegating("outer", "pay"), guarded(ran)], {
    limits: { concurrency: { max: 1 } },
  });
  const interruption = getInterruption(await executor.execute(call("outer")));
  completed(await executor.resume(interruption, yes));
  expect(ran).toHaveLength(1);
});
