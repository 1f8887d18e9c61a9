import { toolSearch } from "@toolweave/core/search";
import { toolsSource, type Tool, type ToolCall, type ToolSpec } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import { call, executorFor, foreignTool, tool } from "../support/executor-for.ts";
import { readCode, completed, textFor } from "../support/outcomes.ts";
import { listNames, searched } from "./shop.ts";

const boom = (): never => {
  throw new Error("boom");
};
const forms = ["growing", "constant"] as const;
const policy = { preset: "autonomous" } as const;

describe("a tool whose spec is hostile", () => {
  const odd = { toString: 1, valueOf: 1 };
  const specs: readonly [string, () => Partial<ToolSpec>][] = [
    ["a description that is not a string", () => ({ description: odd as never })],
    ["no description", () => ({ description: undefined as never })],
    ["a title that is not a string", () => ({ title: odd as never })],
    ["an endless title", () => ({ title: "t".repeat(100_000) })],
  ];

  test.each(specs)("hides no other from a search, and is described: %s", async (_, spec) => {
    const source = toolsSource("s", [
      foreignTool("bad_pet", { spec: spec() }),
      foreignTool("good_pet"),
    ]);
    for (const form of forms) {
      const run = executorFor(source).startRun({ search: toolSearch({ form }) });
      const { names } = await searched(run, "pet");
      expect([...names].sort()).toEqual(["bad_pet", "good_pet"]);
      if (form === "growing") continue;
      const described = await run.execute(call("describe_tool", { name: "bad_pet" }));
      expect(textFor(completed(described)).length).toBeLessThan(1000);
    }
  });

  test.each(["spec", "name", "description"])(
    "hides no other tool, and does not break a list, if its %s throws later",
    async (part) => {
      let armed = false;
      const bad = foreignTool("bad_pet");
      const turned = <Value>(value: Value) => ({ get: () => (armed ? boom() : value) });
      const spec: ToolSpec =
        part === "spec"
          ? bad.spec
          : Object.defineProperty({ ...bad.spec }, part, turned(bad.spec[part as "name"]));
      const hostile: Tool =
        part === "spec"
          ? Object.defineProperty({ ...bad }, "spec", turned(spec))
          : { ...bad, spec };
      for (const form of forms) {
        armed = false;
        const executor = executorFor(toolsSource("s", [hostile, foreignTool("good_pet")]), {
          policy,
        });
        completed(await executor.execute(call("good_pet")));
        armed = true;
        const run = executor.startRun({ search: toolSearch({ form, always: ["good_*"] }) });
        expect(listNames(run.toolset)).toContain("good_pet");
        expect((await searched(run, "pet")).names).toContain("good_pet");
      }
    },
  );
});

describe("a search by a tool with narrower permissions than its run", () => {
  const narrow = { rules: [{ effect: "deny", tools: "drop_*" }] } as const;
  const calls: readonly ToolCall[] = [
    call("search_tools", { query: "drop_pet" }),
    call("describe_tool", { name: "drop_pet" }),
    call("describe_tool", { name: "drop_pe" }),
  ];

  test.each(["policy", "toolset"])("names nothing outside of them: %s", async (by) => {
    const seen: string[] = [];
    const agent = tool("agent", async (_, ctx) => {
      const toolset = run.toolset.select({ exclude: ["drop_*"] });
      for (const inner of calls) {
        const outcome = await ctx.scope.execute(inner, by === "policy" ? { narrow } : { toolset });
        seen.push(textFor(outcome));
      }
      const found = await ctx.scope.execute({ ...(calls[0] as ToolCall), id: "once more" });
      return textFor(found);
    });
    const executor = executorFor([tool("get_pet"), tool("drop_pet"), agent]);
    const run = executor.startRun({ search: toolSearch({ form: "constant" }) });
    expect(textFor(await run.execute(call("agent")))).toContain("drop_pet");
    expect(seen).toHaveLength(calls.length);
    expect(seen[0]).toContain("get_pet");
    for (const text of seen) expect(text).not.toContain("drop_pet");
    expect(readCode(await run.execute(call("describe_tool", { name: "drop" })))).toBe("not_found");
  });
});
