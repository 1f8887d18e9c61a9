import { defineTool, ToolExecutor, ToolRegistry } from "@toolweave/core";
import { expect, it } from "vitest";
import {
  anthropicTools,
  bedrockTools,
  geminiTools,
  openAiChatTools,
  openAiResponsesTools,
} from "../src/index.ts";

const now = defineTool({
  name: "now",
  description: "The time.",
  input: { type: "object", properties: { zone: { type: "string" } } },
  execute: (args) => JSON.stringify(args),
});
const executor = new ToolExecutor({ registry: new ToolRegistry([now]) });
const { toolset } = executor;

const readers = {
  anthropic: (input: unknown) =>
    anthropicTools(toolset).calls({
      content: [{ type: "tool_use", id: "1", name: "now", input }],
    } as never),
  bedrock: (input: unknown) =>
    bedrockTools(toolset).calls({
      output: { message: { content: [{ toolUse: { toolUseId: "1", name: "now", input } }] } },
    } as never),
  gemini: (args: unknown) =>
    geminiTools(toolset).calls({
      candidates: [{ content: { parts: [{ functionCall: { id: "1", name: "now", args } }] } }],
    }),
  chat: (args: unknown, strict = false) =>
    openAiChatTools(toolset, { strict }).calls({
      choices: [
        { message: { tool_calls: [{ id: "1", function: { name: "now", arguments: args } }] } },
      ],
    }),
  "strict chat": (args: unknown) => readers.chat(args, true),
  responses: (args: unknown) =>
    openAiResponsesTools(toolset).calls({
      output: [{ type: "function_call", call_id: "1", name: "now", arguments: args }],
    } as never),
};

const inputs = [undefined, null, "", " ", "\n", "null", " null\n", {}, "{}"];

it.each(Object.entries(readers))("%s: a call without arguments has none", async (_, read) => {
  for (const input of inputs) {
    const outcomes = await executor.startRun().executeAll(read(input));
    expect(outcomes.map(({ result }) => result?.content)).toEqual([[{ type: "text", text: "{}" }]]);
  }
});

it.each(Object.entries(readers))("%s: other arguments are refused", async (_, read) => {
  for (const input of [[], "[]", "nul", 0, '{"zone":']) {
    const outcomes = await executor.startRun().executeAll(read(input));
    expect(outcomes.map(({ error }) => error?.code)).toEqual(["invalid_arguments"]);
  }
});

it("two calls of one id in one response, and in the next one, run, and their results are in call order", async () => {
  const tools = openAiChatTools(toolset);
  const run = executor.startRun();
  const respond = (...zones: string[]) => ({
    choices: [
      {
        message: {
          tool_calls: zones.map((zone) => ({
            id: "call_0",
            function: { name: "now", arguments: JSON.stringify({ zone }) },
          })),
        },
      },
    ],
  });
  for (const zones of [["a", "b"], ["a"]]) {
    const outcomes = await run.executeAll(tools.calls(respond(...zones)));
    expect(tools.results(outcomes)).toEqual(
      zones.map((zone) => ({
        role: "tool",
        tool_call_id: "call_0",
        content: JSON.stringify({ zone }),
      })),
    );
  }
});
