import { settled } from "@toolweave/test-support/fake-clock";
import { describe, expect, test } from "vitest";
import { type Hook, type JsonObject } from "@toolweave/core";
import { call, executorFor, foreignTool, tool } from "../support/executor-for.ts";
import { readCode, completed, failed } from "../support/outcomes.ts";
import { TestSource } from "../support/test-source.ts";

/** An executor with hooks whose tool records its arguments. */
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

/** An object within an object, at the given depth. */
function deep(levels: number): JsonObject {
  let value: JsonObject = {};
  for (let level = 0; level < levels; level++) value = { value };
  return value;
}

describe("a hook before the call", () => {
  test("passes the call on by returning undefined", async () => {
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
    ["undefined under a wrong name", null],
    ["an object without a decision", {}],
    ["an output", { content: [] }],
    ["a block without a reason", { block: true }],
    ["a block with an empty reason", { block: undefined, arguments: { n: 1 } }],
    [
      "an unreadable value",
      {
        get block(): never {
          throw new Error("no");
        },
      },
    ],
  ])("F4.11 that answers with %s blocks: an unknown answer fails closed", async (_, answer) => {
    for (const beforeCall of [() => answer as never, async () => answer as never]) {
      const { executor, got } = withHooks([{ beforeCall }]);
      const { error } = failed(await executor.execute(call("t")));
      expect([error.code, error.audience, error.message]).toEqual([
        "permission_denied",
        "host",
        "t was blocked because a check of the host failed.",
      ]);
      expect(got).toEqual([]);
    }
  });

  test("receives the allowed answers in the error's cause", async () => {
    const { executor } = withHooks([{ beforeCall: () => true as never }]);
    const { error } = failed(await executor.execute(call("t")));
    expect((error.cause as Error).message).toBe(
      'beforeCall answered with neither of these: nothing, to pass; { arguments: {…} }, to change them; { block: "reason" }.',
    );
  });

  test.each<[string, unknown]>([
    ["that are not an object", null],
    ["that JSON cannot hold", { n: () => 1 }],
    ["that the schema refuses", { n: "one" }],
    ["that nest without end", deep(300)],
  ])(
    "that replaces the arguments by ones %s fails the call as the host's defect",
    async (_, args) => {
      for (const beforeCall of [
        () => ({ arguments: args as never }),
        async () => ({ arguments: args as never }),
      ]) {
        const { executor, got } = withHooks([{ beforeCall }]);
        const { error } = failed(await executor.execute(call("t", { n: 1 })));
        expect([error.code, error.audience, error.message]).toEqual([
          "internal",
          "host",
          "t was not run: the host changed its arguments to ones that are not valid.",
        ]);
        expect(error.cause).toMatchObject({ code: "invalid_arguments" });
        expect(got).toEqual([]);
      }
    },
  );

  test("has its changes checked by the tool's own check, too", async () => {
    const source = new TestSource("s", [
      foreignTool("t", {
        validate: async ({ n }) => (n === 2 ? [{ path: "/n", message: "is taken" }] : undefined),
      }),
    ]);
    const executor = executorFor(source, {
      policy: "autonomous",
      hooks: [{ beforeCall: () => ({ arguments: { n: 2 } }) }],
    });
    expect(readCode(await executor.execute(call("t", { n: 1 })))).toBe("internal");
  });

  test("cannot mislead the next one: its view of the call is frozen", async () => {
    const seen: unknown[] = [];
    const { executor, got } = withHooks([
      { beforeCall: (call) => void ((call as { callId: string }).callId = "another") },
      { beforeCall: ({ callId }) => void seen.push(callId) },
    ]);
    expect(readCode(await executor.execute(call("t")))).toBe("permission_denied");
    expect([seen, got]).toEqual([[], []]);
  });

  test("cannot write into its view of the call: an unchecked change is an error", async () => {
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

  test("keeps its own object: the tool receives a copy of the returned arguments", async () => {
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

  test("receives the context of the call", async () => {
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

  test("that never settles ends with the run", async () => {
    const { executor, got } = withHooks([{ beforeCall: () => new Promise(() => {}) }]);
    const run = executor.startRun();
    const outcome = run.execute(call("t"));
    run.cancel();
    expect(readCode(await outcome)).toBe("cancelled");
    expect(got).toEqual([]);
  });

  test("that answers after the run was cancelled is too late, and the next is not called", async () => {
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
    expect(readCode(await outcome)).toBe("cancelled");
    await settled();
    expect([later, got]).toEqual([[], []]);
  });

  test("that cancels the run itself prevents the tool from starting", async () => {
    const { executor, got } = withHooks([{ beforeCall: () => run.cancel("enough") }]);
    const run = executor.startRun();
    const { error } = failed(await run.execute(call("t")));
    expect([error.code, error.message, got.length]).toEqual(["cancelled", "enough", 0]);
  });
});

describe("hooks", () => {
  test("run by priority, ascending, and by registration if it is the same", async () => {
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

  test("run only for the calls that their filter matches", async () => {
    const received: string[] = [];
    const executor = executorFor([tool("a"), tool("b")], {
      hooks: [
        {
          when: ({ spec }) => spec.name === "a",
          beforeCall: ({ spec }) => void received.push(`before ${spec.name}`),
          afterCall: ({ spec }) => void received.push(`after ${spec.name}`),
        },
      ],
    });
    await executor.execute(call("a"));
    await executor.execute(call("b"));
    expect(received).toEqual(["before a", "after a"]);
  });

  test("run before the approval, which has their arguments", async () => {
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
