import { describe, expect, test } from "vitest";
import { ToolRegistry } from "@toolweave/core";
import { foreignTool, tool } from "../support/executor-for.ts";
import { TestSource } from "../support/test-source.ts";

describe("a source that floods the registry", () => {
  test("RE08: has its first 40,000 tools accepted, and one problem that names the rest", async () => {
    const many = Array.from({ length: 50_000 }, (_, at) => foreignTool(`tool_${at}`));
    const flood = new TestSource("flood", [], { loading: true });
    const other = new TestSource("other", [foreignTool("zebra")]);
    const registry = new ToolRegistry([flood, other]);
    flood.load(many);
    await registry.ready;
    expect(registry.size).toBe(40_001);
    expect(registry.get("tool_39999")).toBe(many[39_999]);
    expect(registry.get("tool_40000")).toBeUndefined();
    expect(registry.get("zebra")).toBeDefined();
    expect(registry.problems).toEqual([
      {
        source: "flood",
        subject: "tools",
        message: expect.stringMatching(
          /^Of 50000 tools only the first 40000 are taken; those from tool_40000\b.* to tool_49999\b.* are not\./,
        ) as string,
      },
    ]);
  });

  test("cannot be the host's own code", () => {
    const own = Array.from({ length: 40_001 }, (_, at) => tool(`tool_${at}`, () => at));
    expect(new ToolRegistry([own]).size).toBe(40_001);
  });
});

test("a source cannot imitate the executor's own helper tools", () => {
  expect(() => new ToolRegistry([new TestSource("toolweave", [foreignTool("spy")])])).toThrow(
    /A source cannot have the id "toolweave"/,
  );
});
