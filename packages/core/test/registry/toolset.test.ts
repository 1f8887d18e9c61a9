import { describe, expect, test } from "vitest";
import { ToolRegistry, type Toolset } from "@toolweave/core";
import type { RegisteredTool } from "@toolweave/core/adapter";
import { ToolsetSnapshot } from "@toolweave/core/adapter";
import { tool } from "../support/executor-for.ts";
import { TestSource } from "../support/test-source.ts";

const toolset = (): Toolset =>
  new ToolRegistry([
    tool("read_a"),
    tool("read_b"),
    tool("write_a"),
    new TestSource("s"),
  ]).toolset();

describe("a toolset", () => {
  test("selects by globs, and excludes afterwards", () => {
    const names = (selection: Parameters<Toolset["select"]>[0]): string[] => [
      ...toolset().select(selection).names(),
    ];
    expect(names({})).toEqual(["read_a", "read_b", "write_a"]);
    expect(names({ include: ["read_*"] })).toEqual(["read_a", "read_b"]);
    expect(names({ exclude: ["*_a"] })).toEqual(["read_b"]);
    expect(names({ include: ["*_a"], exclude: ["write_*"] })).toEqual(["read_a"]);
    expect(names({ include: [] })).toEqual([]);
  });

  test("is selected from the registry the same way", () => {
    const registry = new ToolRegistry([tool("a"), tool("b")]);
    expect([...registry.toolset({ include: ["a"] }).names()]).toEqual(["a"]);
  });

  test("that a filter does not change stays the same object", () => {
    const all = toolset();
    expect(all.filter(() => true)).toBe(all);
    const less = all.filter(({ tool }) => tool.spec.name !== "read_a");
    expect([less.size, all.size, less.version === all.version]).toEqual([2, 3, true]);
  });

  test("returns its tools by name and in order, with the registry's data about them", () => {
    const all = toolset();
    expect([...all].map(({ spec }) => spec.name)).toEqual(["read_a", "read_b", "write_a"]);
    expect([...all.entries()].map(({ source, trusted }) => [source, trusted])).toEqual(
      Array.from({ length: 3 }, () => ["host", true]),
    );
    expect(all.get("read_b")?.spec.name).toBe("read_b");
    expect(all.get("__proto__")).toBe(undefined);
    expect(all.entry("nothing")).toBe(undefined);
    expect(all.specs()).toBe(all.specs());
  });

  test("with a searchable part lists fewer tools than may be called, and keeps both parts apart", () => {
    const all = toolset();
    const listed = all.select({ include: ["read_a"] });
    const searching = new ToolsetSnapshot(
      all.version,
      new Map([["read_a", getEntry(listed, "read_a")]]),
      all,
    );
    expect([...searching.names()]).toEqual(["read_a"]);
    expect([...searching.callableNames()]).toEqual(["read_a", "read_b", "write_a"]);
    expect(searching.entry("read_b")).toBe(undefined);
    expect(searching.callable("read_b")).toBe(all.entry("read_b"));
    expect(searching.callable("nothing")).toBe(undefined);
    const less = searching.filter(({ tool }) => tool.spec.name !== "read_b");
    expect([...less.callableNames()]).toEqual(["read_a", "write_a"]);
    const none = searching.select({ exclude: ["read_*"] });
    expect([[...none.names()], [...none.callableNames()]]).toEqual([[], ["write_a"]]);
    expect([...searching.select({ maxTokens: 0 }).callableNames()]).toContain("read_a");
    expect(searching.filter(() => true)).toBe(searching);
  });
});

function getEntry(tools: Toolset, name: string): RegisteredTool {
  const entry = tools.entry(name);
  if (entry === undefined) throw new Error(`no ${name}`);
  return entry;
}
