import { describe, expect, test } from "vitest";
import { text, type Hook, type JsonObject } from "@toolweave/core";
import { call, executorFor, recorded, tool, typesOf } from "../support/executor-for.ts";
import { FakeClock, settled } from "../support/fake-clock.ts";
import { codeOf, completed, failed, textFor } from "../support/outcomes.ts";

/** An executor with hooks whose tool notes what it got. */
function withHooks(hooks: readonly Hook[], answer: unknown = "answer") {
  const got: JsonObject[] = [];
  const executor = executorFor(
    tool("t", (args) => (got.push(args), answer as string), {
      input: { type: "object", properties: { n: { type: "number" } } },
    }),
    { hooks },
  );
  return { executor, got };
}

describe("a hook before the call", () => {
  test("passes by saying nothing", async () => {
    const { executor, got } = withHooks([
      { beforeCall: () => {} },
      { beforeCall: async () => undefined },
    ]);
    completed(await executor.execute(call("t", { n: 1 })));
    expect(got).toEqual([{ n: 1 }]);
  });

  test("changes the arguments by returning others, and the next one sees them", async () => {
    const seen: unknown[] = [];
    const { executor, got } = withHooks([
      { beforeCall: ({ arguments: args }) => ({ arguments: { n: (args["n"] as number) + 1 } }) },
      { beforeCall: async ({ arguments: args }) => void seen.push(args) },
    ]);
    completed(await executor.execute(call("t", { n: 1 })));
    expect([seen, got]).toEqual([[{ n: 2 }], [{ n: 2 }]]);
  });

  test("blocks with its reason", async () => {
    const { executor, got } = withHooks([{ beforeCall: () => ({ block: "not on Sundays" }) }]);
    const { error } = failed(await executor.execute(call("t")));
    expect([error.code, error.audience, error.message]).toEqual([
      "permission_denied",
      "user",
      "t was blocked: not on Sundays",
    ]);
    expect(got).toEqual([]);
  });

  test.each<[string, Hook]>([
    [
      "throws",
      {
        beforeCall: () => {
          throw new Error("secret detail");
        },
      },
    ],
    ["rejects", { beforeCall: () => Promise.reject(new Error("secret detail")) }],
    [
      "has a filter that throws",
      {
        when: () => {
          throw new Error("secret detail");
        },
        beforeCall: () => {},
      },
    ],
  ])("TC21 that %s blocks, and keeps its reason from the model", async (_, hook) => {
    const { executor, got } = withHooks([hook]);
    const { error } = failed(await executor.execute(call("t")));
    expect([error.code, error.audience]).toEqual(["permission_denied", "host"]);
    expect(error.message).toBe("t was blocked because a check of the host failed.");
    expect((error.cause as Error).message).toBe("secret detail");
    expect(got).toEqual([]);
  });

  test.each<[string, unknown]>([
    ["a flag", true],
    ["a text", "block"],
    ["an object that says nothing", {}],
    ["arguments that are none", { arguments: null }],
    ["arguments that JSON cannot hold", { arguments: { n: 1n } }],
  ])("that answers with %s lets nothing through", async (_, answer) => {
    const { executor, got } = withHooks([{ beforeCall: () => answer as never }]);
    failed(await executor.execute(call("t")));
    expect(got).toEqual([]);
  });

  test("cannot write into what it sees: a change that nothing checked is an error of its own", async () => {
    for (const args of [{ n: 1 }, { list: [{ x: 1 }] }] as JsonObject[]) {
      const { executor, got } = withHooks([
        {
          beforeCall: (call) => {
            const args = call.arguments as { n?: unknown; list?: { x: number }[] };
            if (args.list?.[0] === undefined) args.n = "unchecked";
            else args.list[0].x = 2;
          },
        },
      ]);
      const { error } = failed(await executor.execute(call("t", args)));
      expect([error.code, error.audience]).toEqual(["permission_denied", "host"]);
      expect(error.cause).toBeInstanceOf(TypeError);
      expect(got).toEqual([]);
    }
  });

  test("keeps its own object: the tool gets a copy of the arguments that it returned", async () => {
    const mine = { n: 1, list: [1] };
    const executor = executorFor(
      tool(
        "t",
        (args) => void ((args as { list: number[] }).list.push(2), ((args as { n: number }).n = 5)),
      ),
      { hooks: [{ beforeCall: () => ({ arguments: mine }) }] },
    );
    completed(await executor.execute(call("t")));
    expect(mine).toEqual({ n: 1, list: [1] });
  });

  test("is told about the call", async () => {
    let seen: unknown;
    const { executor } = withHooks([{ beforeCall: (call) => void (seen = call) }]);
    await executor.execute(call("t", { n: 1 }, "c1"), { id: "r1", caller: { id: "ada" } });
    expect(seen).toEqual({
      callId: "c1",
      runId: "r1",
      spec: executor.toolset.get("t")?.spec,
      arguments: { n: 1 },
      caller: { id: "ada" },
    });
  });

  // Only the tool's own work has a time limit so far.
  test.fails("TC22 that never settles blocks after a time of its own", async () => {
    const clock = new FakeClock();
    const hooks = [{ beforeCall: () => new Promise<void>(() => {}) }];
    let ended = false;
    const outcome = executorFor(tool("t"), { hooks, clock }).execute(call("t"), { timeoutMs: 5 });
    void outcome.then(() => (ended = true));
    await clock.advance(24 * 60 * 60 * 1000);
    expect(ended).toBe(true);
  });

  test("that never settles ends with the run", async () => {
    const { executor, got } = withHooks([{ beforeCall: () => new Promise(() => {}) }]);
    const run = executor.startRun();
    const outcome = run.execute(call("t"));
    run.cancel();
    expect(codeOf(await outcome)).toBe("cancelled");
    expect(got).toEqual([]);
  });

  test("that answers after the run was cancelled is too late, and the next is not asked", async () => {
    let answer: () => void = () => {};
    const later: string[] = [];
    const { executor, got } = withHooks([
      { beforeCall: () => new Promise<void>((resolve) => (answer = resolve)) },
      { beforeCall: () => void later.push("asked") },
    ]);
    const run = executor.startRun();
    const outcome = run.execute(call("t"));
    run.cancel();
    answer();
    expect(codeOf(await outcome)).toBe("cancelled");
    await settled();
    expect([later, got]).toEqual([[], []]);
  });

  test("that cancels the run itself keeps the tool from starting", async () => {
    const { executor, got } = withHooks([{ beforeCall: () => run.cancel("enough") }]);
    const run = executor.startRun();
    const { error } = failed(await run.execute(call("t")));
    expect([error.code, error.message, got.length]).toEqual(["cancelled", "enough", 0]);
  });
});

describe("a hook after the call", () => {
  test("sees the output, amends it, and the next one sees that", async () => {
    const seen: unknown[] = [];
    const { executor } = withHooks(
      [
        { afterCall: (_, result) => (seen.push(result), undefined) },
        { afterCall: async () => ({ content: [text("amended")], value: { redacted: true } }) },
        { afterCall: (_, result) => void seen.push(result) },
      ],
      { secret: 1 },
    );
    const { result } = completed(await executor.execute(call("t")));
    expect(result.content).toEqual([text("amended")]);
    expect(result.value).toEqual({ redacted: true });
    expect(seen).toEqual([
      { content: [text('{"secret":1}')], value: { secret: 1 }, isError: false },
      { content: [text("amended")], value: { redacted: true }, isError: false },
    ]);
  });

  test("may make an error of an answer", async () => {
    const { executor } = withHooks([
      { afterCall: () => ({ content: [text("no")], isError: true }) },
    ]);
    const { result, error } = completed(await executor.execute(call("t")));
    expect([result.isError, error?.code, error?.message]).toEqual([true, "execution_failed", "no"]);
  });

  test("is not asked about a call that failed or was refused", async () => {
    let asked = 0;
    const executor = executorFor(
      tool("t", () => {
        throw new Error("no");
      }),
      { hooks: [{ afterCall: () => void (asked += 1) }] },
    );
    failed(await executor.execute(call("t")));
    failed(await executor.execute(call("unknown")));
    expect(asked).toBe(0);
  });

  // TC21 wants the result kept and an event; but what failed may have been a redaction, so fail closed.
  test("TC21 that throws fails the call: nothing unredacted gets through, and it is said that it ran", async () => {
    const { executor } = withHooks(
      [{ afterCall: () => Promise.reject(new Error("redaction failed")) }],
      "the secret",
    );
    const events = recorded(executor);
    const outcome = await executor.execute(call("t"));
    expect(codeOf(outcome)).toBe("internal");
    expect(textFor(outcome)).toBe(
      "t did run, but a check of the host failed on its answer: do not repeat the call before checking what it did.",
    );
    expect(JSON.stringify([outcome, events])).not.toContain("the secret");
    expect(typesOf(events).at(-1)).toBe("tool.failed");
  });

  test("that returns no output fails the call rather than losing it", async () => {
    const { executor } = withHooks([{ afterCall: () => ({}) as never }]);
    expect((await executor.execute(call("t"))).status).toBe("failed");
  });

  test("that is still at work when the run is cancelled is not waited for", async () => {
    let finish: () => void = () => {};
    const asked: string[] = [];
    const { executor } = withHooks([
      { afterCall: () => new Promise<void>((resolve) => (finish = resolve)) },
      { afterCall: () => void asked.push("second") },
    ]);
    const run = executor.startRun();
    const outcome = run.execute(call("t"));
    await settled();
    run.cancel();
    expect(codeOf(await outcome)).toBe("cancelled");
    finish();
    await settled();
    expect(asked).toEqual([]);
  });

  test("sees the arguments that the tool got, also when the tool has spoilt them", async () => {
    let seen: unknown;
    const executor = executorFor(
      tool("t", (args) => {
        const spoilt = args as Record<string, unknown>;
        spoilt["self"] = spoilt;
        spoilt["f"] = () => 1;
      }),
      { hooks: [{ afterCall: (call) => void (seen = call.arguments) }] },
    );
    completed(await executor.execute(call("t", { n: 1 })));
    expect(seen).toEqual({ n: 1, self: "[circular]" });
  });
});

describe("hooks", () => {
  test("run by priority, ascending, and by registration where it is the same", async () => {
    const order: string[] = [];
    const hook = (name: string, priority?: number): Hook => ({
      ...(priority === undefined ? {} : { priority }),
      beforeCall: () => void order.push(`before ${name}`),
      afterCall: () => void order.push(`after ${name}`),
    });
    const { executor } = withHooks([hook("late", 10), hook("a"), hook("early", -1), hook("b", 0)]);
    completed(await executor.execute(call("t")));
    expect(order).toEqual([
      ...["early", "a", "b", "late"].map((name) => `before ${name}`),
      ...["early", "a", "b", "late"].map((name) => `after ${name}`),
    ]);
  });

  test("are only for the calls that their filter names", async () => {
    const heard: string[] = [];
    const executor = executorFor([tool("a"), tool("b")], {
      hooks: [
        {
          when: ({ spec }) => spec.name === "a",
          beforeCall: ({ spec }) => void heard.push(`before ${spec.name}`),
          afterCall: ({ spec }) => void heard.push(`after ${spec.name}`),
        },
      ],
    });
    await executor.execute(call("a"));
    await executor.execute(call("b"));
    expect(heard).toEqual(["before a", "after a"]);
  });

  test("come before the approval, which sees their arguments", async () => {
    const executor = executorFor(tool("t", undefined, { needsApproval: true }), {
      hooks: [{ beforeCall: () => ({ arguments: { path: "/safe" } }) }],
    });
    const outcome = await executor.execute(call("t", { path: "/etc" }));
    expect(outcome).toMatchObject({
      status: "interrupted",
      interruption: { call: { arguments: { path: "/safe" } } },
    });
  });
});
