import { defineTool } from "@toolweave/core";
import { isSameNumber } from "@toolweave/core/adapter";
import { checkNumbers, numberTool } from "@toolweave/test-support/numbers";
import { expect, it } from "vitest";
import { claudeAgent } from "../support/claude-agent.ts";
import { claudeProcess } from "../support/claude-process.ts";

it("a number arrives as it was written, or is refused with a remedy", async () => {
  const { definition, received } = numberTool();
  const keep = { ...defineTool(definition as never), acceptsBigint: true };
  const counts = await checkNumbers(
    {
      isParsed: true,
      // Each turn is a process.
      callsOfATurn: 100,
      async call(calls) {
        const name = "mcp__toolweave__keep";
        const turn = calls.map(({ id, json }) => ({ id, name, input: json }));
        const { api, run } = await claudeAgent({
          tools: [keep],
          turns: [turn, "done"],
          // With it, calls have the ids of the model.
          claude: {
            canUseTool: async (_name, input) => ({ behavior: "allow", updatedInput: input }),
          },
        });
        await run();
        return api.results;
      },
    },
    received,
    isSameNumber,
  );
  expect(counts.exact).toBeGreaterThan(counts.refused);
});

it("an integer that the SDK may have rounded is not displayed to a person", async () => {
  const { definition, received } = numberTool();
  const keep = { ...defineTool(definition as never), acceptsBigint: true };
  const { ask } = await claudeProcess(
    [keep],
    { canUseTool: async (_name, input) => ({ behavior: "allow", updatedInput: input }) },
    { policy: "autonomous" },
  );
  const id = 9_007_199_254_740_992;
  expect(await ask("keep", { id })).toMatchObject({ behavior: "deny" });
  expect(received.size).toBe(0);
});
