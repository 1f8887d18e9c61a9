import { FakeClock, settled } from "@toolweave/test-support/fake-clock";
import { describe, expect, test } from "vitest";
import {
  suspend,
  type ExecutorOptions,
  type Grant,
  type JsonObject,
  type RegistryInput,
} from "@toolweave/core";
import { memoryPendingCalls, type AuditRecord, type AuditSink } from "@toolweave/core/stores";
import {
  call,
  executorFor,
  foreignTool,
  guarded,
  recorded,
  tool,
} from "../support/executor-for.ts";
import { readCode, completed, failed, getInterruption, textFor } from "../support/outcomes.ts";
import { key } from "../support/pending-call-stores.ts";
import { TestSource } from "../support/test-source.ts";

type Options = Omit<ExecutorOptions, "registry">;

/** An executor whose decisions are recorded in a list. */
function audited(tools: RegistryInput | readonly RegistryInput[], options: Options = {}) {
  const records: AuditRecord[] = [];
  const audit: AuditSink = { write: (record) => void records.push(record) };
  return { executor: executorFor(tools, { audit, ...options }), records };
}

const decisions = (records: readonly AuditRecord[]) => records.map(({ decision }) => decision);

describe("every decision is recorded", () => {
  test("an allowed call, with the fields that identify the call, and without its content", async () => {
    const clock = new FakeClock();
    const { executor, records } = audited(
      tool("t", () => "s3cret out"),
      { clock },
    );
    completed(
      await executor.execute(call("t", { password: "s3cret" }, "c"), {
        id: "r",
        sessionId: "s",
        caller: { id: "ada", roles: ["x"] },
      }),
    );
    expect(records).toEqual([
      {
        time: clock.now(),
        runId: "r",
        sessionId: "s",
        callId: "c",
        tool: "t",
        caller: { id: "ada", roles: ["x"] },
        decision: "allowed",
        rule: "policy preset:supervised",
        reason: "supervised: your own functions run",
        specHash: expect.stringMatching(/^[0-9a-f]{64}$/),
        argumentsHash: expect.stringMatching(/^[0-9a-f]{64}$/),
        permissions: [],
      },
    ]);
    expect(JSON.stringify(records)).not.toContain("s3cret");
  });

  test("a call that a person is asked about and approves, linked by the interruption", async () => {
    const { executor, records } = audited(guarded());
    const interruption = getInterruption(await executor.execute(call("pay", { n: 1 })));
    completed(await executor.resume(interruption, [{ type: "approve", by: "ada" }]));
    expect(records).toMatchObject([
      {
        decision: "asked",
        interruptionId: interruption.id,
        rule: "policy needsApproval",
        permissions: [{ kind: "custom.call", target: "pay" }],
      },
      { decision: "approved", interruptionId: interruption.id, by: "ada" },
    ]);
    const [asked, approved] = records as [AuditRecord, AuditRecord];
    expect([approved.specHash, approved.argumentsHash]).toEqual([
      interruption.specHash,
      asked.argumentsHash,
    ]);
  });

  test("a rejection, with the person and the reason, also after the tool was removed", async () => {
    const source = new TestSource("s", [foreignTool("pay")]);
    const { executor, records } = audited(source);
    const interruption = getInterruption(await executor.execute(call("pay")));
    source.set();
    const outcome = await executor.resume(interruption, [
      { type: "reject", by: "ada", reason: "too much" },
    ]);
    expect(readCode(outcome)).toBe("approval_rejected");
    expect(records.at(-1)).toMatchObject({
      decision: "rejected",
      code: "approval_rejected",
      by: "ada",
      reason: "too much",
      interruptionId: interruption.id,
      specHash: interruption.specHash,
      argumentsHash: records[0]?.argumentsHash,
      permissions: [{ kind: "custom.call", target: "pay" }],
    });
  });

  test("a grant that was created, and each call that it approves", async () => {
    const { executor, records } = audited(guarded());
    const interruption = getInterruption(await executor.execute(call("pay")));
    completed(await executor.resume(interruption, [{ type: "approve", grant: "always" }]));
    completed(await executor.execute(call("pay")));
    const [{ id }] = (await executor.grants.list()) as [Grant];
    expect(records.slice(1)).toMatchObject([
      { decision: "approved", grantId: id },
      { decision: "granted", grantId: id },
    ]);
  });

  test("an approver's approval and rejection", async () => {
    let approved = true;
    const { executor, records } = audited(guarded(), {
      onAsk: () => ({ approved, by: "ada" }) as never,
    });
    completed(await executor.execute(call("pay")));
    approved = false;
    expect(readCode(await executor.execute(call("pay")))).toBe("approval_rejected");
    expect(records).toMatchObject([
      { decision: "approved", by: "ada" },
      { decision: "rejected", by: "ada", code: "approval_rejected" },
    ]);
  });

  test("a deny, with the rule and the permission", async () => {
    const writing = foreignTool("write", {
      preflight: () => [{ kind: "fs.write", target: "/etc", summary: "Write" }],
    });
    const { executor, records } = audited(new TestSource("s", [writing], { trusted: true }), {
      policy: {
        name: "org",
        preset: "autonomous",
        rules: [{ id: "no-etc", permissions: { target: "/etc" }, effect: "deny" }],
      },
    });
    expect(readCode(await executor.execute(call("write")))).toBe("permission_denied");
    expect(records).toMatchObject([
      {
        decision: "denied",
        code: "permission_denied",
        rule: "org no-etc",
        permissions: [{ kind: "fs.write", target: "/etc" }],
      },
    ]);
  });

  test("a call that a hook blocks, that a limit refuses, or that has no approver", async () => {
    const blocked = audited(tool("t"), { hooks: [{ beforeCall: () => ({ block: "not today" }) }] });
    expect(readCode(await blocked.executor.execute(call("t")))).toBe("permission_denied");
    expect(blocked.records).toMatchObject([
      { decision: "denied", code: "permission_denied", reason: "t was blocked: not today" },
    ]);

    const limited = audited(tool("t"));
    const run = limited.executor.startRun({ limits: { calls: 1 } });
    await run.execute(call("t"));
    await run.execute(call("t"));
    expect(limited.records).toMatchObject([
      { decision: "allowed" },
      { decision: "denied", code: "limit_exceeded" },
    ]);

    const alone = audited(guarded(), { onAsk: "deny" });
    await alone.executor.execute(call("pay"));
    expect(alone.records).toMatchObject([
      { decision: "denied", code: "permission_denied", rule: "policy needsApproval" },
    ]);
  });

  test("a call of a tool that is not advertised, with the rule that hides it", async () => {
    const { executor, records } = audited([tool("read"), tool("delete")], {
      policy: {
        name: "org",
        preset: "autonomous",
        rules: [{ id: "admins", tools: "delete", callers: { roles: "guest" }, effect: "deny" }],
      },
    });
    const caller = { id: "ada", roles: ["guest"] };
    expect(readCode(await executor.execute(call("delete", { id: 7 }, "c"), { caller }))).toBe(
      "not_advertised",
    );
    const run = executor.startRun({
      caller,
      toolset: executor.toolset.select({ include: ["delete"] }),
    });
    expect(readCode(await run.execute(call("read")))).toBe("not_advertised");
    expect(readCode(await executor.execute(call("made_up"), { caller }))).toBe("not_found");
    expect(records).toMatchObject([
      { decision: "denied", code: "not_advertised", tool: "delete", caller, rule: "org admins" },
      { decision: "denied", code: "not_advertised", tool: "read", caller },
    ]);
    expect(records[1]).not.toHaveProperty("rule");
  });

  test("AP04 a replayed, changed or expired approval", async () => {
    const clock = new FakeClock();
    const { executor, records } = audited(guarded(), { clock });
    const first = getInterruption(await executor.execute(call("pay")));
    completed(await executor.resume(first, [{ type: "approve" }]));
    // The same answer returns the same outcome, and decides nothing.
    const decided = records.length;
    completed(await executor.resume(first, [{ type: "approve" }]));
    expect(records).toHaveLength(decided);
    await executor.resume(first, [{ type: "reject" }]);
    expect(records.at(-1)).toMatchObject({
      decision: "denied",
      code: "approval_invalid",
      interruptionId: first.id,
    });
  });

  test("each grant of an approval for several permissions", async () => {
    const { executor, records } = audited(
      tool("t", undefined, {
        preflight: () => ["a", "b"].map((target) => ({ kind: "process", target, summary: target })),
      }),
    );
    const interruption = getInterruption(await executor.execute(call("t")));
    completed(await executor.resume(interruption, [{ type: "approve", grant: "always" }]));
    const ids = (await executor.grants.list()).map(({ id }) => id);
    expect(records.slice(1)).toMatchObject([
      { decision: "approved", permissions: [{ target: "a" }], grantId: ids[0] },
      { decision: "approved", permissions: [{ target: "b" }], grantId: ids[1] },
    ]);
  });

  test("of a nested call, too", async () => {
    const { executor, records } = audited([
      tool("outer", async (_, { scope }) => (await scope.execute(call("inner"))).status),
      tool("inner"),
    ]);
    completed(await executor.execute(call("outer")));
    expect(records.map(({ tool }) => tool)).toEqual(["outer", "inner"]);
  });

  test("but nothing for a call without a decision", async () => {
    const { executor, records } = audited(
      tool("t", undefined, { input: { type: "object", required: ["n"] } }),
    );
    await executor.execute(call("t"));
    await executor.execute(call("unknown"));
    await executor.execute(call("t", "{"));
    await executor.resume({} as never, [{ type: "approve" }]);
    expect(records).toEqual([]);
  });

  test("once for a call that was admitted first, and then made", async () => {
    const { executor, records } = audited(tool("t"));
    const run = executor.startRun();
    const asked = call("t");
    expect(await run.checkAdmission(asked)).toBeUndefined();
    completed(await run.execute(asked));
    expect(decisions(records)).toEqual(["allowed"]);
  });
});

describe("a sink that fails", () => {
  const down: AuditSink["write"] = () => Promise.reject(new Error("no space on /var/audit"));
  const throwing: AuditSink["write"] = () => {
    throw new Error("no space on /var/audit");
  };

  test.each([
    ["rejects", down],
    ["throws", throwing],
  ])("and is required (%s) refuses the call before anything runs", async (_, write) => {
    const ran: JsonObject[] = [];
    const executor = executorFor(
      tool("t", (args) => void ran.push(args)),
      {
        audit: { write, required: true },
      },
    );
    const events = recorded(executor);
    const outcome = await executor.execute(call("t"));
    expect(failed(outcome).error).toMatchObject({ code: "store_unavailable", retryable: true });
    expect(textFor(outcome)).toBe(
      "t was not run: the audit has to record it and cannot. Try again later.",
    );
    expect(ran).toEqual([]);
    expect(events.map(({ type }) => type)).toEqual([
      "tool.requested",
      "store.failed",
      "tool.rejected",
    ]);
  });

  test("and is required prevents a call from waiting for a person without a record", async () => {
    const pendingCalls = memoryPendingCalls();
    const executor = executorFor(guarded(), {
      pendingCalls,
      audit: { write: down, required: true },
    });
    expect(readCode(await executor.execute(call("pay")))).toBe("store_unavailable");
    expect(await pendingCalls.list()).toEqual([]);
  });

  test("and is required prevents a grant without a record", async () => {
    let isDown = false;
    const executor = executorFor(guarded(), {
      audit: { write: (record) => (isDown ? down(record) : undefined), required: true },
    });
    const interruption = getInterruption(await executor.execute(call("pay")));
    isDown = true;
    const outcome = await executor.resume(interruption, [{ type: "approve", grant: "always" }]);
    expect(readCode(outcome)).toBe("store_unavailable");
    expect(await executor.grants.list()).toEqual([]);
  });

  test("and is required does not change a refusal", async () => {
    const executor = executorFor(tool("t"), {
      policy: {
        preset: "autonomous",
        rules: [
          { effect: "deny", permissions: { kind: "*" } },
          { effect: "deny", callers: { id: "eve" } },
        ],
      },
      audit: { write: down, required: true },
    });
    const outcome = await executor.execute(call("t"), {
      caller: { id: "eve" },
      toolset: executor.toolset,
    });
    expect(["permission_denied", "not_advertised"]).toContain(readCode(outcome));
  });

  test.each([
    ["rejects", down],
    ["throws", throwing],
  ])("and is not required (%s) causes a warning, and the call continues", async (_, write) => {
    const executor = executorFor(tool("t"), { audit: { write } });
    const events = recorded(executor);
    completed(await executor.execute(call("t")));
    await settled();
    expect(events.find(({ type }) => type === "store.failed")).toMatchObject({
      store: "audit",
      callId: "t",
      message: "no space on /var/audit",
    });
  });

  test("or hangs does not delay a call that needs no record, nor the cancellation of one that needs it", async () => {
    const write = () => new Promise<void>(() => {});
    completed(await executorFor(tool("t"), { audit: { write } }).execute(call("t")));
    const executor = executorFor([tool("t"), guarded()], { audit: { write, required: true } });
    for (const name of ["t", "pay"]) {
      const controller = new AbortController();
      const outcome = executor.execute(call(name), { signal: controller.signal });
      await settled();
      controller.abort();
      expect(readCode(await outcome)).toBe("cancelled");
    }
    const controller = new AbortController();
    const denied = executorFor(guarded(), { onAsk: "deny", audit: { write, required: true } });
    const outcome = denied.execute(call("pay"), { signal: controller.signal });
    await settled();
    controller.abort();
    expect(readCode(await outcome)).toBe("cancelled");
  });
});

test("the decisions of two processes about one call have the same fields", async () => {
  const records: AuditRecord[] = [];
  const audit: AuditSink = { write: async (record) => void records.push(record), required: true };
  const pendingCalls = memoryPendingCalls();
  const make = () =>
    executorFor(
      tool(
        "t",
        (_, { resumed }) =>
          resumed === undefined ? suspend([{ id: "q", type: "input", message: "?" }], 1) : "done",
        { needsApproval: true },
      ),
      { key, pendingCalls, audit },
    );
  const first = getInterruption(await make().execute(call("t"), { caller: { id: "ada" } }));
  const second = getInterruption(await make().resume(first, [{ type: "approve", by: "bob" }]));
  completed(await make().resume(second, [{ type: "input", value: 1 }]));
  expect(records).toMatchObject([
    { decision: "asked", interruptionId: first.id },
    { decision: "approved", interruptionId: first.id, by: "bob" },
    { decision: "approved", interruptionId: second.id, by: "bob" },
  ]);
  for (const record of records) {
    expect(record).toMatchObject({ caller: { id: "ada" }, specHash: first.specHash });
  }
});
