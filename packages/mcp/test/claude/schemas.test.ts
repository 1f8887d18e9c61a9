import type { CanUseTool } from "@anthropic-ai/claude-agent-sdk";
import { defineTool } from "@toolweave/core";
import { validateTools } from "@toolweave/providers";
import { acceptingTool, refusedSchemas } from "@toolweave/test-support/refused-schemas";
import { expect, it, vi } from "vitest";
import { claudeAgent } from "../support/claude-agent.ts";

it("a schema that the API refuses, or that the SDK drops, is listed in a form that it accepts", async () => {
  const made = refusedSchemas.map(({ schema }, index) => {
    const { definition, received } = acceptingTool(schema);
    return { tool: defineTool({ ...definition, name: `t${index}` } as never), received };
  });
  const calls = refusedSchemas.map(({ written }, index) => ({
    id: `toolu_${index}`,
    name: `mcp__toolweave__t${index}`,
    input: written,
  }));
  const tools = made.map(({ tool }) => tool);
  const { api, run } = await claudeAgent({ tools, turns: [calls, "done"] });
  await run();
  const listed = api.requests.at(-1)?.tools?.filter(({ name }) => /__t\d$/.test(name)) ?? [];
  expect(listed).toHaveLength(refusedSchemas.length);
  expect(validateTools("anthropic", listed)).toEqual([]);
  expect(made.map(({ received }) => received)).toEqual(
    refusedSchemas.map(({ received }) => [received]),
  );
});

it("an argument with another name is shown to a person with the tool's own, and runs as approved", async () => {
  const { definition, received } = acceptingTool(
    {
      type: "object",
      properties: { "filter[state]": { type: "string" } },
      required: ["filter[state]"],
      additionalProperties: false,
    },
    true,
  );
  const canUseTool = vi.fn<CanUseTool>(async (_name, input) => ({
    behavior: "allow",
    updatedInput: input,
  }));
  const call = { id: "toolu_1", name: "mcp__toolweave__t", input: { filter_state: "open" } };
  const { run } = await claudeAgent({
    tools: [defineTool(definition as never)],
    turns: [[call], "done"],
    claude: { canUseTool },
  });
  await run();
  expect(canUseTool.mock.calls.map(([, input]) => input)).toEqual([{ "filter[state]": "open" }]);
  expect(received).toEqual([{ "filter[state]": "open" }]);
});
