import { ToolRegistry, type Tool, type ToolSelection } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import { foreignTool, tool } from "../support/executor-for.ts";
import { TestSource } from "../support/test-source.ts";
import { lazyTool, listNames } from "./shop.ts";

const registry = new ToolRegistry([
  tool("own_read", undefined, { annotations: { readOnlyHint: true } }),
  tool("own_write"),
  new TestSource(
    "trusted",
    [foreignTool("known_read", { spec: { annotations: { readOnlyHint: true } } })],
    { trusted: true },
  ),
  new TestSource("stranger", [
    foreignTool("claimed_read", { spec: { annotations: { readOnlyHint: true } } }),
    foreignTool("stranger_write", { spec: { annotations: { destructiveHint: true } } }),
  ]),
]);

const select = (selection: ToolSelection): string[] => listNames(registry.toolset(selection));

describe("a selection of tools", () => {
  test("by annotations uses those of trusted sources, and otherwise MCP's defaults", () => {
    expect(select({ annotations: { readOnlyHint: true } })).toEqual(["known_read", "own_read"]);
    expect(select({ annotations: { readOnlyHint: false } })).toEqual([
      "own_write",
      "stranger_write",
    ]);
    expect(select({ annotations: { destructiveHint: true } })).toContain("stranger_write");
    expect(select({ annotations: { openWorldHint: false } })).toEqual([]);
  });

  test("by provenance uses the adapter and the source in the registry", () => {
    expect(select({ provenance: { adapter: "code" } })).toEqual(["own_read", "own_write"]);
    expect(select({ provenance: { source: "host" } })).toEqual(["own_read", "own_write"]);
    expect(select({ provenance: { source: ["trust*", "host"], adapter: "mcp" } })).toEqual([
      "known_read",
    ]);
    // The name that a tool gives its own origin is not verified.
    expect(select({ provenance: { source: "elsewhere" } })).toEqual([]);
  });

  test("needs every condition to hold", () => {
    const selection = { include: ["*_read"], exclude: ["own_*"] };
    expect(select({ ...selection, annotations: { readOnlyHint: true } })).toEqual(["known_read"]);
  });

  test("by tokens takes tools that fit in order of name, and smaller ones after them", () => {
    const tools = [
      tool("a", undefined, { description: "x".repeat(60) }),
      tool("b", undefined, { description: "x".repeat(600) }),
      tool("c", undefined, { description: "x".repeat(20) }),
    ];
    const within = (maxTokens: number): string[] =>
      listNames(new ToolRegistry(tools).toolset({ maxTokens }));
    // {"type":"object"} has 17 characters: 78, 618 and 38 in all.
    expect(within(184)).toEqual(["a", "b", "c"]);
    expect(within(183)).toEqual(["a", "b"]);
    expect(within(29)).toEqual(["a", "c"]);
    expect(within(19)).toEqual(["c"]);
    expect(within(19.5)).toEqual(["a"]);
    expect(within(0)).toEqual([]);
    expect(within(Infinity)).toEqual(["a", "b", "c"]);
  });

  test("by tokens reads no schema of a tool that is too long without it, and omits unreadable ones", () => {
    let made = 0;
    const lazy = (name: string, description: string): Tool =>
      lazyTool(name, description, () => {
        made += 1;
        if (name === "broken") throw new Error("no schema");
        return { type: "object" };
      });
    const source = new TestSource("s", [
      lazy("broken", "b"),
      lazy("long", "x".repeat(1000)),
      lazy("short", "x"),
    ]);
    expect(listNames(new ToolRegistry([source]).toolset().select({ maxTokens: 100 }))).toEqual([
      "short",
    ]);
    expect(made).toBe(2);
  });

  test("that is invalid is refused with a correction", () => {
    const refused = (selection: object): string => {
      try {
        select(selection);
        return "";
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(refused({ includes: ["a"] })).toContain("Did you mean include?");
    expect(refused({ include: "a" })).toContain("a list");
    expect(refused({ exclude: [1] })).toContain("a list");
    expect(refused({ annotations: { readOnly: true } })).toContain("readOnlyHint");
    expect(refused({ annotations: { readOnlyHint: "yes" } })).toContain("neither true nor false");
    expect(refused({ provenance: { from: "mcp" } })).toContain("adapter");
    expect(refused({ maxTokens: -1 })).toContain("0 or more");
    expect(refused({ maxTokens: Number.NaN })).toContain("NaN");
  });
});
