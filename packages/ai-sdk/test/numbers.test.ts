import { defineTool, ToolExecutor, ToolRegistry } from "@toolweave/core";
import { isSameNumber } from "@toolweave/core/adapter";
import { checkNumbers, numberTool } from "@toolweave/test-support/numbers";
import { call, resultsRead, say, scripted } from "@toolweave/test-support/scripted-turns";
import { expect, it } from "vitest";
import { aiTools } from "../src/index.ts";
import { Conversation } from "./support/conversation.ts";

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
        await new Conversation().go(model, await aiTools(executor));
        return resultsRead(model);
      },
    },
    received,
    isSameNumber,
  );
  expect(counts.exact).toBeGreaterThan(counts.refused);
});
