import { FakeClock, settled } from "@toolweave/test-support/fake-clock";
import { describe, expect, test } from "vitest";
import type { ExecutorOptions, JsonObject, Repair, RepairRequest } from "@toolweave/core";
import type { ValidationProblem } from "@toolweave/core/adapter";
import {
  call,
  executorFor,
  foreignTool,
  recorded,
  tool,
  listTypes,
} from "../support/executor-for.ts";
import { readCode, completed, failed, getInterruption } from "../support/outcomes.ts";
import { TestSource } from "../support/test-source.ts";

const input = {
  type: "object",
  properties: { n: { type: "number" } },
  required: ["n"],
} as const;

/** An executor that repairs, whose tool records its arguments. */
function repairing(repair: Repair, options: Omit<ExecutorOptions, "registry" | "repair"> = {}) {
  const got: JsonObject[] = [];
  const executor = executorFor(
    tool("t", (args) => void got.push(args), {
      input,
      injected: [{ name: "user", required: false }],
    }),
    { ...options, repair },
  );
  return { executor, got };
}

describe("a repair function", () => {
  test("is called for arguments that are not JSON, or not valid, and its answer is used", async () => {
    const asked: RepairRequest[] = [];
    for (const answer of [{ n: 1 }, '{"n":1}', Promise.resolve({ n: 1 })]) {
      const { executor, got } = repairing((request) => (asked.push(request), answer));
      const events = recorded(executor);
      completed(await executor.execute(call("t", "{n: 1}", "c1")));
      completed(await executor.execute(call("t", { n: "one" }, "c2")));
      expect(got).toEqual([{ n: 1 }, { n: 1 }]);
      expect(listTypes(events)[0]).toBe("tool.requested");
    }
    expect(asked[0]).toMatchObject({
      callId: "c1",
      spec: { name: "t" },
      arguments: "{n: 1}",
      error: { code: "invalid_arguments" },
    });
    expect(asked[0]?.error.message).toContain("not valid JSON");
    expect(asked[1]).toMatchObject({ callId: "c2", arguments: { n: "one" } });
    expect(asked[1]?.error.message).toContain('n must be number (sent: "one")');
  });

  test("is not called for valid arguments, nor for a tool that does not exist", async () => {
    let asked = 0;
    const { executor } = repairing(() => void (asked += 1) as undefined);
    completed(await executor.execute(call("t", { n: 1 })));
    expect(readCode(await executor.execute(call("unknown", "{")))).toBe("not_found");
    expect(asked).toBe(0);
  });

  test("is called only if unwrapping has not helped", async () => {
    let asked = 0;
    const { executor, got } = repairing(() => ((asked += 1), { n: 2 }), {
      normaliseArguments: true,
    });
    completed(await executor.execute(call("t", { arguments: { n: 1 } })));
    expect(asked).toBe(0);
    completed(await executor.execute(call("t", { arguments: { n: "one" } })));
    expect([asked, got]).toEqual([1, [{ n: 1 }, { n: 2 }]]);
  });

  test.each<[string, unknown]>([
    ["nothing", undefined],
    ["arguments that are not valid either", { n: "two" }],
    ["a text that is not JSON", "{"],
    ["a text with a surplus bracket", JSON.stringify('{"n":1}')],
    ["a flag", true],
    ["null", null],
    ["a value that JSON cannot hold", { n: () => 1 }],
    ["arguments that are wrapped", { arguments: { n: 1 } }],
  ])(
    "that answers with %s leaves the model its own error, and is not called again",
    async (_, answer) => {
      let asked = 0;
      const { executor, got } = repairing(() => ((asked += 1), answer as JsonObject), {
        normaliseArguments: true,
      });
      const { error } = failed(await executor.execute(call("t", { n: "one" })));
      expect([error.code, error.audience, asked, got]).toEqual([
        "invalid_arguments",
        "model",
        1,
        [],
      ]);
      expect(error.message).toContain('n must be number (sent: "one")');
      expect(error.message).not.toContain("two");
    },
  );

  test.each<[string, Repair]>([
    [
      "throws",
      () => {
        throw new Error("secret detail");
      },
    ],
    ["rejects", () => Promise.reject(new Error("secret detail"))],
  ])(
    "that %s leaves the model its own error; the cause has the reason for the host",
    async (_, repair) => {
      const { executor, got } = repairing(repair);
      for (const sent of ["{", { n: "one" }]) {
        const { error } = failed(await executor.execute(call("t", sent)));
        expect(error.code).toBe("invalid_arguments");
        expect(error.message).not.toContain("secret");
        expect((error.cause as Error).message).toBe("secret detail");
      }
      expect(got).toEqual([]);
    },
  );

  test("TC22 that never answers is awaited as long as a hook", async () => {
    const clock = new FakeClock();
    const { executor } = repairing(() => new Promise(() => {}), { clock, hookTimeoutMs: 400 });
    const start = clock.now();
    const outcome = executor.execute(call("t", { n: "one" }));
    await clock.advance(1000);
    const { error, result } = failed(await outcome);
    expect([error.code, result.timestamp - start]).toEqual(["invalid_arguments", 400]);
    expect(error.cause).toMatchObject({ code: "timeout" });
    expect(clock.timers).toBe(0);
  });

  test("whose call is cancelled meanwhile is not awaited, and starts nothing when it answers", async () => {
    let answer: (value: JsonObject) => void = () => {};
    const { executor, got } = repairing(() => new Promise((resolve) => (answer = resolve)));
    const run = executor.startRun();
    const outcome = run.execute(call("t", "{"));
    await settled();
    run.cancel();
    expect(readCode(await outcome)).toBe("cancelled");
    answer({ n: 1 });
    await settled();
    expect(got).toEqual([]);
  });

  test("AR06 cannot supply injected values: their names are stripped and recorded", async () => {
    const { executor, got } = repairing(() => ({ n: 1, user: "root" }));
    const events = recorded(executor);
    completed(await executor.execute(call("t", "{")));
    expect(got).toEqual([{ n: 1 }]);
    expect(events.find(({ type }) => type === "tool.started")).toMatchObject({
      discarded: ["user"],
    });
  });

  test("cannot change the sent arguments, and keeps its own object", async () => {
    const sent = { n: "one", list: [1] };
    const mine = { n: 1, list: [2] };
    const executor = executorFor(
      tool("t", (args) => void (args as { list: number[] }).list.push(3), { input }),
      {
        repair: ({ arguments: args }) => {
          expect(() => ((args as { n: unknown }).n = 2)).toThrow(TypeError);
          return mine;
        },
      },
    );
    completed(await executor.execute(call("t", sent)));
    expect([sent, mine]).toEqual([
      { n: "one", list: [1] },
      { n: 1, list: [2] },
    ]);
  });

  test("runs before hooks and approval, which see the repaired arguments", async () => {
    const hooked: unknown[] = [];
    const got: unknown[] = [];
    let asked = 0;
    const executor = executorFor(
      tool("t", (args) => void got.push(args), { input, needsApproval: true }),
      {
        repair: () => ((asked += 1), { n: 1 }),
        hooks: [{ beforeCall: ({ arguments: args }) => void hooked.push(args) }],
      },
    );
    const interruption = getInterruption(await executor.execute(call("t", "{")));
    expect(interruption.call.arguments).toEqual({ n: 1 });
    completed(await executor.resume(interruption, [{ type: "approve" }]));
    expect([hooked, got, asked]).toEqual([[{ n: 1 }, { n: 1 }], [{ n: 1 }], 1]);
  });

  test("is not called again, whatever the tool's own check decides about its answer later", async () => {
    let checks = 0;
    let asked = 0;
    const source = new TestSource("s", [
      foreignTool("t", {
        validate: () => ((checks += 1) === 1 ? undefined : [{ path: "/n", message: "is taken" }]),
      }),
    ]);
    const executor = executorFor(source, {
      policy: "autonomous",
      repair: () => ((asked += 1), { n: 1 }),
    });
    expect(readCode(await executor.execute(call("t", "{")))).toBe("invalid_arguments");
    expect(asked).toBe(1);
  });

  test("is not called for arguments that a person has approved, even if they become invalid", async () => {
    let taken = false;
    let asked = 0;
    const source = new TestSource("s", [
      foreignTool("t", {
        validate: () => (taken ? [{ path: "/n", message: "is taken" }] : undefined),
      }),
    ]);
    const executor = executorFor(source, { repair: () => ((asked += 1), { n: 2 }) });
    const interruption = getInterruption(await executor.execute(call("t", { n: 1 })));
    taken = true;
    const outcome = await executor.resume(interruption, [{ type: "approve" }]);
    expect([readCode(outcome), asked]).toEqual(["invalid_arguments", 0]);
  });

  test("is not called for a call that has ended meanwhile", async () => {
    let asked = 0;
    let found: (problems: readonly ValidationProblem[]) => void = () => {};
    const source = new TestSource("s", [
      foreignTool("t", { validate: () => new Promise((resolve) => (found = resolve)) }),
    ]);
    const executor = executorFor(source, {
      policy: "autonomous",
      onInvalidCall: "fail",
      repair: () => ((asked += 1), { n: 2 }),
    });
    const run = executor.startRun();
    const controller = new AbortController();
    const outcome = run.execute(call("t"), { signal: controller.signal });
    await settled();
    controller.abort();
    expect(readCode(await outcome)).toBe("cancelled");
    found([{ path: "/n", message: "is taken" }]);
    await settled();
    const next = run.execute(call("t"));
    await settled();
    found([]);
    expect([(await next).status, asked]).toEqual(["completed", 0]);
  });

  test("is not called for arguments that a hook has replaced", async () => {
    let asked = 0;
    const { executor } = repairing(() => ((asked += 1), { n: 1 }), {
      hooks: [{ beforeCall: () => ({ arguments: { n: "one" } }) }],
    });
    expect(readCode(await executor.execute(call("t", { n: 1 })))).toBe("internal");
    expect(asked).toBe(0);
  });

  test("that is not a function is refused when the executor is created", () => {
    expect(() => executorFor([], { repair: "please" as never })).toThrow(
      'repair is "please"; use a function.',
    );
  });
});

describe("onInvalidCall", () => {
  const both = [tool("t", undefined, { input }), tool("hang", () => new Promise(() => {}))];

  test("F0.9 fail: the call fails with the error, and the run is cancelled", async () => {
    for (const sent of ["{", { n: "one" }]) {
      const run = executorFor(both, { onInvalidCall: "fail" }).startRun();
      const underWay = run.execute(call("hang"));
      const invalid = await run.execute(call("t", sent, "c7"));
      expect(readCode(invalid)).toBe("invalid_arguments");
      for (const outcome of [await underWay, await run.execute(call("t", { n: 1 }))]) {
        const { error } = failed(outcome);
        expect([error.code, error.message]).toEqual([
          "cancelled",
          "The run was cancelled: the arguments of t (c7) were not valid.",
        ]);
      }
    }
  });

  test("return, the default: the run continues", async () => {
    for (const options of [{}, { onInvalidCall: "return" as const }]) {
      const run = executorFor(both, options).startRun();
      expect(readCode(await run.execute(call("t", "{")))).toBe("invalid_arguments");
      completed(await run.execute(call("t", { n: 1 })));
    }
  });

  test("fail does not affect a run whose arguments could be repaired", async () => {
    const run = executorFor(both, {
      onInvalidCall: "fail",
      normaliseArguments: true,
      repair: ({ arguments: args }) => (args === "{" ? { n: 1 } : undefined),
    }).startRun();
    completed(await run.execute(call("t", { args: { n: 1 } })));
    completed(await run.execute(call("t", "{")));
    expect(readCode(await run.execute(call("t", "[")))).toBe("invalid_arguments");
    expect(readCode(await run.execute(call("t", { n: 1 })))).toBe("cancelled");
  });

  test("fail does not apply to a tool that does not exist", async () => {
    const run = executorFor(both, { onInvalidCall: "fail" }).startRun();
    expect(readCode(await run.execute(call("unknown")))).toBe("not_found");
    completed(await run.execute(call("t", { n: 1 })));
  });

  test("accepts no other word", () => {
    expect(() => executorFor([], { onInvalidCall: "stop" as never })).toThrow(
      'onInvalidCall is "stop"; use "return" or "fail".',
    );
  });
});
