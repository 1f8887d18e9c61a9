import { FakeClock } from "@toolweave/test-support/fake-clock";
import { describe, expect, test } from "vitest";
import {
  errorCodes,
  suspend,
  ToolError,
  ToolExecutor,
  ToolRegistry,
  type ErrorAudience,
  type ExecutorOptions,
  type RunOptions,
  type ToolErrorCode,
  type ToolOutcome,
} from "@toolweave/core";
import { memoryArtifacts, memoryPendingCalls } from "@toolweave/core/stores";
import { call, foreignTool, tool, validator } from "./support/executor-for.ts";
import { failed, getInterruption, textFor } from "./support/outcomes.ts";

type Produce = (
  execute: (
    name: string,
    args?: string,
    run?: RunOptions & { timeoutMs?: number },
  ) => Promise<ToolOutcome>,
  make: (options: Partial<ExecutorOptions>) => ToolExecutor,
) => Promise<ToolOutcome>;

const clock = new FakeClock();
const registry = new ToolRegistry([
  tool("ok"),
  tool("read", undefined, { annotations: { readOnlyHint: true } }),
  tool("typed", () => "text", {
    input: { type: "object", properties: { n: { type: "number" } } },
    output: { type: "number" },
  }),
  tool("ask", undefined, { needsApproval: true }),
  tool("slow", () => new Promise(() => {})),
  tool("throws", () => {
    throw new Error("disk full");
  }),
  tool(
    "stores",
    async (_, { artifacts }) => (await artifacts.write("x", { mediaType: "text/plain" })).key,
  ),
  tool("reads", async (_, { artifacts }) => (await artifacts.read("art_1")).text()),
  tool("needs", undefined, { injected: [{ name: "user", required: true }] }),
  tool("broken", () => suspend([], null)),
  foreignTool("away", { availability: { status: "unavailable", reason: "it is not connected" } }),
]);

/** Each code that core can produce by itself, and one way to produce it. */
const producers: Partial<Record<ToolErrorCode, Produce>> = {
  not_found: (execute) => execute("nothing"),
  rate_limited: async (_, make) => {
    const executor = make({ limits: { rates: [{ calls: 1, windowMs: 1000 }] } });
    await executor.execute(call("ok"));
    return executor.execute(call("ok", {}, "c1"));
  },
  skipped: async (_, make) => {
    const calls = [call("ok", {}, "c0"), call("ok", {}, "c1")];
    const run = make({}).startRun();
    const outcomes = await run.executeAll(calls, {
      strategy: "sequential",
      stopWhen: () => "That is enough.",
    });
    return outcomes[1] as ToolOutcome;
  },
  outcome_unknown: async (_, make) => {
    const claimed = Object.assign(memoryPendingCalls(clock), {
      claim: () => "unfinished" as const,
    });
    const executor = make({ pendingCalls: claimed });
    const interruption = getInterruption(await executor.execute(call("ask", {}, "c1")));
    return executor.resume(interruption, [{ type: "approve" }]);
  },
  not_advertised: (_, make) => make({ policy: "readOnly" }).execute(call("ok")),
  invalid_arguments: (execute) => execute("typed", '{"n":"x"}'),
  invalid_output: (execute) => execute("typed"),
  permission_denied: (_, make) => make({ onAsk: "deny" }).execute(call("ask")),
  approval_rejected: async (_, make) => {
    const executor = make({});
    const interruption = getInterruption(await executor.execute(call("ask")));
    return executor.resume(interruption, [{ type: "reject" }]);
  },
  approval_invalid: async (_, make) => {
    const executor = make({});
    const interruption = getInterruption(await executor.execute(call("ask")));
    await executor.resume(interruption, [{ type: "approve" }]);
    return executor.resume(interruption, [{ type: "reject" }]);
  },
  limit_exceeded: (execute) => execute("ok", "{}", { limits: { calls: 0 } }),
  timeout: async (execute) => {
    const outcome = execute("slow", "{}", { timeoutMs: 5 });
    await clock.advance(5);
    return outcome;
  },
  cancelled: (execute) => execute("slow", "{}", { signal: AbortSignal.abort() }),
  unavailable: (_, make) => make({ policy: "autonomous" }).execute(call("away")),
  execution_failed: (execute) => execute("throws"),
  artifact_missing: (execute) => execute("reads"),
  store_unavailable: (_, make) => {
    const put = (): never => {
      throw new Error("disk full");
    };
    return make({ artifacts: Object.assign(memoryArtifacts(), { put }) }).execute(call("stores"));
  },
  invalid_configuration: (execute) => execute("needs"),
  internal: (execute) => execute("broken"),
};

/** The codes that core never produces by itself, and why. Only a tool can throw them. */
const noProducerYet: Partial<Record<ToolErrorCode, string>> = {
  auth_required: "credentials belong to the adapters; core passes on what they throw",
  upstream: "only an adapter has a remote service",
};

const audiences: readonly ErrorAudience[] = ["model", "user", "host"];

describe("the codes", () => {
  test("are each produced by a call in this test, or listed here with a reason", () => {
    const listed = [...Object.keys(producers), ...Object.keys(noProducerYet)].sort();
    expect(listed).toEqual(Object.keys(errorCodes).sort());
    for (const reason of Object.values(noProducerYet)) expect(reason.length).toBeGreaterThan(20);
  });

  test.each(Object.entries(producers) as [ToolErrorCode, Produce][])(
    "%s is the executor's answer, with its defaults and a text that a model may see",
    async (code, produce) => {
      const make = (options: Partial<ExecutorOptions>): ToolExecutor =>
        new ToolExecutor({ registry, clock, validator, ...options });
      const outcome = await produce(
        (name, args = "{}", options = {}) => make({}).execute(call(name, args, "c1"), options),
        make,
      );
      const { error, result } = failed(outcome);
      expect(error.code).toBe(code);
      expect(ToolError.is(error)).toBe(true);
      expect(audiences).toContain(error.audience);
      expect(error.retryable).toBe(errorCodes[code].retryable);
      expect([result.isError, result.content.length]).toEqual([true, 1]);
      const text = textFor(outcome);
      expect(text).toBe(error.message);
      // Complete sentences, or the end of an external text; short, without a stack or a path.
      expect(text).toMatch(/[.?)]$|: (disk full|it is not connected)$/);
      expect(text.length).toBeLessThan(400);
      expect(text).not.toMatch(/\n\s+at |node_modules|\/src\//);
    },
  );

  test.each(Object.keys(errorCodes) as ToolErrorCode[])(
    "%s may be thrown by a tool and is returned as it is",
    async (code) => {
      const error = new ToolError(code, "As the tool says.");
      const executor = new ToolExecutor({
        registry: new ToolRegistry([
          tool("t", () => {
            throw error;
          }),
        ]),
      });
      expect(failed(await executor.execute(call("t"))).error).toBe(error);
    },
  );
});

describe("a ToolError", () => {
  test("takes retryable and audience from its code, unless they are set", () => {
    for (const [code, defaults] of Object.entries(errorCodes) as [ToolErrorCode, object][]) {
      expect(new ToolError(code, "x")).toMatchObject(defaults);
    }
    const error = new ToolError("upstream", "x", { retryable: true, audience: "host" });
    expect([error.retryable, error.audience]).toEqual([true, "host"]);
  });

  test("is an error with a name, a stack and a cause, which its JSON does not contain", () => {
    const cause = new Error("password=hunter2");
    const error = new ToolError("upstream", "The service is down.", {
      cause,
      status: 503,
      body: { reason: "x" },
      retryAfterMs: 100,
    });
    expect(error).toBeInstanceOf(Error);
    expect([error.name, error.cause]).toEqual(["ToolError", cause]);
    expect(error.stack).toContain("ToolError: The service is down.");
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      code: "upstream",
      message: "The service is down.",
      retryable: false,
      audience: "model",
      status: 503,
      body: { reason: "x" },
      retryAfterMs: 100,
    });
    expect(new ToolError("invalid_configuration", "x").toJSON()).toEqual({
      code: "invalid_configuration",
      message: "x",
      retryable: false,
      audience: "host",
    });
    expect("cause" in new ToolError("invalid_configuration", "x")).toBe(false);
  });

  test("is recognized by its brand, also if another copy of the package created it", () => {
    expect(ToolError.is(new ToolError("invalid_configuration", "x"))).toBe(true);
    expect(ToolError.is({ [Symbol.for("toolweave.ToolError")]: true })).toBe(true);
    for (const other of [new Error("x"), null, undefined, "ToolError", { name: "ToolError" }]) {
      expect(ToolError.is(other)).toBe(false);
    }
  });
});
