import { FakeClock, settled } from "@toolweave/test-support/fake-clock";
import { describe, expect, test } from "vitest";
import type { Tool, ToolContext, ToolOutcome } from "@toolweave/core";
import type { ToolScope } from "@toolweave/core/adapter";
import {
  call,
  executorFor,
  foreignTool,
  guarded,
  recorded,
  tool,
} from "../support/executor-for.ts";
import { completed, failed, getInterruption } from "../support/outcomes.ts";
import { TestSource } from "../support/test-source.ts";

/** A tool that uses only its scope. */
function outer(work: (scope: ToolScope, ctx: ToolContext) => unknown, name = "outer"): Tool {
  return tool(name, (_, ctx) => work(ctx.scope, ctx) as never);
}

function statuses(outcomes: readonly ToolOutcome[]): string[] {
  return outcomes.map(({ status }) => status);
}

describe("several calls that a tool makes", () => {
  test("are all admitted before any starts, and answered in call order", async () => {
    let outcomes: readonly ToolOutcome[] = [];
    const executor = executorFor([
      outer(async (scope) => {
        outcomes = await scope.executeAll([
          call("slow"),
          call("missing"),
          call("pay"),
          call("fast"),
        ]);
        return "done";
      }),
      tool("slow", async () => void (await Promise.resolve())),
      tool("fast"),
      guarded(),
    ]);
    const events = recorded(executor);
    completed(await executor.execute(call("outer")));
    expect(statuses(outcomes)).toEqual(["completed", "failed", "interrupted", "completed"]);
    const nested = events.filter((event) => "parentCallId" in event);
    const types = nested.map(({ type }) => type);
    expect(types.lastIndexOf("tool.requested")).toBeLessThan(types.indexOf("tool.started"));
    expect(getInterruption(outcomes[2]).parentCallId).toBe("outer");
  });

  test("run one after another if the tool sets that, and are steered in between", async () => {
    const order: string[] = [];
    let outcomes: readonly ToolOutcome[] = [];
    const executor = executorFor([
      outer(async (scope) => {
        outcomes = await scope.executeAll([call("a"), call("b"), call("c")], {
          strategy: "sequential",
          stopWhen: ({ finished }) => (finished.length === 2 ? "enough" : undefined),
        });
        return "done";
      }),
      ...["a", "b", "c"].map((name) => tool(name, () => void order.push(name))),
    ]);
    await executor.execute(call("outer"));
    expect(order).toEqual(["a", "b"]);
    expect(failed(outcomes[2]).error.code).toBe("skipped");
  });

  test("are narrowed together, and end with the tool's own signal", async () => {
    const controller = new AbortController();
    let outcomes: readonly ToolOutcome[] = [];
    const executor = executorFor([
      outer(async (scope) => {
        const toolset = scope.toolset.select({ exclude: ["hidden"] });
        const narrow = { rules: [{ effect: "deny" as const, tools: "denied" }] };
        const options = { toolset, narrow, signal: controller.signal };
        outcomes = await scope.executeAll([call("hidden"), call("denied"), call("hangs")], options);
        return "done";
      }),
      tool("hidden"),
      tool("denied"),
      tool("hangs", () => new Promise(() => {})),
    ]);
    const running = executor.execute(call("outer"));
    await settled();
    controller.abort();
    completed(await running);
    expect(outcomes.map((outcome) => failed(outcome).error.code)).toEqual([
      "not_advertised",
      "permission_denied",
      "cancelled",
    ]);
  });

  test("do not wait for the slot that their tool holds", async () => {
    const executor = executorFor(
      [
        outer(async (scope) => statuses(await scope.executeAll([call("a"), call("b")]))),
        tool("a", () => Promise.resolve("a")),
        tool("b", () => Promise.resolve("b")),
      ],
      { limits: { concurrency: { max: 1 } } },
    );
    const { result } = completed(await executor.execute(call("outer")));
    expect(result.value).toEqual(["completed", "completed"]);
  });

  test("are refused if an option is invalid, before any of them runs", async () => {
    const ran: string[] = [];
    const executor = executorFor([
      outer((scope) => scope.executeAll([call("a")], { strategy: "all" as never })),
      outer((scope) => scope.executeAll([call("a")], { narrow: "none" as never }), "other"),
      tool("a", () => void ran.push("a")),
    ]);
    expect(failed(await executor.execute(call("outer"))).error.code).toBe("invalid_configuration");
    expect(failed(await executor.execute(call("other"))).error.code).toBe("invalid_configuration");
    expect(ran).toEqual([]);
  });

  test("are refused once their tool has ended", async () => {
    let scope: ToolScope | undefined;
    const executor = executorFor([outer((own) => void (scope = own)), tool("a")]);
    await executor.execute(call("outer"));
    const outcomes = await scope?.executeAll([call("a")]);
    expect(failed(outcomes?.[0]).error.code).toBe("cancelled");
  });
});

describe("a value that a tool leaves for its nested calls", () => {
  const key = Symbol("key");

  test("reaches them through any tool in between, and no other call", async () => {
    const found: unknown[] = [];
    const executor = executorFor([
      outer(async (scope) => {
        await scope.execute(call("between"), { inherit: new Map([[key, "left"]]) });
        await scope.executeAll([call("probe")], { inherit: new Map([[key, "again"]]) });
        await scope.execute(call("probe"));
        return "done";
      }),
      outer(async (scope) => (await scope.execute(call("probe"))).status, "between"),
      tool("probe", (_, { scope }) => void found.push(scope.inheritedContext.get(key))),
    ]);
    await executor.execute(call("outer"));
    const run = executor.startRun({ inheritedContext: new Map([[key, "host"]]) });
    await run.execute(call("outer"));
    expect(found).toEqual(["left", "again", undefined, "left", "again", "host"]);
  });

  test("is set again for a resumed call", async () => {
    const found: unknown[] = [];
    const executor = executorFor([
      tool("outer", async (_, { scope, resumed }) => {
        const inherit = new Map([[key, resumed === undefined ? "first" : "second"]]);
        const outcome =
          resumed === undefined
            ? await scope.execute(call("probe"), { inherit })
            : await scope.resume(resumed.state as never, { inherit });
        if (outcome.status !== "interrupted") return outcome.status;
        const { suspend } = await import("@toolweave/core");
        return suspend(outcome.interruption.requests, outcome.interruption as never);
      }),
      tool("probe", (_, { scope }) => void found.push(scope.inheritedContext.get(key)), {
        needsApproval: true,
      }),
    ]);
    const interruption = getInterruption(await executor.execute(call("outer")));
    completed(await executor.resume(interruption, [{ type: "approve" }]));
    expect(found).toEqual(["second"]);
  });
});

describe("a tool that delegates", () => {
  const names: string[][] = [];
  const look = (scope: ToolScope): string => {
    names.push([...scope.toolset.callableNames()]);
    return "looked";
  };
  const delegating: Tool = { ...outer(look, "delegating"), delegates: true };
  const tools = [
    delegating,
    outer(look, "plain"),
    outer(async (scope) => {
      const toolset = scope.toolset.select({ include: ["delegating", "plain"] });
      await scope.executeAll([call("plain"), call("delegating")], { toolset });
      return "done";
    }),
    tool("a"),
  ];

  test("may call the tools that its caller may call, and not only those of its narrowed call", async () => {
    await executorFor(tools).execute(call("outer"));
    expect(names.splice(0)).toEqual([
      ["delegating", "plain"],
      ["a", "delegating", "outer", "plain"],
    ]);
  });

  test("stays within the toolset of its run, unless the host leaves that to the policy", async () => {
    const executor = executorFor(tools, {
      policy: ["supervised", { rules: [{ effect: "deny", tools: "plain" }] }],
    });
    const toolset = executor.toolset.select({ include: ["delegating"] });
    await executor.startRun({ toolset }).execute(call("delegating"));
    await executor.startRun({ toolset, delegateScope: "policy" }).execute(call("delegating"));
    expect(names.splice(0)).toEqual([["delegating"], ["a", "delegating", "outer"]]);
  });

  test("is accepted only from a trusted source", async () => {
    const untrusted: Tool = {
      ...foreignTool("foreign", { invoke: (_, { scope }) => look(scope) }),
      delegates: true,
    };
    const executor = executorFor([new TestSource("s", [untrusted]), tool("a")], {
      policy: "autonomous",
    });
    const toolset = executor.toolset.select({ include: ["foreign"] });
    await executor.startRun({ toolset, delegateScope: "policy" }).execute(call("foreign"));
    expect(names.splice(0)).toEqual([["foreign"]]);
  });
});

test("a tool can read artifacts that were stored after it began", async () => {
  const executor = executorFor([
    outer(async (scope) => {
      const before = scope.toolset.get("read_artifact");
      await scope.execute(call("long"));
      return [before === undefined, scope.toolset.get("read_artifact") !== undefined];
    }),
    tool("long", () => "x".repeat(100_000)),
  ]);
  expect(completed(await executor.execute(call("outer"))).result.value).toEqual([true, true]);
});

test("a tool uses the clock of its executor", async () => {
  const clock = new FakeClock();
  const executor = executorFor([outer((scope) => scope.clock === clock)], { clock });
  expect(completed(await executor.execute(call("outer"))).result.value).toBe(true);
  expect(executor.clock).toBe(clock);
});
