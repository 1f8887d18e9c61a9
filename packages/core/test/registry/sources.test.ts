import { settled } from "@toolweave/test-support/fake-clock";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { ToolError, ToolRegistry, type Tool, type ToolSource } from "@toolweave/core";
import { ToolsetSnapshot } from "@toolweave/core/adapter";
import { call, executorFor, foreignTool, tool } from "../support/executor-for.ts";
import { readCode, completed, failed } from "../support/outcomes.ts";
import { TestSource } from "../support/test-source.ts";

describe("a source that is still loading", () => {
  test("delays `ready` and calls, and then its tools are present", async () => {
    const source = new TestSource("slow", [foreignTool("late")], { loading: true, trusted: true });
    source.set();
    const executor = executorFor([source, tool("mine")], { policy: "autonomous" });
    const outcome = executor.execute(call("late"));
    const admitted = executor.startRun().checkAdmission(call("late"));
    const all = executor.startRun().executeAll([call("late"), call("mine")]);
    expect(executor.registry.loading).toBe(true);
    source.load([foreignTool("late")]);
    expect(completed(await outcome).result.toolName).toBe("late");
    expect(await admitted).toBe(undefined);
    expect((await all).map(({ status }) => status)).toEqual(["completed", "completed"]);
    expect(executor.registry.loading).toBe(false);
  });

  test("does not prevent a call from being cancelled", async () => {
    const executor = executorFor(new TestSource("never", [], { loading: true }));
    const controller = new AbortController();
    const byCall = executor.startRun().execute(call("a"), { signal: controller.signal });
    const run = executor.startRun();
    const byRun = run.execute(call("a"));
    const byBatch = run.executeAll([call("a")]);
    controller.abort();
    run.cancel();
    expect(readCode(await byCall)).toBe("cancelled");
    expect(readCode(await byRun)).toBe("cancelled");
    expect((await byBatch).map(readCode)).toEqual(["cancelled"]);
    expect(readCode(await run.execute(call("a")))).toBe("cancelled");
  });

  test("may add more tools later", async () => {
    const source = new TestSource("live", [foreignTool("a")], { loading: true });
    const registry = new ToolRegistry([source]);
    source.load();
    await registry.ready;
    source.set(foreignTool("a"), foreignTool("b"));
    expect(registry.size).toBe(2);
  });

  test("that is added while another loads is awaited, too", async () => {
    const [a, b] = [
      new TestSource("a", [], { loading: true }),
      new TestSource("b", [], { loading: true }),
    ];
    const registry = new ToolRegistry([a]);
    let ready = false;
    const waiting = registry.ready.then(() => (ready = true));
    registry.add(b);
    a.load([foreignTool("x")]);
    await settled();
    expect(ready).toBe(false);
    b.load([foreignTool("y")]);
    await waiting;
    expect(registry.size).toBe(2);
  });
});

describe("a source that never finishes loading", () => {
  test("delays the tools of the others for a second, and can take none of their names", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const hanging = new TestSource("hanging", [], { loading: true });
    const executor = executorFor([hanging, new TestSource("well", [foreignTool("mine")])], {
      policy: "autonomous",
    });
    const statuses: string[] = [];
    const count = async (name: string): Promise<void> => {
      statuses.push((await executor.execute(call(name))).status);
    };
    const early = [count("mine"), count("theirs")];
    await vi.advanceTimersByTimeAsync(999);
    expect(statuses).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(statuses).toHaveLength(1);
    await count("mine");
    expect(statuses).toHaveLength(2);
    const mine = executor.registry.get("mine");
    // Its tools are present once it reports them.
    hanging.load([foreignTool("mine"), foreignTool("theirs")]);
    await Promise.all(early);
    expect(executor.registry.get("mine")).toBe(mine);
    expect(executor.registry.problems).toMatchObject([{ source: "hanging" }]);
    expect(statuses).toHaveLength(3);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("does not delay calls and checks of a tool in a toolset of the host", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const executor = executorFor(new TestSource("hanging", [], { loading: true }), {
      policy: "autonomous",
    });
    const entry = { tool: foreignTool("own"), source: "host", trusted: true };
    const options = { toolset: new ToolsetSnapshot(0, new Map([["own", entry]])) };
    const all = Promise.all([
      executor.explain({ name: "own" }, options),
      executor.execute(call("own"), options),
    ]);
    await vi.advanceTimersByTimeAsync(1_000);
    const [{ effect }, outcome] = await all;
    expect(effect).toBe("allow");
    expect(completed(outcome).status).toBe("completed");
  });
});

describe("a source that fails to load", () => {
  test("is a problem and does not affect others", async () => {
    const broken = new TestSource("https://api.example.com", [], { loading: true });
    const executor = executorFor([broken, tool("mine")]);
    broken.fail(new ToolError("unavailable", "api.example.com does not answer."));
    await executor.registry.ready;
    expect(executor.registry.problems).toEqual([
      {
        source: "https://api.example.com",
        subject: "https://api.example.com",
        message: "api.example.com does not answer.",
      },
    ]);
    expect(completed(await executor.execute(call("mine"))).status).toBe("completed");
  });

  test("is no longer a problem once it loads after all", async () => {
    const late = new TestSource("late", [], { loading: true });
    const registry = new ToolRegistry([late]);
    late.fail(new Error("x"));
    await registry.ready;
    expect(registry.failedSources).toHaveLength(1);
    late.set(foreignTool("a"));
    expect([registry.size, registry.problems]).toEqual([1, []]);
  });

  test("is mentioned if a tool is not found", async () => {
    const sources = ["a", "b"].map((id) => new TestSource(id, [], { loading: true }));
    const executor = executorFor([...sources, tool("mine")]);
    sources[0]?.fail("a text instead of an error");
    sources[1]?.load();
    expect(failed(await executor.execute(call("theirs"))).error.message).toMatch(
      /1 source could not be loaded/,
    );
    const third = new TestSource("c", [], { loading: true });
    executor.registry.add(third);
    third.fail(new Error("x"));
    expect(failed(await executor.execute(call("theirs"))).error.message).toMatch(
      /2 sources could not be loaded/,
    );
  });

  test("that cannot list its tools is a problem, later as at construction", async () => {
    const source = new TestSource("s", [foreignTool("a")]);
    const registry = new ToolRegistry([source, tool("mine")]);
    const tools = (): never => {
      throw new Error("out of order");
    };
    source.tools = tools;
    source.set();
    expect([...registry.toolset().names()]).toEqual(["mine"]);
    expect(registry.problems[0]?.message).toBe("The source cannot list its tools: out of order");
    const other = new TestSource("other");
    other.tools = tools;
    expect(() => new ToolRegistry([other])).toThrow(
      "The source cannot list its tools: out of order",
    );
  });
});

describe("a source that is a promise", () => {
  test("adds its tools when it resolves", async () => {
    const registry = new ToolRegistry([Promise.resolve(new TestSource("p", [foreignTool("a")]))]);
    expect([registry.loading, registry.size]).toEqual([true, 0]);
    await registry.ready;
    expect([registry.loading, registry.size]).toEqual([false, 1]);
  });

  test("quarantines its duplicates, since they were unknown at construction", async () => {
    const mine = tool("a");
    const registry = new ToolRegistry([
      Promise.resolve(new TestSource("p", [foreignTool("a"), foreignTool("b")])),
      mine,
    ]);
    await registry.ready;
    expect(registry.get("a")).toBe(mine);
    expect(registry.problems.map(({ source, subject }) => [source, subject])).toEqual([["p", "a"]]);
  });

  test("that rejects, or resolves to nothing, is a problem; `ready` resolves", async () => {
    const registry = new ToolRegistry([
      Promise.reject(new Error("no such server")),
      Promise.resolve(undefined as unknown as ToolSource),
      tool("mine"),
    ]);
    await registry.ready;
    expect(registry.size).toBe(1);
    expect(registry.problems.map(({ source }) => source)).toEqual(["a source", "a source"]);
    expect(registry.problems[0]?.message).toBe("no such server");
  });

  test("that fails to load then is a problem under its own id", async () => {
    const source = new TestSource("p", [], { loading: true });
    const registry = new ToolRegistry([Promise.resolve(source)]);
    await settled();
    source.fail(new Error("no list"));
    await registry.ready;
    expect(registry.problems.map(({ source, message }) => [source, message])).toEqual([
      ["p", "no list"],
    ]);
  });
});

describe("a source's own problems", () => {
  test("are listed with its id, in their current state", () => {
    const source = new TestSource("spec");
    const registry = new ToolRegistry([source]);
    expect(registry.problems).toEqual([]);
    source.problems = [
      { subject: "GET /x", message: "has no path", pointer: "/paths", severity: "warning" },
    ];
    expect(registry.problems).toEqual([
      {
        source: "spec",
        subject: "GET /x",
        message: "has no path",
        pointer: "/paths",
        severity: "warning",
      },
    ]);
  });
});

test("a registry lists its sources with their states, also those without a tool", async () => {
  const [slow, down, up] = [
    new TestSource("slow", [], { loading: true }),
    new TestSource("down", [], { loading: true }),
    new TestSource("up", [foreignTool("a"), foreignTool("b")], { trusted: true }),
  ];
  const registry = new ToolRegistry([tool("own"), slow, down, up], { onProblem: () => {} });
  down.fail(new ToolError("unavailable", "It does not answer."));
  await settled();
  expect(registry.sources).toEqual([
    { id: "host", trusted: true, adapter: "code", size: 1, state: "ready" },
    { id: "slow", trusted: false, size: 0, state: "loading" },
    { id: "down", trusted: false, size: 0, state: "failed", message: "It does not answer." },
    { id: "up", trusted: true, adapter: "mcp", size: 2, state: "ready" },
  ]);
  await registry.remove("down");
  expect(registry.sources.map(({ id }) => id)).toEqual(["host", "slow", "up"]);
});

test("sources with one id are listed one by one", async () => {
  const named = (name: string, adapter: string): Tool =>
    foreignTool(name, { spec: { provenance: { adapter } } });
  const down = new TestSource("files", [], { loading: true });
  const registry = new ToolRegistry(
    [
      new TestSource("files", [named("a", "mcp"), named("b", "mcp")]),
      new TestSource("files", [named("c", "workspace")], { trusted: true }),
      down,
    ],
    { onProblem: () => {} },
  );
  down.fail(new ToolError("unavailable", "It does not answer."));
  await settled();
  expect(registry.sources).toEqual([
    { id: "files", trusted: false, adapter: "mcp", size: 2, state: "ready" },
    { id: "files", trusted: true, adapter: "workspace", size: 1, state: "ready" },
    { id: "files", trusted: false, size: 0, state: "failed", message: "It does not answer." },
  ]);
});
