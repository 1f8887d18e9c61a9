import { describe, expect, test } from "vitest";
import { ToolExecutor, ToolRegistry, ToolRun } from "@toolweave/core";
import { call, executorFor, foreignTool, tool } from "../support/executor-for.ts";
import { completed } from "../support/outcomes.ts";
import { TestSource } from "../support/test-source.ts";

describe("an executor", () => {
  test("needs only a registry", async () => {
    const registry = new ToolRegistry([
      tool("a", ({ n }) => n as number, { input: { type: "object" } }),
    ]);
    const executor = new ToolExecutor({ registry });
    expect(executor.registry).toBe(registry);
    expect(completed(await executor.execute(call("a", { n: 1 }))).result.value).toBe(1);
  });

  test("accepts no unknown policy", () => {
    expect(() => executorFor([], { policy: "yolo" as never })).toThrow(
      '"yolo" is no policy: use readOnly, supervised, autonomous or strict.',
    );
  });

  test("advertises the tools that the policy may allow, the same object while nothing changes", () => {
    const source = new TestSource("s", [foreignTool("x")]);
    const executor = executorFor([source, tool("mine")], { policy: "strict" });
    expect([...executor.toolset.names()]).toEqual([]);
    expect(executor.toolset).toBe(executor.toolset);
    const supervised = executorFor([new TestSource("s", [foreignTool("x")]), tool("mine")]);
    const before = supervised.toolset;
    expect([...before.names()]).toEqual(["mine", "x"]);
    supervised.registry.add(tool("more"));
    expect([...supervised.toolset.names()]).toEqual(["mine", "more", "x"]);
    expect([...before.names()]).toEqual(["mine", "x"]);
  });
});

describe("a run", () => {
  test("has the given id, or a new one", () => {
    const executor = executorFor([]);
    expect(executor.startRun({ id: "mine" }).id).toBe("mine");
    const run = executor.startRun();
    expect(run).toBeInstanceOf(ToolRun);
    expect(run.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(run.id).toBe(run.id);
    expect(run.id).not.toBe(executor.startRun().id);
  });

  test("has turns, each with the current tools or the given ones", () => {
    const executor = executorFor([tool("a"), tool("b")]);
    const run = executor.startRun({ id: "r" });
    expect(run.turnId).toBe(undefined);
    expect(run.nextTurn().turnId).toBe("r:1");
    executor.registry.add(tool("c"));
    expect([...run.nextTurn().toolset.names()]).toEqual(["a", "b", "c"]);
    expect([...run.nextTurn(executor.toolset.select({ include: ["c"] })).toolset.names()]).toEqual([
      "c",
    ]);
    expect([run.nextTurn().toolset.size, run.turnId]).toEqual([1, "r:4"]);
  });

  test("has the given caller", () => {
    const caller = { id: "ada", roles: ["admin"], agent: "planner" };
    const run = executorFor([]).startRun({
      caller,
      sessionId: "s",
      injected: 1,
      limits: { calls: 3 },
    });
    expect([run.caller, run.sessionId, run.injected, run.limits]).toEqual([
      caller,
      "s",
      1,
      { calls: 3 },
    ]);
  });
});
