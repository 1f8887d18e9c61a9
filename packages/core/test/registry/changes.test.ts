import { describe, expect, test } from "vitest";
import { ToolExecutor, ToolRegistry, type RegistryDiff } from "@toolweave/core";
import { foreignTool, tool } from "../support/executor-for.ts";
import { TestSource } from "../support/test-source.ts";

function collectDiffs(registry: ToolRegistry): RegistryDiff[] {
  const diffs: RegistryDiff[] = [];
  registry.onChange((diff) => diffs.push(diff));
  return diffs;
}

describe("a change", () => {
  test("is one diff with the names in order and the next version", () => {
    const source = new TestSource("s", [foreignTool("keep"), foreignTool("gone")]);
    const registry = new ToolRegistry([source]);
    const diffs = collectDiffs(registry);
    const before = registry.version;
    source.set(foreignTool("new_b"), foreignTool("new_a"), foreignTool("keep"));
    expect(diffs).toEqual([
      { added: ["new_a", "new_b"], removed: ["gone"], changed: [], version: before + 1 },
    ]);
    expect(registry.version).toBe(before + 1);
  });

  test("of a spec lists the tool as changed", () => {
    const source = new TestSource("s", [foreignTool("a")]);
    const registry = new ToolRegistry([source]);
    const diffs = collectDiffs(registry);
    source.set(foreignTool("a", { spec: { description: "Now sends your files elsewhere." } }));
    expect(diffs.map(({ changed }) => changed)).toEqual([["a"]]);
  });

  test("keeps unchanged tools the same, so that no decision about them is repeated", () => {
    const kept = foreignTool("kept");
    const source = new TestSource("s", [kept, foreignTool("gone")]);
    const registry = new ToolRegistry([tool("own"), source]);
    const before = registry.toolset();
    source.set(kept, foreignTool("new"));
    const after = registry.toolset();
    expect(after).not.toBe(before);
    for (const name of ["kept", "own"]) expect(after.entry(name)).toBe(before.entry(name));
    source.set({ ...kept, spec: { ...kept.spec, description: "Another." } });
    expect(registry.toolset().entry("kept")).not.toBe(after.entry("kept"));
  });

  test("without a difference is not a change", () => {
    const source = new TestSource("s", [foreignTool("a")]);
    const registry = new ToolRegistry([source]);
    const diffs = collectDiffs(registry);
    source.set(foreignTool("a"));
    source.set(foreignTool("a", { spec: { inputSchema: { type: "object" } } }));
    expect(diffs).toEqual([]);
    expect(registry.version).toBe(1);
  });

  test("without a difference still returns the current tools: of another connection, or available again", async () => {
    const source = new TestSource("s", [
      foreignTool("a", { availability: { status: "unavailable", reason: "gone" } }),
    ]);
    const registry = new ToolRegistry([source]);
    const executor = new ToolExecutor({ registry, policy: "autonomous" });
    const call = { id: "1", name: "a", arguments: {} };
    expect(await executor.execute(call)).toMatchObject({ status: "failed" });
    const again = foreignTool("a");
    source.set(again);
    expect(registry.get("a")).toBe(again);
    expect(await executor.execute(call)).toMatchObject({ status: "completed" });
  });

  test("of a fingerprint is enough, and no schema is read for it", () => {
    let read = 0;
    const made = (fingerprint: string): ReturnType<typeof foreignTool> => {
      const lazy = foreignTool("a", { fingerprint });
      Object.defineProperty(lazy.spec, "inputSchema", { enumerable: true, get: () => (read += 1) });
      return lazy;
    };
    const source = new TestSource("s", [made("1")]);
    const registry = new ToolRegistry([source]);
    const diffs = collectDiffs(registry);
    source.set(made("1"));
    source.set(made("2"));
    expect(diffs.map(({ changed }) => changed)).toEqual([["a"]]);
    expect(read).toBe(0);
  });

  test("to a tool whose schema cannot be read counts as a change", () => {
    const broken = (): ReturnType<typeof foreignTool> => {
      const lazy = foreignTool("a");
      Object.defineProperty(lazy.spec, "inputSchema", {
        enumerable: true,
        get: () => {
          throw new Error("unreadable");
        },
      });
      return lazy;
    };
    const source = new TestSource("s", [broken()]);
    const registry = new ToolRegistry([source]);
    const diffs = collectDiffs(registry);
    source.set(broken());
    expect(diffs.map(({ changed }) => changed)).toEqual([["a"]]);
  });

  test("of the source that holds a name is listed as changed: its trust may differ", async () => {
    const trusted = new TestSource("a", [foreignTool("read")], { trusted: true });
    const registry = new ToolRegistry([trusted]);
    const other = new TestSource("b");
    registry.add(other);
    other.set(foreignTool("read"));
    const diffs = collectDiffs(registry);
    await registry.remove("a");
    expect(diffs.map(({ changed, removed }) => [changed, removed])).toEqual([[["read"], []]]);
  });

  test("is emitted to every observer, including one that throws, until it stops listening", () => {
    const registry = new ToolRegistry();
    registry.onChange(() => {
      throw new Error("observer");
    });
    const diffs = collectDiffs(registry);
    let received = 0;
    const stop = registry.onChange(() => (received += 1));
    registry.add(tool("a"));
    stop();
    registry.add(tool("b"));
    expect(diffs).toHaveLength(2);
    expect(received).toBe(1);
  });

  test("does not affect a toolset that was taken before", () => {
    const source = new TestSource("s", [foreignTool("a")]);
    const registry = new ToolRegistry([source]);
    const before = registry.toolset();
    source.set(foreignTool("b"));
    expect([...before.names()]).toEqual(["a"]);
    expect(before.version).toBe(1);
    expect([...registry.toolset().names()]).toEqual(["b"]);
    expect(registry.toolset()).toBe(registry.toolset());
  });
});

describe("remove", () => {
  test("removes a source by itself or by its id, and closes it", async () => {
    const [a, b] = [
      new TestSource("a", [foreignTool("x")]),
      new TestSource("b", [foreignTool("y")]),
    ];
    const registry = new ToolRegistry([a, b]);
    await registry.remove(a);
    await registry.remove("b");
    expect(registry.size).toBe(0);
    expect([a.closed, b.closed, a.listeners]).toEqual([1, 1, 0]);
  });

  test("removes a tool of the host by itself or by its name, and no other", async () => {
    const [a, b, c] = [tool("a"), tool("b"), tool("c")];
    const source = new TestSource("s", [foreignTool("d")]);
    const registry = new ToolRegistry([a, b, c, source]);
    await registry.remove(a);
    await registry.remove("b");
    await registry.remove("d");
    expect([...registry.toolset().names()]).toEqual(["c", "d"]);
  });

  test("removes the source's problems, including those of loading", async () => {
    const source = new TestSource("s", [], { loading: true });
    source.problems = [{ subject: "GET /x", message: "is broken" }];
    const registry = new ToolRegistry([source, tool("a")]);
    source.fail(new Error("no such host"));
    await registry.ready;
    expect(registry.problems).toHaveLength(2);
    expect(registry.failedSources).toHaveLength(1);
    await registry.remove(source);
    expect(registry.problems).toEqual([]);
    expect(registry.failedSources).toEqual([]);
  });

  test("of a source that is still loading leaves no problem if the loading fails later", async () => {
    const source = new TestSource("s", [], { loading: true });
    const registry = new ToolRegistry([source]);
    await registry.remove(source);
    source.fail(new Error("closed"));
    await registry.ready;
    expect(registry.problems).toEqual([]);
  });

  test("of an unknown value changes nothing", async () => {
    const registry = new ToolRegistry([tool("a")]);
    const diffs = collectDiffs(registry);
    await registry.remove("nothing");
    expect(diffs).toEqual([]);
  });
});

describe("merge", () => {
  test("takes over everything; the other is empty", () => {
    const source = new TestSource("s", [foreignTool("a")]);
    const other = new ToolRegistry([source, tool("b")]);
    const registry = new ToolRegistry([tool("c")]).merge(other);
    expect([...registry.toolset().names()]).toEqual(["a", "b", "c"]);
    expect(other.size).toBe(0);
    source.set(foreignTool("z"));
    expect([...registry.toolset().names()]).toEqual(["b", "c", "z"]);
    expect(other.size).toBe(0);
    expect(source.listeners).toBe(1);
  });

  test("that meets a duplicate moves nothing", () => {
    const source = new TestSource("s", [foreignTool("a")]);
    const other = new ToolRegistry([source]);
    const registry = new ToolRegistry([tool("a")]);
    expect(() => registry.merge(other)).toThrow(/named "a"/);
    expect([registry.size, other.size, source.listeners]).toEqual([1, 1, 1]);
  });

  test("takes over sources that are still loading, wherever they are merged to next", async () => {
    let arrive: (source: TestSource) => void = () => {};
    const promised = new Promise<TestSource>((resolve) => (arrive = resolve));
    const other = new ToolRegistry([promised]);
    const between = new ToolRegistry().merge(other);
    const registry = new ToolRegistry().merge(between);
    expect(registry.loading).toBe(true);
    arrive(new TestSource("late", [foreignTool("a")]));
    await registry.ready;
    expect([registry.size, between.size, other.size]).toEqual([1, 0, 0]);
  });

  test("takes over earlier and later failures, once each", async () => {
    const slow = new TestSource("slow", [], { loading: true });
    const broken = new TestSource("broken", [], { loading: true });
    const other = new ToolRegistry([Promise.reject(new Error("never made")), slow, broken]);
    broken.fail(new Error("broken"));
    await new Promise((resolve) => setImmediate(resolve));
    const registry = new ToolRegistry().merge(other);
    slow.fail(new Error("slow"));
    await registry.ready;
    expect(registry.problems.map(({ message }) => message).sort()).toEqual([
      "broken",
      "never made",
      "slow",
    ]);
    expect(other.problems).toEqual([]);
  });
});

describe("close", () => {
  test("closes every source once, empties the registry and accepts nothing more", async () => {
    const [a, b] = [new TestSource("a", [foreignTool("x")]), new TestSource("b")];
    const registry = new ToolRegistry([a, b]);
    await registry.close();
    await registry.close();
    expect([a.closed, b.closed, registry.size]).toEqual([1, 1, 0]);
    expect(() => registry.add(tool("x"))).toThrow(/closed/);
  });

  test("is called by `await using`", async () => {
    const source = new TestSource("a");
    {
      await using registry = new ToolRegistry([source]);
      expect(registry.size).toBe(0);
    }
    expect(source.closed).toBe(1);
  });

  test("closes every source if one of them fails to close, then reports that", async () => {
    const [bad, worse, good] = ["bad", "worse", "good"].map((id) => new TestSource(id)) as [
      TestSource,
      TestSource,
      TestSource,
    ];
    bad.close = () => {
      throw new Error("cannot close");
    };
    worse.close = () => Promise.reject(new Error("cannot either"));
    const registry = new ToolRegistry([bad, worse, good]);
    await expect(registry.close()).rejects.toThrow("cannot close");
    expect(good.closed).toBe(1);
  });

  test("closes a source that arrives afterwards", async () => {
    let arrive: (source: TestSource) => void = () => {};
    const registry = new ToolRegistry([new Promise<TestSource>((resolve) => (arrive = resolve))]);
    await registry.close();
    const late = new TestSource("late", [foreignTool("x")]);
    arrive(late);
    await registry.ready;
    expect([late.closed, registry.size]).toEqual([1, 0]);
  });
});
