import { defineTool, ToolExecutor, ToolRegistry } from "@toolweave/core";
import { isSameNumber } from "@toolweave/core/adapter";
import { checkNumbers, numberTool } from "@toolweave/test-support/numbers";
import { expect, it } from "vitest";
import { langchainTools } from "../src/index.ts";

it("a number arrives as it was written, or is refused with a remedy", async () => {
  const { definition, received } = numberTool();
  const keep = { ...defineTool(definition as never), acceptsBigint: true };
  const executor = new ToolExecutor({ registry: new ToolRegistry([keep]) });
  const [tool] = await langchainTools(executor);
  const counts = await checkNumbers(
    {
      // LangChain's packages for providers parse the arguments.
      isParsed: true,
      async call(calls) {
        const answers = calls.map(async ({ id, json }) => {
          const args = JSON.parse(json) as Record<string, unknown>;
          return [id, await tool!.invoke({ type: "tool_call", id, name: "keep", args })] as const;
        });
        return Object.fromEntries(await Promise.all(answers));
      },
    },
    received,
    isSameNumber,
  );
  expect(counts.exact).toBeGreaterThan(counts.refused);
});
