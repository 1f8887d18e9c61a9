import { FakeClock, settled } from "@toolweave/test-support/fake-clock";
import { describe, expect, test } from "vitest";
import {
  suspend,
  type Answer,
  type ExecutorOptions,
  type Grant,
  type GrantChoice,
  type JsonObject,
  type ToolExecutor,
} from "@toolweave/core";
import { memoryGrants, memoryPendingCalls } from "@toolweave/core/stores";
import {
  call,
  executorFor,
  foreignTool,
  guarded,
  recorded,
  tool,
} from "../support/executor-for.ts";
import { readCode, completed, failed, getInterruption, textFor } from "../support/outcomes.ts";
import { gate, key } from "../support/pending-call-stores.ts";
import { TestSource } from "../support/test-source.ts";

type Options = Omit<ExecutorOptions, "registry">;

const grant = (grant: GrantChoice, more: Partial<Answer> = {}): Answer[] => [
  { type: "approve", grant, ...more } as Answer,
];

/**
 * An executor with one tool that needs approval, and a person who has approved one call with a
 * grant.
 */
async function granted(
  choice: GrantChoice,
  args: JsonObject = { n: 1 },
  run: Parameters<ToolExecutor["startRun"]>[0] = {},
  options: Options = {},
) {
  const ran: JsonObject[] = [];
  const executor = executorFor(guarded(ran), options);
  const interruption = getInterruption(await executor.execute(call("pay", args), run));
  completed(await executor.resume(interruption, grant(choice, { by: "ada" })));
  return { executor, ran, interruption };
}

describe("AP09 a grant", () => {
  test("is displayed exactly before it is stored, and covers nothing wider", async () => {
    const clock = new FakeClock();
    const caller = { id: "ada", roles: ["x"] };
    const { executor, interruption } = await granted("always", { n: 1 }, { caller }, { clock });
    const proposal = {
      tool: "pay",
      specHash: interruption.specHash,
      permission: { kind: "custom.call", target: "pay" },
      argumentsHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      caller,
    };
    expect(interruption.requests).toMatchObject([{ grant: proposal }]);
    expect(await executor.grants.list()).toEqual([
      {
        id: expect.any(String),
        scope: "always",
        ...proposal,
        by: "ada",
        grantedAt: clock.now(),
        definition: {
          description: "The tool pay.",
          inputSchema: { type: "object" },
          annotations: { needsApprovalHint: true },
        },
      },
    ]);
  });

  test("approves the same call of the same caller, and its id is reported", async () => {
    const caller = { id: "ada" };
    const { executor, ran } = await granted("always", { n: 1, m: 2 }, { caller });
    const events = recorded(executor);
    completed(await executor.execute(call("pay", '{"m":2,"n":1}'), { caller }));
    expect(ran).toHaveLength(2);
    const [{ id }] = (await executor.grants.list()) as [Grant];
    expect(events.find(({ type }) => type === "tool.authorized")).toMatchObject({
      decision: "granted",
      grantId: id,
      rule: "policy needsApproval",
    });
  });

  test.each<[string, JsonObject, Parameters<ToolExecutor["startRun"]>[0]]>([
    ["other arguments", { n: 2 }, { caller: { id: "ada" } }],
    ["one more argument", { n: 1, also: true }, { caller: { id: "ada" } }],
    ["another caller", { n: 1 }, { caller: { id: "eve" } }],
    ["the caller in another role", { n: 1 }, { caller: { id: "ada", roles: ["admin"] } }],
    ["another agent of the caller", { n: 1 }, { caller: { id: "ada", agent: "other" } }],
    ["no caller", { n: 1 }, {}],
  ])("does not apply to %s", async (_, args, run) => {
    const { executor, ran } = await granted("always", { n: 1 }, { caller: { id: "ada" } });
    getInterruption(await executor.execute(call("pay", args), run));
    expect(ran).toHaveLength(1);
  });

  test("for any arguments applies to all arguments, if a person has widened it", async () => {
    const { executor, ran } = await granted({ scope: "always", arguments: "any" });
    completed(await executor.execute(call("pay", { n: 2, other: [1] })));
    expect(ran).toHaveLength(2);
    expect((await executor.grants.list())[0]).not.toHaveProperty("argumentsHash");
  });

  test("for any arguments still applies to the same target only", async () => {
    const writing = foreignTool("write", {
      preflight: ({ path }) => [{ kind: "fs.write", target: `${String(path)}`, summary: "Write" }],
    });
    const executor = executorFor(new TestSource("s", [writing], { trusted: true }));
    const first = getInterruption(await executor.execute(call("write", { path: "/a", text: "1" })));
    completed(await executor.resume(first, grant({ scope: "always", arguments: "any" })));
    const made = ["/a", "/b", "/a/b"].map((path) =>
      executor.execute(call("write", { path, text: "2" })),
    );
    expect((await Promise.all(made)).map(({ status }) => status)).toEqual([
      "completed",
      "interrupted",
      "interrupted",
    ]);
  });

  test("for a session applies in that session, and without a session in that run", async () => {
    const { executor } = await granted("session", {}, { sessionId: "s" });
    const made = [{ sessionId: "s", id: "other run" }, { sessionId: "t" }, {}].map((run) =>
      executor.execute(call("pay"), run),
    );
    expect((await Promise.all(made)).map(({ status }) => status)).toEqual([
      "completed",
      "interrupted",
      "interrupted",
    ]);

    const ofRun = await granted("session", {}, { id: "r" });
    expect((await ofRun.executor.execute(call("pay"), { id: "r" })).status).toBe("completed");
    expect((await ofRun.executor.execute(call("pay"), { id: "q" })).status).toBe("interrupted");
  });

  test("is not stored if a call is approved without one", async () => {
    const executor = executorFor(guarded());
    const interruption = getInterruption(await executor.execute(call("pay")));
    completed(await executor.resume(interruption, [{ type: "approve" }]));
    expect(await executor.grants.list()).toEqual([]);
    getInterruption(await executor.execute(call("pay")));
  });

  test("can be revoked", async () => {
    const { executor } = await granted("always");
    const [{ id }] = (await executor.grants.list("pay")) as [Grant];
    expect(await executor.grants.revoke(id)).toBe(true);
    expect(await executor.grants.revoke(id)).toBe(false);
    getInterruption(await executor.execute(call("pay", { n: 1 })));
  });

  test("is not stored if the call was answered before: a replayed approval grants nothing", async () => {
    const executor = executorFor(guarded());
    const interruption = getInterruption(await executor.execute(call("pay")));
    completed(await executor.resume(interruption, [{ type: "approve" }]));
    expect(readCode(await executor.resume(interruption, grant("always")))).toBe("approval_invalid");
    expect(await executor.grants.list()).toEqual([]);
  });

  test("is not stored if the call has changed since", async () => {
    let rate = 1;
    const executor = executorFor(guarded(), {
      hooks: [{ beforeCall: () => ({ arguments: { rate } }) }],
    });
    const interruption = getInterruption(await executor.execute(call("pay")));
    rate = 2;
    getInterruption(await executor.resume(interruption, grant("always")));
    expect(await executor.grants.list()).toEqual([]);
  });
});

describe("a deny rule, and a rule that always asks", () => {
  const always = { rules: [{ tools: "pay", effect: "ask", ask: "always" }] } as const;

  test("AP10 take precedence over a grant", async () => {
    const grants = memoryGrants();
    const { interruption } = await granted(
      { scope: "always", arguments: "any" },
      {},
      {},
      { grants },
    );
    expect(interruption.requests).toHaveLength(1);
    const strict = executorFor(guarded(), {
      grants,
      policy: () => "deny",
    });
    expect(readCode(await strict.execute(call("pay")))).toBe("permission_denied");
  });

  test("are not satisfied by a stored grant", async () => {
    const grants = memoryGrants();
    await granted({ scope: "always", arguments: "any" }, {}, {}, { grants });
    const executor = executorFor(guarded(), { grants, policy: always });
    expect((await executor.execute(call("pay"))).status).toBe("interrupted");
  });

  test("offer no grant, and accept none", async () => {
    const ran: JsonObject[] = [];
    const executor = executorFor(guarded(ran), { policy: always });
    const interruption = getInterruption(await executor.execute(call("pay")));
    expect(interruption.requests[0]).not.toHaveProperty("grant");
    expect(failed(await executor.resume(interruption, grant("session"))).error).toMatchObject({
      code: "approval_invalid",
      message: "What was asked here is asked every time: agree to this call without a grant.",
    });
    completed(await executor.resume(interruption, [{ type: "approve" }]));
    expect([ran.length, await executor.grants.list()]).toEqual([1, []]);
  });

  test("AP07 keep their own part of a call open if the rest is granted", async () => {
    const both = foreignTool("t", {
      preflight: () =>
        ["process", "fs.write"].map((kind) => ({ kind, target: "x", summary: kind })),
    });
    const executor = executorFor(new TestSource("s", [both], { trusted: true }), {
      policy: { rules: [{ permissions: { kind: "process" }, effect: "ask", ask: "always" }] },
    });
    const first = getInterruption(await executor.execute(call("t")));
    completed(await executor.resume(first, grant("always")));
    expect(await executor.grants.list()).toMatchObject([{ permission: { kind: "fs.write" } }]);
    const second = getInterruption(await executor.execute(call("t")));
    expect(second.requests).toMatchObject([{ permission: { kind: "process" } }]);
    completed(await executor.resume(second, [{ type: "approve" }]));
  });
});

test("if two permissions of one call need approval, a person is asked unless both are granted", async () => {
  const both = foreignTool("t", {
    preflight: () => ["process", "fs.write"].map((kind) => ({ kind, target: "x", summary: kind })),
  });
  const executor = executorFor(new TestSource("s", [both], { trusted: true }));
  const first = getInterruption(await executor.execute(call("t")));
  completed(await executor.resume(first, grant("always")));
  completed(await executor.execute(call("t")));
  const [{ id }] = (await executor.grants.list()) as [Grant];
  await executor.grants.revoke(id);
  expect(getInterruption(await executor.execute(call("t"))).requests).toMatchObject([
    { permission: { kind: "process" } },
  ]);
});

describe("an approver", () => {
  test("sees the grant that would be stored, and may store it", async () => {
    const asked: unknown[] = [];
    const executor = executorFor(guarded(), {
      onAsk: ({ requests }) => {
        asked.push(requests[0]?.grant);
        return { approved: true, by: "ada", grant: "always" };
      },
    });
    completed(await executor.execute(call("pay")));
    completed(await executor.execute(call("pay")));
    expect(asked).toMatchObject([{ tool: "pay" }]);
    expect(await executor.grants.list()).toMatchObject([{ by: "ada", scope: "always" }]);
  });

  test.each(["forever", { scope: "always" }, 1])(
    "that grants %j has given no approval",
    async (grant) => {
      const executor = executorFor(guarded(), {
        onAsk: () => ({ approved: true, grant }) as never,
      });
      expect(readCode(await executor.execute(call("pay")))).toBe("permission_denied");
    },
  );
});

test("that grants after the call was cancelled grants nothing", async () => {
  const { opened, open } = gate();
  const executor = executorFor(guarded(), {
    onAsk: async () => (await opened, { approved: true, grant: "always" }),
  });
  const run = executor.startRun();
  const outcome = run.execute(call("pay"));
  await settled();
  run.cancel();
  open();
  expect(readCode(await outcome)).toBe("cancelled");
  await settled();
  expect(await executor.grants.list()).toEqual([]);
});

describe("a store of grants", () => {
  test("EX09 that does not answer refuses the call", async () => {
    const ran: JsonObject[] = [];
    const grants = {
      ...memoryGrants(),
      list: () => Promise.reject(new Error("db at 10.0.0.1 is down")),
    };
    const outcome = await executorFor(guarded(ran), { grants }).execute(call("pay"));
    expect(readCode(outcome)).toBe("store_unavailable");
    expect(textFor(outcome)).toBe(
      "pay was not run: the store of grants does not answer. Try again later.",
    );
    expect(ran).toEqual([]);
  });

  test("that returns something other than a list refuses the call", async () => {
    const grants = { ...memoryGrants(), list: () => [null] as never };
    expect(readCode(await executorFor(guarded(), { grants }).execute(call("pay")))).toBe(
      "store_unavailable",
    );
  });

  test("EX09 that cannot store a grant refuses the call that it belongs to", async () => {
    const ran: JsonObject[] = [];
    const grants = { ...memoryGrants(), add: () => Promise.reject(new Error("full")) };
    const executor = executorFor(guarded(ran), { grants });
    const interruption = getInterruption(await executor.execute(call("pay")));
    expect(readCode(await executor.resume(interruption, grant("always")))).toBe(
      "store_unavailable",
    );
    expect(ran).toEqual([]);
  });

  test("is not read for calls that need no approval", async () => {
    let asked = 0;
    const grants = { ...memoryGrants(), list: () => ((asked += 1), []) };
    completed(await executorFor(tool("free"), { grants }).execute(call("free")));
    expect(asked).toBe(0);
  });

  test("AP15 in which another party has written or changed a grant does not approve anything by it", async () => {
    const { executor, ran } = await granted("session", { n: 1 }, { sessionId: "s" }, { key });
    const [real] = (await executor.grants.list()) as [Grant];
    const { seal: _, ...unsealed } = real;
    const { argumentsHash: __, ...wide } = real;
    for (const forged of [
      unsealed,
      wide,
      { ...real, scope: "always" },
      { ...real, session: "t" },
      { ...real, seal: "AAAA" },
      { ...real, seal: 1 },
    ] as Grant[]) {
      const store = memoryGrants();
      await store.add(forged);
      const other = executorFor(guarded(ran), { key, grants: store });
      const sessionId = forged.session === "t" ? "t" : forged.scope === "always" ? "u" : "s";
      const args = forged === wide ? { n: 2 } : { n: 1 };
      expect((await other.execute(call("pay", args), { sessionId })).status).toBe("interrupted");
    }
    const store = memoryGrants();
    await store.add(JSON.parse(JSON.stringify(real)) as Grant);
    const other = executorFor(guarded(ran), { key, grants: store });
    completed(await other.execute(call("pay", { n: 1 }), { sessionId: "s" }));
  });

  test("in memory evicts the oldest of more than ten thousand", async () => {
    const grants = memoryGrants();
    for (let index = 0; index <= 10_000; index++) {
      await grants.add({ id: `${index}`, tool: index % 2 === 0 ? "even" : "odd" } as Grant);
    }
    expect(await grants.list()).toHaveLength(10_000);
    expect((await grants.list("even"))[0]).toMatchObject({ id: "2" });
    expect(await grants.list("other")).toEqual([]);
  });
});

test("a grant that was used before the tool waited must still exist when the call is resumed", async () => {
  const executor = executorFor(
    tool(
      "t",
      (_, { resumed }) =>
        resumed === undefined ? suspend([{ id: "q", type: "input", message: "?" }], null) : "done",
      { needsApproval: true },
    ),
    { key, pendingCalls: memoryPendingCalls() },
  );
  const first = getInterruption(await executor.execute(call("t")));
  const again = [{ type: "input", value: "x" }] as const;
  completed(
    await executor.resume(getInterruption(await executor.resume(first, grant("always"))), again),
  );
  const waiting = getInterruption(await executor.execute(call("t")));
  const [{ id }] = (await executor.grants.list()) as [Grant];
  await executor.grants.revoke(id);
  const asked = getInterruption(await executor.resume(waiting, again));
  expect(asked.requests[0]?.type).toBe("approval");
  completed(await executor.resume(asked, [{ type: "approve" }]));
});
