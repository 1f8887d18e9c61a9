import { defineTool, ToolExecutor, ToolRegistry, type JsonObject } from "@toolweave/core";
import { validateTools } from "@toolweave/providers";
import {
  acceptingTool,
  refusedSchemas,
  toProviderLists,
} from "@toolweave/test-support/refused-schemas";
import { call, lastRequest, say, scripted } from "@toolweave/test-support/scripted-turns";
import { describe, expect, it } from "vitest";
import { mastraTools, type MastraToolsOptions } from "../src/index.ts";
import { agentWith } from "./support/agent-with.ts";

/** A call of a tool in an agent: the schema that the model is given, and the arguments that the tool has received. */
async function callWith(
  schema: object,
  written: object,
  options?: MastraToolsOptions,
  needsApproval = false,
) {
  const { definition, received } = acceptingTool(schema as JsonObject, needsApproval);
  const registry = new ToolRegistry([defineTool(definition as never)]);
  const model = scripted([call("c1", "t", written)], [say("done")]);
  const tools = await mastraTools(new ToolExecutor({ registry }), options);
  const agent = agentWith(model, tools);
  const output = await agent.generate("go");
  const tool = lastRequest(model).tools?.find(({ name }) => name === "t");
  return {
    agent,
    output,
    received,
    sent: tool?.type === "function" ? tool.inputSchema : undefined,
  };
}

describe.each(refusedSchemas)("$is", ({ schema, written, received: expected }) => {
  it("is refused by no provider, and the tool receives its own names", async () => {
    const { sent, received } = await callWith(schema, written);
    expect(received).toEqual([expected]);
    const lists = toProviderLists("t", sent);
    expect(validateTools("openai", lists.openai)).toEqual([]);
    expect(validateTools("anthropic", lists.anthropic)).toEqual([]);
  });

  it.each(["openai", "anthropic", "gemini", "bedrock"] as const)(
    "follows the rules of %s if that is the provider",
    async (provider) => {
      const { sent } = await callWith(schema, written, { provider });
      expect(validateTools(provider, toProviderLists("t", sent)[provider])).toEqual([]);
    },
  );
});

it("an argument with another name is shown to a person with the tool's own, and runs as approved", async () => {
  const schema = { type: "object", properties: { "filter[state]": { type: "string" } } };
  const { agent, output, received } = await callWith(schema, { filter_state: "open" }, {}, true);
  expect(output.suspendPayload).toMatchObject({
    suspendPayload: { interruption: { call: { arguments: { "filter[state]": "open" } } } },
  });
  expect(received).toEqual([]);
  const { toolCallId } = output.suspendPayload as { toolCallId: string };
  await agent.approveToolCallGenerate({ runId: output.runId as string, toolCallId });
  expect(received).toEqual([{ "filter[state]": "open" }]);
});
