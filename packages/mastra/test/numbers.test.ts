import { defineTool, ToolExecutor, ToolRegistry } from "@toolweave/core";
import { isSameNumber } from "@toolweave/core/adapter";
import { checkNumbers, numberTool } from "@toolweave/test-support/numbers";
import { call, resultsRead, say, scripted } from "@toolweave/test-support/scripted-turns";
import { expect, it } from "vitest";
import { mastraTools } from "../src/index.ts";
import { agentWith } from "./support/agent-with.ts";

it("a number arrives as it was written, or is refused with a remedy", async () => {
  const { definition, received } = numberTool();
  const keep = { ...defineTool(definition as never), acceptsBigint: true };
  const executor = new ToolExecutor({ registry: new ToolRegistry([keep]) });
  const counts = await checkNumbers(
    {
      isParsed: true,
      async call(calls) {
        const model = scripted(
          calls.map(({ id, json }) => call(id, "keep", json)),
          [say("done")],
        );
        await agentWith(model, await mastraTools(executor)).generate("go");
        return resultsRead(model);
      },
    },
    received,
    isSameNumber,
  );
  expect(counts.exact).toBeGreaterThan(counts.refused);
});
