import { FakeClock, settled } from "@toolweave/test-support/fake-clock";
import { describe, expect, test } from "vitest";
import type {
  ApprovalQuestion,
  ApprovalMode,
  PermissionRequest,
  PolicyInput,
  Tool,
  ToolAnnotations,
} from "@toolweave/core";
import { deferred } from "../support/deferred.ts";
import { call, executorFor, foreignTool, recorded, tool } from "../support/executor-for.ts";
import { readCode, completed, failed, getInterruption, textFor } from "../support/outcomes.ts";
import { TestSource } from "../support/test-source.ts";

function request(kind: string, target = "x"): PermissionRequest {
  return { kind, target, summary: `${kind} ${target}` };
}

function proposing(kinds: readonly string[], annotations: ToolAnnotations = {}): Tool {
  return foreignTool("t", {
    spec: { annotations },
    preflight: () => kinds.map((kind) => request(kind)),
  });
}

/** The members of an object, its class included. */
function readEveryMember(one: object): Record<string, unknown> {
  const names = [...Object.keys(one), ...Object.getOwnPropertyNames(Object.getPrototypeOf(one))];
  return Object.fromEntries(
    names
      .filter((name) => name !== "constructor")
      .map((name) => [name, (one as Record<string, unknown>)[name]]),
  );
}

const trusted = (tool: Tool): TestSource => new TestSource("s", [tool], { trusted: true });
const untrusted = (tool: Tool): TestSource => new TestSource("s", [tool]);

describe("the permissions of a call", () => {
  test("are requested together", async () => {
    const executor = executorFor(trusted(proposing(["process", "fs.read", "fs.write"])));
    const interruption = getInterruption(await executor.execute(call("t", {}, "c")));
    const { specHash } = interruption;
    const grant = (kind: string) => ({
      tool: "t",
      specHash,
      permission: { kind, target: "x" },
      argumentsHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(interruption.requests).toEqual([
      {
        id: "c:1",
        type: "approval",
        permission: request("process"),
        description: "The tool t.",
        reason: "supervised: process asks first",
        remedy: 'Add { "effect": "allow", "tools": "t" } to the rules of the policy.',
        grant: grant("process"),
      },
      {
        id: "c:2",
        type: "approval",
        permission: request("fs.write"),
        description: "The tool t.",
        reason: "supervised: fs.write asks first",
        remedy: 'Add { "effect": "allow", "tools": "t" } to the rules of the policy.',
        grant: grant("fs.write"),
      },
    ]);
  });

  test("are refused if one is denied, whatever approval others need", async () => {
    const executor = executorFor(
      trusted(proposing(["network", "fs.write"], { readOnlyHint: true })),
      { policy: "readOnly" },
    );
    const { error } = failed(await executor.execute(call("t")));
    expect([error.code, error.audience]).toEqual(["permission_denied", "user"]);
    expect(error.message).toBe(
      "t is not permitted (readOnly: fs.write is more than reading). Do not try it again; say what you need instead.",
    );
  });

  test("of an untrusted tool are requested in addition to the call itself", async () => {
    for (const kinds of [["fs.read"], ["delegate"], ["network"]]) {
      const executor = executorFor(untrusted(proposing(kinds)));
      const interruption = getInterruption(await executor.execute(call("t")));
      expect(interruption.requests[0]).toMatchObject({
        permission: { kind: "custom.call", target: "t" },
      });
    }
  });

  test.each<[ToolAnnotations, string]>([
    [{}, "custom.call"],
    [{ access: { filesystem: "write" } }, "fs.write"],
    [{ access: { process: true, filesystem: "write" } }, "process"],
    [{ access: { spend: true, process: true } }, "spend"],
  ])("follow from its annotations %j if it proposes none: %s", async (annotations, kind) => {
    const executor = executorFor(untrusted(foreignTool("t", { spec: { annotations } })));
    expect(getInterruption(await executor.execute(call("t"))).requests).toMatchObject([
      { permission: { kind, target: "t", summary: "Call t" } },
    ]);
  });

  test("are displayed under the tool's title", async () => {
    for (const spec of [{ title: "Clean up" }, { annotations: { title: "Clean up" } }]) {
      const executor = executorFor(untrusted(foreignTool("t", { spec })));
      expect(getInterruption(await executor.execute(call("t"))).requests).toMatchObject([
        { permission: { summary: "Clean up (t)" } },
      ]);
    }
  });

  test("may be computed asynchronously; they are decided in the same way", async () => {
    const slow = foreignTool("t", { preflight: async () => [request("fs.read")] });
    completed(await executorFor(trusted(slow)).execute(call("t")));
    const wrong = foreignTool("t", { preflight: () => Promise.reject(new Error("cannot say")) });
    const { error, result } = failed(await executorFor(trusted(wrong)).execute(call("t")));
    expect([error.code, result.durationMs]).toEqual(["execution_failed", 0]);
  });

  test("are computed from the known data of the call, and without effects", async () => {
    let seen: Record<string, unknown> = {};
    let aborted: unknown;
    const looking = foreignTool("t", {
      preflight: (_, ctx) => {
        seen = readEveryMember(ctx);
        aborted = ctx.signal.aborted;
        return [];
      },
    });
    const executor = executorFor(trusted(looking), { policy: "autonomous" });
    await executor.execute(call("t", {}, "c"), { id: "r", sessionId: "s", caller: { id: "ada" } });
    expect(Object.keys(seen).sort()).toEqual([
      "callId",
      "caller",
      "runId",
      "sessionId",
      "signal",
      "toolName",
    ]);
    expect([seen["callId"], seen["runId"], aborted]).toEqual(["c", "r", false]);
  });

  test("are not emitted, and nothing runs, if the call is cancelled meanwhile", async () => {
    let go: () => void = () => {};
    let ran = false;
    const slow = foreignTool("t", {
      preflight: () => new Promise((resolve) => (go = () => resolve([]))),
      invoke: () => void (ran = true),
    });
    const executor = executorFor(trusted(slow), { policy: "autonomous" });
    await executor.registry.ready;
    const events = recorded(executor);
    const run = executor.startRun();
    const outcome = run.execute(call("t"));
    await settled();
    run.cancel();
    go();
    expect(readCode(await outcome)).toBe("cancelled");
    await settled();
    expect(ran).toBe(false);
    expect(events.map(({ type }) => type)).toEqual(["tool.requested", "tool.rejected"]);
  });
});

describe("if the policy asks", () => {
  const asking = (onAsk: ApprovalMode) =>
    executorFor(tool("t", undefined, { needsApproval: true }), { onAsk });

  test("`deny` refuses, and the text says that no person decided", async () => {
    const outcome = await asking("deny").execute(call("t"));
    expect(readCode(outcome)).toBe("permission_denied");
    expect(textFor(outcome)).toBe(
      "t needs a person's approval, and none can be asked here; no person decided this. Continue without it.",
    );
  });

  test("an approver sees the call as it would run, and decides", async () => {
    const asks: ApprovalQuestion[] = [];
    const executor = asking(async (ask) => (asks.push(ask), { approved: true }));
    const events = recorded(executor);
    completed(await executor.execute(call("t", { n: 1 }, "c"), { id: "r", caller: { id: "ada" } }));
    expect(asks).toMatchObject([
      {
        callId: "c",
        runId: "r",
        arguments: { n: 1 },
        caller: { id: "ada" },
        requests: [{ id: "c:1" }],
      },
    ]);
    expect(events.find(({ type }) => type === "tool.authorized")).toMatchObject({
      decision: "approved",
      reason: "this tool always needs approval (needsApproval)",
    });
  });

  test("an approver's rejection is reported to the model, with the reason if there is one", async () => {
    const no = await asking(() => ({ approved: false, reason: "too expensive" })).execute(
      call("t"),
    );
    expect([readCode(no), textFor(no)]).toEqual([
      "approval_rejected",
      "A person rejected this call of t. Reason: too expensive. Do not repeat it.",
    ]);
    const why = await asking(() => ({ approved: false, reason: "why?" })).execute(call("t"));
    expect(textFor(why)).toContain("Reason: why? Do not");
    const silent = await asking(() => ({ approved: false })).execute(call("t"));
    expect(textFor(silent)).toBe("A person rejected this call of t. Do not repeat it.");
  });

  test.each<[string, ApprovalMode]>([
    [
      "throws",
      () => {
        throw new Error("db at 10.0.0.1 is down");
      },
    ],
    ["rejects", () => Promise.reject(new Error("db at 10.0.0.1 is down"))],
  ])(
    "an approver that %s refuses the call, and its reason stays with the host",
    async (_, onAsk) => {
      const { error, result } = failed(await asking(onAsk).execute(call("t")));
      expect([error.code, error.audience]).toEqual(["permission_denied", "host"]);
      expect(error.message).toBe(
        "t was refused because the approval could not be obtained; no person decided this.",
      );
      expect(JSON.stringify(result)).not.toContain("10.0.0.1");
      expect(error.cause).toBeInstanceOf(Error);
    },
  );

  test("an approver cannot change the arguments that it sees", async () => {
    let got: unknown;
    const executor = executorFor(
      tool("t", (args) => void (got = args), { needsApproval: true }),
      {
        onAsk: (ask) => {
          try {
            (ask.arguments as { n: number }).n = 2;
          } catch {
            // Frozen.
          }
          return { approved: true };
        },
      },
    );
    completed(await executor.execute(call("t", { n: 1 })));
    expect(got).toEqual({ n: 1 });
  });

  test("an approver that has not answered when the run is cancelled is too late", async () => {
    const asked = deferred<() => void>();
    let ran = false;
    const executor = executorFor(
      tool("t", () => void (ran = true), { needsApproval: true }),
      {
        onAsk: () => new Promise((resolve) => asked.resolve(() => resolve({ approved: true }))),
      },
    );
    const events = recorded(executor);
    const run = executor.startRun();
    const outcome = run.execute(call("t"));
    const approve = await asked.promise;
    run.cancel();
    approve();
    expect(readCode(await outcome)).toBe("cancelled");
    await settled();
    expect([ran, events.some(({ type }) => type === "tool.authorized")]).toEqual([false, false]);
  });

  test("waiting for a person does not use the tool's timeout", async () => {
    const clock = new FakeClock();
    const asked = deferred<() => void>();
    const executor = executorFor(tool("t", undefined, { needsApproval: true, timeoutMs: 1 }), {
      clock,
      onAsk: () => new Promise((resolve) => asked.resolve(() => resolve({ approved: true }))),
    });
    const outcome = executor.execute(call("t"));
    const approve = await asked.promise;
    await clock.advance(24 * 60 * 60 * 1000);
    approve();
    expect((await outcome).status).toBe("completed");
  });
});

test("AP10 a deny takes precedence over an ask and an allow, in any order", async () => {
  const kinds = ["network", "fs.write", "fs.read"];
  for (const order of [kinds, kinds.toReversed()]) {
    const executor = executorFor(trusted(proposing(order, { readOnlyHint: true })), {
      policy: "readOnly",
    });
    expect(readCode(await executor.execute(call("t")))).toBe("permission_denied");
  }
});

test("SC18 the checks see the same value as the tool", async () => {
  const seen: string[] = [];
  const note = (args: unknown): void => void seen.push(JSON.stringify(args));
  const executor = executorFor(
    trusted(
      foreignTool("t", {
        validate: (args) => void note(args),
        preflight: (args) => (note(args), []),
        invoke: note,
      }),
    ),
    { policy: "autonomous", hooks: [{ beforeCall: ({ arguments: args }) => note(args) }] },
  );
  completed(await executor.execute(call("t", '{"n":1e2,"s":"\\u0041","big":9223372036854775000}')));
  expect(new Set(seen).size).toBe(1);
  expect(seen).toHaveLength(4);
});

describe("a policy that depends on the caller", () => {
  const policy: PolicyInput = {
    preset: "autonomous",
    rules: [{ tools: "admin_*", callers: { id: "*" }, effect: "deny", reason: "not for guests" }],
  };
  const byRole: PolicyInput = {
    preset: "autonomous",
    rules: [{ tools: "admin_*", callers: { roles: "guest" }, effect: "deny" }],
  };
  const names = (toolset: Iterable<Tool>): string[] => Array.from(toolset, ({ spec }) => spec.name);
  const tools = [tool("admin_wipe"), tool("read")];

  test("lists for each caller the tools that it may call, and allows no others", async () => {
    const executor = executorFor(tools, { policy: byRole });
    const [guest, admin] = ["guest", "admin"].map((role) =>
      executor.startRun({ caller: { id: role, roles: [role] } }),
    );
    expect(names(guest?.toolset ?? [])).toEqual(["read"]);
    expect(names(admin?.toolset ?? [])).toEqual(["admin_wipe", "read"]);
    expect(readCode(await guest?.execute(call("admin_wipe")))).toBe("not_advertised");
    completed(await admin?.execute(call("admin_wipe")));
    // Also if the host gives a guest the tools of another caller.
    const given = executor.startRun({
      caller: { id: "guest", roles: ["guest"] },
      toolset: executor.registry.toolset(),
    });
    expect(readCode(await given.execute(call("admin_wipe")))).toBe("permission_denied");
  });

  test("keeps a caller's tools as long as the registry does not change", () => {
    const source = new TestSource("s", [foreignTool("admin_a")]);
    const executor = executorFor([source, ...tools], { policy });
    const caller = { id: "ada" };
    const run = executor.startRun({ caller });
    expect(run.toolset).toBe(executor.startRun({ caller }).toolset);
    expect(names(run.toolset)).toEqual(["read"]);
    source.set(foreignTool("more"));
    expect(names(run.toolset)).toEqual(["more", "read"]);
  });

  test("creates no separate toolset if the caller makes no difference", () => {
    const executor = executorFor(tools, { policy: "autonomous" });
    expect(executor.startRun({ caller: { id: "ada" } }).toolset).toBe(executor.toolset);
  });
});

test("a policy function decides by the final arguments, and its layer narrows", async () => {
  const seen: unknown[] = [];
  const executor = executorFor([tool("t"), tool("u")], {
    policy: [
      "autonomous",
      async ({ spec, arguments: args, caller }) => {
        seen.push([spec.name, args, caller?.id]);
        return spec.name === "u" ? { effect: "deny", reason: "u is over" } : undefined;
      },
    ],
    hooks: [{ beforeCall: () => ({ arguments: { n: 2 } }) }],
  });
  completed(await executor.execute(call("t", { n: 1 }), { caller: { id: "ada" } }));
  const { error } = failed(await executor.execute(call("u", { n: 1 })));
  expect([error.code, error.message]).toEqual([
    "permission_denied",
    "u is not permitted (u is over). Do not try it again; say what you need instead.",
  ]);
  expect(seen).toEqual([
    ["t", { n: 2 }, "ada"],
    ["u", { n: 2 }, undefined],
  ]);
});

test("an invalid policy for a nested call refuses that call, and not its caller", async () => {
  const executor = executorFor([
    tool("outer", async (_, { scope }) => {
      const outcome = await scope.execute(call("inner"), { narrow: "everything" as never });
      return outcome.status === "failed" ? outcome.error.code : outcome.status;
    }),
    tool("inner"),
  ]);
  const { result } = completed(await executor.execute(call("outer")));
  expect(result.content).toEqual([{ type: "text", text: "invalid_configuration" }]);
});
