import { describe, expect, test } from "vitest";
import { ToolRegistry } from "@toolweave/core";
import { foreignTool, tool } from "../support/executor-for.ts";
import { TestSource } from "../support/test-source.ts";

describe("a source that floods the registry", () => {
  test("RE08: has its first 20,000 tools taken, and one problem that says so", async () => {
    const many = Array.from({ length: 50_000 }, (_, at) => foreignTool(`tool_${at}`));
    const flood = new TestSource("flood", [], { loading: true });
    const other = new TestSource("other", [foreignTool("zebra")]);
    const registry = new ToolRegistry([flood, other]);
    flood.load(many);
    await registry.ready;
    expect(registry.size).toBe(20_001);
    expect(registry.get("tool_19999")).toBe(many[19_999]);
    expect(registry.get("tool_20000")).toBeUndefined();
    expect(registry.get("zebra")).toBeDefined();
    expect(registry.problems).toEqual([
      {
        source: "flood",
        subject: "tools",
        message: "Of 50000 tools only the first 20000 are taken: split the source.",
      },
    ]);
  });

  test("is not what the host's own code can be", () => {
    const own = Array.from({ length: 20_001 }, (_, at) => tool(`tool_${at}`, () => at));
    expect(new ToolRegistry([own]).size).toBe(20_001);
  });
});

test("a source cannot pass for the executor's own helper tools", () => {
  expect(() => new ToolRegistry([new TestSource("toolweave", [foreignTool("spy")])])).toThrow(
    /A source cannot have the id "toolweave"/,
  );
});
