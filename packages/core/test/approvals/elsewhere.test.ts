import { FakeClock } from "@toolweave/test-support/fake-clock";
import { describe, expect, test } from "vitest";
import {
  defineTool,
  suspend,
  type ExecutorOptions,
  type InterruptionRequest,
  type JsonObject,
  type RegistryInput,
  type ToolExecutor,
  type ToolOutcome,
} from "@toolweave/core";
import { memoryPendingCalls } from "@toolweave/core/stores";
import {
  call,
  executorFor,
  foreignTool,
  guarded,
  recorded,
  tool,
} from "../support/executor-for.ts";
import { readCode, completed, failed, getInterruption } from "../support/outcomes.ts";
import { key } from "../support/pending-call-stores.ts";
import { TestSource } from "../support/test-source.ts";

const yes = [{ type: "approve" }] as const;

type Options = Omit<ExecutorOptions, "registry">;

/** Executors that share the key and the store, and nothing else: like separate processes. */
function processes(
  count: number,
  tools: () => RegistryInput | readonly RegistryInput[],
  options: Options = {},
): ToolExecutor[] {
  const pendingCalls = memoryPendingCalls(options.clock);
  return Array.from({ length: count }, () =>
    executorFor(tools(), { key, pendingCalls, ...options }),
  );
}

/** Another process receives a text. */
function carried<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

describe("an executor of another process with the same key", () => {
  test("AP15 resumes the call as approved, in a run like the one that was interrupted", async () => {
    const seen: unknown[] = [];
    const [here, there] = processes(2, () =>
      tool(
        "pay",
        (args, { runId, turnId, sessionId, caller, callId, attempt, injected }) =>
          void seen.push({ args, runId, turnId, sessionId, caller, callId, attempt, injected }),
        { needsApproval: true },
      ),
    ) as [ToolExecutor, ToolExecutor];
    const run = here.startRun({
      id: "r",
      sessionId: "s",
      caller: { id: "ada", roles: ["admin"], agent: "helper" },
      injected: { db: "here" },
    });
    run.nextTurn().nextTurn();
    const outcome = await run.execute({
      ...call("pay", { n: 1 }, "c"),
      metadata: { model: "m" },
    });
    const events = recorded(there);
    const { result } = completed(
      await there.resume(carried(getInterruption(outcome)), yes, { injected: { db: "there" } }),
    );
    expect(seen).toEqual([
      {
        args: { n: 1 },
        runId: "r",
        turnId: "r:2",
        sessionId: "s",
        caller: { id: "ada", roles: ["admin"], agent: "helper" },
        callId: "c",
        attempt: 1,
        injected: { db: "there" },
      },
    ]);
    expect(result.callId).toBe("c");
    expect(events.map(({ type }) => type)).toEqual([
      "tool.resumed",
      "tool.authorized",
      "tool.started",
      "tool.completed",
    ]);
    for (const event of events) expect(event).toMatchObject({ runId: "r", turnId: "r:2" });
  });

  test("AP04 resumes a call at most once: a second answer is refused in both processes", async () => {
    const ran: JsonObject[] = [];
    const [here, there] = processes(2, () => guarded(ran)) as [ToolExecutor, ToolExecutor];
    const interruption = getInterruption(await here.execute(call("pay")));
    completed(await there.resume(carried(interruption), yes));
    for (const executor of [here, there]) {
      const another = [{ type: "approve", by: "eve" }] as const;
      expect(failed(await executor.resume(interruption, another)).error.message).toBe(
        "This interruption of pay was answered before; check what it did before making the call again.",
      );
    }
    expect(ran).toHaveLength(1);
  });

  test("EX06 is the only one of ten that resumes the call at the same time", async () => {
    for (let round = 0; round < 20; round++) {
      const ran: JsonObject[] = [];
      const executors = processes(10, () => guarded(ran));
      const interruption = getInterruption(await executors[0]?.execute(call("pay")));
      const outcomes = await Promise.all(
        executors.map((executor) => executor.resume(carried(interruption), yes)),
      );
      expect(outcomes.filter(({ status }) => status === "completed")).toHaveLength(1);
      expect(ran).toHaveLength(1);
    }
  });

  test("without the store of the first one still resumes the call only once by its own store", async () => {
    const ran: JsonObject[] = [];
    const interruption = getInterruption(
      await executorFor(guarded(), { key }).execute(call("pay")),
    );
    const there = executorFor(guarded(ran), { key });
    completed(await there.resume(carried(interruption), yes));
    const another = [{ type: "approve", by: "eve" }] as const;
    expect(readCode(await there.resume(carried(interruption), another))).toBe("approval_invalid");
    expect(ran).toHaveLength(1);
  });

  test("EX07 does not resume an expired call", async () => {
    const clock = new FakeClock();
    const ran: JsonObject[] = [];
    const [here, there] = processes(2, () => guarded(ran), { clock }) as [
      ToolExecutor,
      ToolExecutor,
    ];
    const interruption = carried(getInterruption(await here.execute(call("pay"))));
    clock.skip(24 * 60 * 60 * 1000);
    expect(failed(await there.resume(interruption, yes)).error.message).toBe(
      "The interruption of pay has expired; make the call again.",
    );
    expect(ran).toEqual([]);
  });

  test("EX14 uses the store's clock, whatever its own clock is", async () => {
    const clock = new FakeClock();
    const late = new FakeClock();
    late.skip(5 * 24 * 60 * 60 * 1000);
    const pendingCalls = memoryPendingCalls(clock);
    const here = executorFor(guarded(), { key, pendingCalls, clock });
    const there = executorFor(guarded(), { key, pendingCalls, clock: late });
    const first = getInterruption(await here.execute(call("pay")));
    completed(await there.resume(carried(first), yes));
    const second = getInterruption(await there.execute(call("pay")));
    expect(second.expiresAt).toBe(clock.now() + 24 * 60 * 60 * 1000);
  });

  test.each<[string, () => readonly RegistryInput[]]>([
    ["was removed", () => []],
    [
      "has another schema",
      () => [foreignTool("pay", { spec: { inputSchema: { type: "object", properties: {} } } })],
    ],
    [
      "has another description",
      () => [foreignTool("pay", { spec: { description: "Pays twice." } })],
    ],
    [
      "is declared read-only",
      () => [foreignTool("pay", { spec: { annotations: { readOnlyHint: true } } })],
    ],
  ])("EX05 does not run a tool that %s in its newer code", async (_, newer) => {
    const pendingCalls = memoryPendingCalls();
    const here = executorFor(new TestSource("s", [foreignTool("pay")]), { key, pendingCalls });
    const interruption = getInterruption(await here.execute(call("pay")));
    const there = executorFor(newer(), { key, pendingCalls });
    const code = readCode(await there.resume(carried(interruption), yes));
    expect(["approval_invalid", "not_found"]).toContain(code);
    // The approval is consumed, also for the old code: the same answer is refused again.
    expect(readCode(await here.resume(interruption, yes))).toBe(code);
    const another = [{ type: "approve", by: "eve" }] as const;
    expect(readCode(await here.resume(interruption, another))).toBe("approval_invalid");
  });

  test("AP04 does not resume a call for another caller", async () => {
    const ran: JsonObject[] = [];
    const [here, there] = processes(2, () => guarded(ran)) as [ToolExecutor, ToolExecutor];
    const interruption = carried(
      getInterruption(await here.execute(call("pay"), { caller: { id: "ada" } })),
    );
    const run = there.startRun({ caller: { id: "eve" } });
    expect(readCode(await there.resume(interruption, yes, { run }))).toBe("approval_invalid");
    expect(ran).toEqual([]);
    completed(
      await there.resume(interruption, yes, { run: there.startRun({ caller: { id: "ada" } }) }),
    );
  });

  test("AP03 decides by its own policy, which may be stricter", async () => {
    const pendingCalls = memoryPendingCalls();
    const here = executorFor(guarded(), { key, pendingCalls });
    const there = executorFor(guarded(), { key, pendingCalls, policy: "readOnly" });
    const interruption = getInterruption(await here.execute(call("pay")));
    expect(["permission_denied", "not_advertised"]).toContain(
      readCode(await there.resume(carried(interruption), yes)),
    );
  });

  test("does not let the call use tools outside of its original toolset", async () => {
    const [here, there] = processes(2, () => [
      tool("delegate", async (_, { scope }) => (await scope.execute(call("secret"))).status, {
        needsApproval: true,
      }),
      tool("secret"),
    ]) as [ToolExecutor, ToolExecutor];
    const toolset = here.toolset.select({ include: ["delegate"] });
    const interruption = getInterruption(
      await here.startRun({ toolset }).execute(call("delegate")),
    );
    const { result } = completed(await there.resume(carried(interruption), yes));
    expect(result.content).toEqual([{ type: "text", text: "failed" }]);
  });

  test("keeps the policies that narrowed the call, also for nested calls", async () => {
    const outcomes: ToolOutcome[] = [];
    const tools = () => [
      tool("outer", async (_, { scope }) => {
        outcomes.push(
          await scope.execute(call("inner"), {
            narrow: [
              { rules: [{ tools: "inner", effect: "ask" }] },
              { rules: [{ tools: "deep", effect: "deny" }] },
            ],
          }),
        );
      }),
      tool("inner", async (_, { scope }) => (await scope.execute(call("deep"))).status),
      tool("deep"),
    ];
    const [here, there] = processes(2, tools, { policy: "autonomous" }) as [
      ToolExecutor,
      ToolExecutor,
    ];
    completed(await here.execute(call("outer")));
    const interruption = getInterruption(outcomes[0]);
    const { result } = completed(await there.resume(carried(interruption), yes));
    expect(result.content).toEqual([{ type: "text", text: "failed" }]);
  });

  test("refuses a call that a function narrowed, which it does not have; the first process can still resume it", async () => {
    let inner: ToolOutcome | undefined;
    const ran: string[] = [];
    const [here, there] = processes(2, () => [
      tool("outer", async (_, { scope }) => {
        inner = await scope.execute(call("pay"), { narrow: () => undefined });
      }),
      tool("pay", () => void ran.push("paid"), { needsApproval: true }),
    ]) as [ToolExecutor, ToolExecutor];
    completed(await here.execute(call("outer")));
    const interruption = getInterruption(inner);
    expect(failed(await there.resume(carried(interruption), yes)).error).toMatchObject({
      code: "approval_invalid",
      message:
        "pay was narrowed by a policy that is a function, which only the process that made the call has; make the call again.",
    });
    completed(await here.resume(interruption, yes));
    expect(ran).toEqual(["paid"]);
  });

  test("passes a suspended tool its state and the answers, in the next attempt", async () => {
    const question: InterruptionRequest = { id: "q", type: "input", message: "Which?" };
    const [here, there] = processes(2, () =>
      tool("book", (_, { resumed, attempt }) =>
        resumed === undefined ? suspend([question], { draft: 7 }) : { attempt, resumed },
      ),
    ) as [ToolExecutor, ToolExecutor];
    const interruption = getInterruption(await here.execute(call("book")));
    const answers = [{ type: "input", value: "red" }] as const;
    expect(completed(await there.resume(carried(interruption), answers)).result.value).toEqual({
      attempt: 2,
      resumed: { state: { draft: 7 }, answers },
    });
  });

  test("passes a tool all four kinds of answers at once", async () => {
    const requests: InterruptionRequest[] = [
      {
        id: "approval",
        type: "approval",
        permission: { kind: "custom.x", target: "x", summary: "x" },
        reason: "x",
      },
      { id: "auth", type: "auth", credential: "github", message: "Sign in", url: "https://a.test" },
      { id: "input", type: "input", message: "?", schema: { type: "integer" } },
      { id: "result", type: "result", arguments: { q: 1 } },
    ];
    const [here, there] = processes(2, () =>
      tool("all", (_, { resumed }) =>
        resumed === undefined ? suspend(requests, null) : resumed.answers.map(({ type }) => type),
      ),
    ) as [ToolExecutor, ToolExecutor];
    const interruption = carried(getInterruption(await here.execute(call("all"))));
    expect(interruption.requests).toEqual(requests);
    const outcome = await there.resume(interruption, [
      { type: "approve", requestId: "approval" },
      { type: "approve", requestId: "auth" },
      { type: "input", requestId: "input", value: 7 },
      { type: "result", requestId: "result", value: { found: true } },
    ]);
    expect(completed(outcome).result.value).toEqual(["approve", "approve", "input", "result"]);
  });

  test("accepts the host's result for a tool without a function, and validates it", async () => {
    const [here, there] = processes(2, () =>
      defineTool({
        name: "pick_file",
        description: "Lets the user pick a file.",
        input: { type: "object", properties: { kind: { type: "string" } } },
        output: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
      }),
    ) as [ToolExecutor, ToolExecutor];
    const make = async () =>
      carried(getInterruption(await here.execute(call("pick_file", { kind: "image" }))));
    const good = await make();
    expect(good.requests).toMatchObject([{ type: "result", arguments: { kind: "image" } }]);
    const value = { path: "/tmp/a.png" };
    expect(completed(await there.resume(good, [{ type: "result", value }])).result.value).toEqual(
      value,
    );
    const bad = await there.resume(await make(), [{ type: "result", value: { file: 1 } }]);
    expect(readCode(bad)).toBe("invalid_output");
  });

  test("asks again if its hooks change the approved arguments", async () => {
    const ran: JsonObject[] = [];
    const pendingCalls = memoryPendingCalls();
    const make = (rate: number) =>
      executorFor(guarded(ran), {
        key,
        pendingCalls,
        hooks: [{ beforeCall: ({ arguments: { n } }) => ({ arguments: { n: Number(n) * rate } }) }],
      });
    const first = getInterruption(await make(1).execute(call("pay", { n: 10 })));
    const second = getInterruption(await make(3).resume(carried(first), yes));
    expect(second.call.arguments).toEqual({ n: 30 });
    completed(await make(3).resume(carried(second), yes));
    expect(ran).toEqual([{ n: 30 }]);
  });

  test("keeps the approval that was given before the tool had to wait", async () => {
    const question: InterruptionRequest = { id: "q", type: "input", message: "?" };
    const [a, b, c] = processes(3, () =>
      tool("t", (_, { resumed }) => (resumed === undefined ? suspend([question], null) : "done"), {
        needsApproval: true,
      }),
    ) as [ToolExecutor, ToolExecutor, ToolExecutor];
    const asked = carried(getInterruption(await a.execute(call("t"))));
    const waiting = carried(getInterruption(await b.resume(asked, yes)));
    expect((await c.resume(waiting, [{ type: "input", value: "x" }])).status).toBe("completed");
  });
});
