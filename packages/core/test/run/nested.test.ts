import { settled } from "@toolweave/test-support/fake-clock";
import { describe, expect, test } from "vitest";
import type { Tool, ToolCall, ToolOutcome } from "@toolweave/core";
import type { ToolScope } from "@toolweave/core/adapter";
import {
  call,
  executorFor,
  foreignTool,
  guarded,
  recorded,
  tool,
} from "../support/executor-for.ts";
import { readCode, completed, failed, getInterruption } from "../support/outcomes.ts";
import { TestSource } from "../support/test-source.ts";

type Nested = Parameters<ToolScope["execute"]>[1];

/** A tool that makes a nested call and stores the outcome. */
function outer(
  inner: ToolCall,
  options?: Nested,
): { tool: Tool; outcome: () => ToolOutcome | undefined } {
  let outcome: ToolOutcome | undefined;
  return {
    tool: tool("outer", async (_, { scope }) => {
      outcome = await scope.execute(inner, options);
      return outcome.status;
    }),
    outcome: () => outcome,
  };
}

describe("AP12 a nested call", () => {
  test("is validated, hooked and authorized like any other", async () => {
    const hooked: string[] = [];
    const { tool: invalid, outcome } = outer(call("inner", { n: "x" }));
    const executor = executorFor(
      [
        invalid,
        tool("inner", () => 1, {
          input: { type: "object", properties: { n: { type: "number" } } },
        }),
      ],
      { hooks: [{ beforeCall: ({ spec }) => void hooked.push(spec.name) }] },
    );
    completed(await executor.execute(call("outer")));
    expect(readCode(outcome())).toBe("invalid_arguments");
    expect(hooked).toEqual(["outer"]);
  });

  test("needs the approval that it would need otherwise", async () => {
    const { tool: asking, outcome } = outer(call("pay"));
    const executor = executorFor([asking, tool("pay", undefined, { needsApproval: true })]);
    completed(await executor.execute(call("outer")));
    expect(getInterruption(outcome()).requests).toMatchObject([{ permission: { target: "pay" } }]);
  });

  test("that cannot be read fails as any other, and throws nothing at its tool", async () => {
    const unreadable = {
      ...call("inner"),
      get id(): string {
        throw new Error("no");
      },
    };
    const { tool: nesting, outcome } = outer(unreadable);
    completed(await executorFor([nesting, tool("inner")]).execute(call("outer")));
    expect(readCode(outcome())).toBe("not_found");
  });

  test("is displayed to a person unchanged, whatever its tool would display", async () => {
    const sly = { ...call("pay", { n: 5000 }), toJSON: () => call("pay", { n: 1 }) };
    const { tool: nesting, outcome } = outer(sly);
    completed(await executorFor([nesting, guarded()]).execute(call("outer")));
    expect(outcome()).toMatchObject({ interruption: { call: { arguments: { n: 5000 } } } });
  });

  test("counts against the same limits", async () => {
    const { tool: nesting, outcome } = outer(call("inner"));
    const run = executorFor([nesting, tool("inner")]).startRun({ limits: { calls: 1 } });
    completed(await run.execute(call("outer")));
    expect(readCode(outcome())).toBe("limit_exceeded");
  });

  test("has the same run, caller and injected values, and its own id", async () => {
    let seen: unknown;
    const { tool: nesting } = outer(call("inner", {}, "i"));
    const executor = executorFor([
      nesting,
      tool(
        "inner",
        (_, { runId, callId, caller, injected }) =>
          void (seen = { runId, callId, caller, injected }),
      ),
    ]);
    await executor.execute(call("outer", {}, "o"), {
      id: "r",
      caller: { id: "ada" },
      injected: { x: 1 },
    });
    expect(seen).toEqual({ runId: "r", callId: "i", caller: { id: "ada" }, injected: { x: 1 } });
  });

  test("may only use tools that were advertised to its caller", async () => {
    const { tool: nesting, outcome } = outer(call("secret"));
    const executor = executorFor([nesting, tool("secret")]);
    const toolset = executor.toolset.select({ include: ["outer"] });
    completed(await executor.startRun({ toolset }).execute(call("outer")));
    expect(readCode(outcome())).toBe("not_advertised");
  });
});

describe("narrowing", () => {
  test("a policy removes tools, and never adds any", async () => {
    const { tool: strict, outcome } = outer(call("write"), { narrow: "readOnly" });
    const executor = executorFor([strict, tool("write")], { policy: "autonomous" });
    completed(await executor.execute(call("outer")));
    const { error } = failed(outcome());
    expect([error.code, error.message]).toEqual([
      "permission_denied",
      "write is not permitted (readOnly: only tools that change nothing run). Do not try it again; say what you need instead.",
    ]);
    const { tool: wide, outcome: second } = outer(call("ask"), { narrow: "autonomous" });
    const supervised = executorFor([wide, tool("ask", undefined, { needsApproval: true })]);
    completed(await supervised.execute(call("outer")));
    expect(second()?.status).toBe("interrupted");
  });

  test("a policy applies to all nested calls", async () => {
    let deepest: ToolOutcome | undefined;
    const reads = { annotations: { readOnlyHint: true } };
    const executor = executorFor(
      [
        tool(
          "top",
          async (_, { scope }) =>
            (await scope.execute(call("middle"), { narrow: "readOnly" })).status,
          reads,
        ),
        tool(
          "middle",
          async (_, { scope }) => void (deepest = await scope.execute(call("write"))),
          reads,
        ),
        tool("write"),
      ],
      { policy: "autonomous" },
    );
    completed(await executor.execute(call("top")));
    expect(readCode(deepest)).toBe("permission_denied");
  });

  test("a toolset removes tools, and never adds one that the caller does not have", async () => {
    const executor = executorFor([
      tool("top", async (_, { scope }) => {
        const toolset = executor.toolset.select({ include: ["a", "secret"] });
        const outcomes = await Promise.all(
          ["a", "b", "secret"].map((name) => scope.execute(call(name), { toolset })),
        );
        return outcomes.map(({ status }) => status);
      }),
      ...["a", "b", "secret"].map((name) => tool(name)),
    ]);
    const toolset = executor.toolset.select({ exclude: ["secret"] });
    const outcome = await executor.startRun({ toolset }).execute(call("top"));
    expect(completed(outcome).result.value).toEqual(["completed", "failed", "failed"]);
  });

  test("a toolset that was taken after the registry changed still names the tools that both have", async () => {
    const source = new TestSource("s", [foreignTool("other")]);
    const executor = executorFor([
      source,
      tool("top", async (_, { scope }) => {
        source.set(foreignTool("more"));
        return (
          await scope.execute(call("a"), { toolset: executor.toolset.select({ include: ["a"] }) })
        ).status;
      }),
      tool("a"),
    ]);
    const { result } = completed(await executor.execute(call("top")));
    expect(result.content).toEqual([{ type: "text", text: "completed" }]);
  });
});

describe("a tool that calls itself", () => {
  test("ends", async () => {
    let depth = 0;
    const codes: string[] = [];
    const executor = executorFor(
      tool("again", async (_, { scope }) => {
        depth += 1;
        const outcome = await scope.execute(call("again"));
        if (outcome.status === "failed")
          codes.push(`${outcome.error.code}: ${outcome.error.message}`);
        return outcome.status;
      }),
    );
    completed(await executor.execute(call("again")));
    expect([depth, codes]).toEqual([17, ["limit_exceeded: Calls nest deeper than 16 levels."]]);
  });
});

describe("the end of a call", () => {
  test("by cancellation ends its nested calls, and its signal fires", async () => {
    let reason: unknown;
    const executor = executorFor([
      tool("top", async (_, { scope }) => (await scope.execute(call("inner"))).status),
      tool("inner", (_, { signal }) => {
        signal.addEventListener("abort", () => (reason = signal.reason));
        return new Promise(() => {});
      }),
    ]);
    const events = recorded(executor);
    const controller = new AbortController();
    const outcome = executor.execute(call("top"), { signal: controller.signal });
    await settled();
    controller.abort();
    expect(readCode(await outcome)).toBe("cancelled");
    await settled();
    expect(reason).toMatchObject({ code: "cancelled" });
    expect(events.filter(({ type }) => type === "tool.failed")).toHaveLength(2);
  });

  test("before a nested call starts prevents that start", async () => {
    let scope: ToolScope | undefined;
    let inner: ToolOutcome | undefined;
    const executor = executorFor([
      tool("top", async (_, ctx) => {
        ({ scope } = ctx);
        ctx.signal.addEventListener(
          "abort",
          async () => (inner = await ctx.scope.execute(call("inner"))),
        );
        await new Promise(() => {});
      }),
      tool("inner"),
    ]);
    const run = executor.startRun();
    const outcome = run.execute(call("top"));
    await settled();
    run.cancel();
    expect(readCode(await outcome)).toBe("cancelled");
    await settled();
    expect(readCode(inner)).toBe("cancelled");
    expect(failed(await scope?.execute(call("inner"))).error.message).toBe(
      "The tool that made this call has already ended.",
    );
  });
});
