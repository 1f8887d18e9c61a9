import { settled } from "@toolweave/test-support/fake-clock";
import { describe, expect, test } from "vitest";
import {
  suspend,
  ToolError,
  type ExecutorOptions,
  type JsonObject,
  type RunOptions,
  type Tool,
  type ToolExecutor,
  type ToolOutcome,
} from "@toolweave/core";
import { memoryLedger, memoryPendingCalls, type CallLedger } from "@toolweave/core/stores";
import { executorFor, foreignTool, tool } from "../support/executor-for.ts";
import { readCode, completed, getInterruption } from "../support/outcomes.ts";
import { key } from "../support/pending-call-stores.ts";
import { TestSource } from "../support/test-source.ts";

/** Another process: an executor of its own on the same stores. */
function processes(tools: readonly (Tool | TestSource)[], options: Partial<ExecutorOptions> = {}) {
  const ledger = memoryLedger();
  const pendingCalls = memoryPendingCalls();
  const stores = { key, ledger, pendingCalls, policy: "autonomous" as const };
  return { ledger, start: () => executorFor([...tools], { ...stores, ...options }) };
}

interface Made extends Pick<RunOptions, "durable"> {
  readonly id?: string;
  readonly arguments?: JsonObject;
}

function make(executor: ToolExecutor, name: string, made: Made = {}): Promise<ToolOutcome> {
  const { durable = true, id = "1", arguments: args = {} } = made;
  return executor.startRun({ id: "run", durable }).execute({ id, name, arguments: args });
}

/** A tool that counts how often it starts, and never ends the first time. */
function cutOff(name: string, annotations: JsonObject = {}) {
  let starts = 0;
  const made = tool(name, () => (++starts === 1 ? new Promise<never>(() => {}) : "done"), {
    annotations,
  });
  return { tool: made, starts: () => starts };
}

describe("a call of a durable run", () => {
  test("that is made again in another process returns the same outcome, and nothing runs", async () => {
    let runs = 0;
    const { start } = processes([tool("pay", () => ({ paid: ++runs }))]);
    const first = completed(await make(start(), "pay"));
    const events: unknown[] = [];
    const other = start();
    other.on((event) => events.push(event));
    const second = completed(await make(other, "pay"));
    expect(second).toEqual(first);
    expect(runs).toBe(1);
    expect(events).toMatchObject([
      { type: "tool.requested" },
      { type: "tool.authorized" },
      { type: "tool.replayed", status: "completed", callId: "1", runId: "run" },
    ]);
  });

  test("that failed fails again with the same error", async () => {
    let runs = 0;
    const fails = tool("pay", () => {
      runs += 1;
      throw new ToolError("upstream", "No funds.", { status: 402, body: { left: 0 } });
    });
    const { start } = processes([fails]);
    const first = await make(start(), "pay");
    const second = await make(start(), "pay");
    expect(second).toEqual(first);
    expect(second.error).toMatchObject({ code: "upstream", status: 402, body: { left: 0 } });
    expect(runs).toBe(1);
  });

  test("is a call of its own under another id", async () => {
    let runs = 0;
    const { start } = processes([tool("pay", () => ++runs)]);
    await make(start(), "pay", { id: "1" });
    await make(start(), "pay", { id: "2" });
    expect(runs).toBe(2);
  });

  test("with other arguments under the same id is refused", async () => {
    const { start } = processes([tool("pay"), tool("send")]);
    await make(start(), "pay", { arguments: { n: 1 } });
    expect(readCode(await make(start(), "pay", { arguments: { n: 2 } }))).toBe("internal");
    expect(readCode(await make(start(), "send", { arguments: { n: 1 } }))).toBe("internal");
  });

  test("that was cut off is unknown, and does not start again", async () => {
    const pay = cutOff("pay");
    const { start } = processes([pay.tool]);
    void make(start(), "pay");
    await settledOften();
    for (let time = 0; time < 3; time++) {
      expect(readCode(await make(start(), "pay"))).toBe("outcome_unknown");
    }
    expect(pay.starts()).toBe(1);
  });

  test("that was cancelled is unknown when it is made again", async () => {
    const pay = cutOff("pay");
    const { start } = processes([pay.tool]);
    const executor = start();
    const outcome = make(executor, "pay");
    await settledOften();
    await executor.drain({ graceMs: 0 });
    expect(readCode(await outcome)).toBe("cancelled");
    expect(readCode(await make(start(), "pay"))).toBe("outcome_unknown");
  });

  test.each([
    ["a read", { readOnlyHint: true }, true, 2],
    ["an idempotent write", { idempotentHint: true }, true, 1],
    ["an idempotent write, if the host says so", { idempotentHint: true }, rerun(), 2],
    ["another write, although the host says so", {}, rerun(), 1],
  ])("of a trusted tool that was cut off: %s", async (_, annotations, durable, starts) => {
    const cut = cutOff("t", annotations);
    const { start } = processes([cut.tool]);
    void make(start(), "t", { durable });
    await settledOften();
    const outcome = await make(start(), "t", { durable });
    expect(cut.starts()).toBe(starts);
    expect(outcome.status).toBe(starts === 2 ? "completed" : "failed");
  });

  test("of a source that is not trusted and was cut off does not start again, whatever it says", async () => {
    let starts = 0;
    const read: Tool = {
      ...foreignTool("read", { spec: { annotations: { readOnlyHint: true } } }),
      invoke: () => (++starts, new Promise<never>(() => {})),
    };
    const { start } = processes([new TestSource("foreign", [read])]);
    void make(start(), "read");
    await settledOften();
    expect(readCode(await make(start(), "read"))).toBe("outcome_unknown");
    expect(starts).toBe(1);
  });

  test("that did not start is released: it can be made again", async () => {
    let runs = 0;
    const { start } = processes([tool("pay", () => ++runs)], {
      limits: { rates: [{ calls: 1, windowMs: 60_000 }] },
      rateLimits: {
        reserve: () => ({ granted: true, id: "1" }) as never,
        commit: () => {
          if (runs === 0 && !isRepaired) throw new Error("down");
        },
        release: () => {},
      },
    });
    let isRepaired = false;
    expect(readCode(await make(start(), "pay"))).toBe("store_unavailable");
    isRepaired = true;
    completed(await make(start(), "pay"));
    expect(runs).toBe(1);
  });

  test("is stored before it returns, without secrets", async () => {
    const ends: string[] = [];
    const inner = memoryLedger();
    const ledger: CallLedger = {
      begin: (call) => inner.begin(call),
      end: async (claim, end) => {
        await settled();
        ends.push(JSON.stringify(end));
        return inner.end(claim, end);
      },
    };
    const { start } = processes([tool("t", () => "the token is s3cr3t-value-123")], { ledger });
    const executor = start();
    executor.secrets.add("s3cr3t-value-123");
    completed(await make(executor, "t"));
    expect(ends).toHaveLength(1);
    expect(ends[0]).not.toContain("s3cr3t");
  });

  test("of an earlier epoch is refused, and nothing runs", async () => {
    let runs = 0;
    const { start } = processes([tool("pay", () => ++runs)]);
    await make(start(), "pay", { id: "1", durable: { epoch: 1 } });
    await make(start(), "pay", { id: "2", durable: { epoch: 2 } });
    const late = await make(start(), "pay", { id: "3", durable: { epoch: 1 } });
    expect(readCode(late)).toBe("cancelled");
    expect(runs).toBe(2);
  });
});

describe("a durable call that waits for a person", () => {
  const asks = (ran: () => void): Tool =>
    tool("ask", (_, { resumed }) => {
      if (resumed === undefined) return suspend([{ id: "q", type: "input", message: "?" }], null);
      ran();
      return "answered";
    });
  const answers = [{ type: "input", value: 1 }] as const;

  test("keeps its claim: made again, it has the same interruption, and it resumes once", async () => {
    let runs = 0;
    const { start } = processes([asks(() => (runs += 1))]);
    const first = getInterruption(await make(start(), "ask"));
    const second = getInterruption(await make(start(), "ask"));
    expect(second).toEqual(first);
    const outcome = completed(await start().resume(second, answers));
    const again = completed(await make(start(), "ask"));
    expect(again).toEqual(outcome);
    expect(readCode(await start().resume(first, [{ type: "input", value: 2 }]))).toBe(
      "approval_invalid",
    );
    expect(runs).toBe(1);
  });

  test("for its approval starts once, in a run like the one that asked", async () => {
    let runs = 0;
    const { start } = processes([tool("pay", () => ++runs, { needsApproval: true })], {
      policy: "supervised",
    });
    const yes = [{ type: "approve" }] as const;
    const first = getInterruption(await make(start(), "pay"));
    const outcome = completed(await start().resume(first, yes));
    const asked = getInterruption(await make(start(), "pay"));
    expect(completed(await start().resume(asked, yes))).toEqual(outcome);
    expect(runs).toBe(1);
  });
});

test("calls that a tool makes have paths of ids, and start once, too", async () => {
  const begun: string[] = [];
  const inner = memoryLedger();
  const ledger: CallLedger = {
    begin: (call) => (begun.push(call.callId), inner.begin(call)),
    end: (claim, end) => inner.end(claim, end),
  };
  let paid = 0;
  let starts = 0;
  const outer = tool(
    "outer",
    async (_, { scope }) => {
      const { result } = await scope.execute({ id: "a/b", name: "pay", arguments: {} });
      return ++starts === 1 ? new Promise<never>(() => {}) : { value: result?.value };
    },
    { annotations: { readOnlyHint: true } },
  );
  const { start } = processes([outer, tool("pay", () => ++paid)], { ledger });
  void make(start(), "outer");
  await settledOften();
  completed(await make(start(), "outer"));
  expect([paid, starts]).toEqual([1, 2]);
  expect(begun).toEqual(["1", "1/a%2Fb", "1", "1/a%2Fb"]);
});

test("a durable call is not resumed by an executor without a ledger, and stays pending", async () => {
  const pendingCalls = memoryPendingCalls();
  const pay = tool("pay", () => "paid", { needsApproval: true });
  const { start } = processes([pay], { policy: "supervised", pendingCalls });
  const asked = getInterruption(await make(start(), "pay"));
  const without = executorFor(pay, { key, pendingCalls });
  const yes = [{ type: "approve" }] as const;
  expect(readCode(await without.resume(asked, yes))).toBe("invalid_configuration");
  completed(await start().resume(asked, yes));
});

describe("a run", () => {
  test("cannot be durable without a ledger", () => {
    expect(() => executorFor(tool("t")).startRun({ durable: true })).toThrow(
      "durable needs a ledger",
    );
  });

  test("that is not durable does not use the ledger", async () => {
    let runs = 0;
    const { start } = processes([tool("t", () => ++runs)], {
      ledger: { begin: () => expect.fail(), end: () => expect.fail() },
    });
    completed(await make(start(), "t", { durable: false }));
    completed(await make(start(), "t", { durable: false }));
    expect(runs).toBe(2);
  });

  test.each([
    { epoch: -1 },
    { epoch: 1.5 },
    { rerun: "all" },
    { isJournaled: true },
    { other: 1 },
    "yes",
  ])("refuses durable: %j", (durable) => {
    const { start } = processes([]);
    expect(() => start().startRun({ durable: durable as never })).toThrow(
      expect.objectContaining({ code: "invalid_configuration" }),
    );
  });
});

test("an executor with a ledger needs a key", () => {
  expect(() => executorFor(tool("t"), { ledger: memoryLedger() })).toThrow("ledger needs a key");
});

function rerun(): { readonly rerun: "idempotent" } {
  return { rerun: "idempotent" };
}

async function settledOften(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await settled();
}
