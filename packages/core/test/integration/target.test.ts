import { describe, expect, test } from "vitest";
import { toolSearch } from "../../src/search/index.ts";
import { defineTool, ToolExecutor, ToolRegistry } from "../../src/index.ts";
import { constantToolset, resolveTarget, searchOptions } from "../../src/integration/index.ts";

function executorWith(count: number): ToolExecutor {
  const tools = Array.from({ length: count }, (_, index) =>
    defineTool({
      name: `look_${index}`,
      description: "Look.",
      input: { type: "object" },
      execute: () => "ok",
    }),
  );
  return new ToolExecutor({ registry: new ToolRegistry(tools) });
}

describe("a target", () => {
  test("can be an executor, or a run with its executor", async () => {
    const executor = executorWith(1);
    expect(await resolveTarget("f", executor)).toEqual({ executor, run: undefined });
    const run = executor.startRun();
    expect(await resolveTarget("f", run)).toEqual({ executor, run });
  });

  test.each([undefined, null, "executor", {}, new ToolRegistry()])(
    "cannot be %s",
    async (value) => {
      await expect(resolveTarget("f", value as never)).rejects.toMatchObject({
        code: "invalid_configuration",
        message: expect.stringMatching(/^f: it takes a ToolExecutor/),
      });
    },
  );
});

test("a run searches if there are more than 100 tools", async () => {
  expect(await searchOptions(executorWith(100).startRun().toolset)).toEqual({});
  const executor = executorWith(101);
  const run = executor.startRun(await searchOptions(executor.startRun().toolset));
  expect([...constantToolset("f", run).names()]).toContain("call_tool");
});

test("a list that is read once cannot grow", () => {
  const run = executorWith(1).startRun({ search: toolSearch({ form: "growing" }) });
  expect(() => constantToolset("f", run)).toThrow(/^f: the list of tools cannot grow/);
});
