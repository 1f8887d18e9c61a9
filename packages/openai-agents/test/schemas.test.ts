import { run } from "@openai/agents-core";
import { defineTool, ToolExecutor, ToolRegistry, type JsonObject } from "@toolweave/core";
import { validateTools } from "@toolweave/providers";
import {
  acceptingTool,
  refusedSchemas,
  toProviderLists,
} from "@toolweave/test-support/refused-schemas";
import { describe, expect, it } from "vitest";
import { agentTools, waitingCalls, type AgentToolsOptions } from "../src/index.ts";
import { call, say, scripted, textsRead } from "./support/agents.ts";

/** A call of a tool in an agent: the schema that the model is given, and the arguments that the tool has received. */
async function callWith(
  schema: object,
  written: unknown,
  options?: AgentToolsOptions,
  needsApproval = false,
) {
  const { definition, received } = acceptingTool(schema as JsonObject, needsApproval);
  const registry = new ToolRegistry([defineTool(definition as never)]);
  const tools = await agentTools(new ToolExecutor({ registry }), options);
  const { agent, model } = scripted(tools, [call("c1", "t", written)], say("done"));
  const result = await run(agent, "go");
  const sent = model.lastCall?.request.tools.flatMap((tool) =>
    tool.type === "function" && tool.name === "t" ? [tool.parameters] : [],
  )[0];
  return { agent, model, result, received, sent };
}

const brackets = { type: "object", properties: { "filter[state]": { type: "string" }, id: {} } };

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
  const { agent, result, received } = await callWith(brackets, { filter_state: "open" }, {}, true);
  const [waiting] = waitingCalls(result.runContext);
  expect(waiting?.interruption.call.arguments).toEqual({ "filter[state]": "open" });
  expect(received).toEqual([]);
  result.state.approve(result.interruptions[0]!);
  await run(agent, result.state);
  expect(received).toEqual([{ "filter[state]": "open" }]);
});

it("a number beside an argument with another name is exact, or refused", async () => {
  const { model, received } = await callWith(
    brackets,
    '{"filter_state":"open","id":52.5200065999999987}',
  );
  expect(textsRead(model)["c1"]).toContain("send 52.5200066 instead");
  expect(received).toEqual([]);
});
