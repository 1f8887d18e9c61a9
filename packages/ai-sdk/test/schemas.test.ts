import { defineTool, ToolExecutor, ToolRegistry, type JsonObject } from "@toolweave/core";
import { validateTools } from "@toolweave/providers";
import {
  acceptingTool,
  refusedSchemas,
  toProviderLists,
} from "@toolweave/test-support/refused-schemas";
import { call, lastRequest, say, scripted } from "@toolweave/test-support/scripted-turns";
import { describe, expect, it } from "vitest";
import { aiTools, aiToolApproval, type AiToolsOptions } from "../src/index.ts";
import { askedIn, Conversation } from "./support/conversation.ts";

/** An executor with one tool, and the arguments that it has received. */
function accepting(schema: object, needsApproval = false) {
  const { definition, received } = acceptingTool(schema as JsonObject, needsApproval);
  const registry = new ToolRegistry([defineTool(definition as never)]);
  return { executor: new ToolExecutor({ registry }), received };
}

/** The schema that a model is given. */
async function listedSchema(executor: ToolExecutor, options?: AiToolsOptions): Promise<unknown> {
  const model = scripted([say("done")]);
  await new Conversation().go(model, await aiTools(executor, options));
  const tool = lastRequest(model).tools?.find(({ name }) => name === "t");
  return tool?.type === "function" ? tool.inputSchema : undefined;
}

describe.each(refusedSchemas)("$is", ({ schema, written, received: expected }) => {
  it("is refused by no provider, and the tool receives its own names", async () => {
    const { executor, received } = accepting(schema);
    const model = scripted([call("c1", "t", written)], [say("done")]);
    await new Conversation().go(model, await aiTools(executor));
    expect(received).toEqual([expected]);
    const lists = toProviderLists("t", await listedSchema(executor));
    expect(validateTools("openai", lists.openai)).toEqual([]);
    expect(validateTools("anthropic", lists.anthropic)).toEqual([]);
  });

  it.each(["openai", "anthropic", "gemini", "bedrock"] as const)(
    "follows the rules of %s if that is the provider",
    async (provider) => {
      const schemaSent = await listedSchema(accepting(schema).executor, { provider });
      expect(validateTools(provider, toProviderLists("t", schemaSent)[provider])).toEqual([]);
    },
  );
});

it("a schema that every provider accepts stays unchanged", async () => {
  const schema = {
    type: "object",
    properties: { id: { type: "string", pattern: "^[a-z]+$", minLength: 1 }, kind: { const: "a" } },
    required: ["id"],
    additionalProperties: false,
  };
  expect(await listedSchema(accepting(schema).executor)).toEqual(schema);
});

it("an argument with another name is asked about once, and runs as it was approved", async () => {
  const schema = { type: "object", properties: { "filter[state]": { type: "string" } } };
  const { executor, received } = accepting(schema, true);
  const conversation = new Conversation();
  const model = scripted([call("c1", "t", { filter_state: "open" })], [say("done")]);
  const asked = askedIn(await conversation.go(model, await aiTools(executor)));
  expect(received).toEqual([]);
  conversation.answer(asked, { c1: true });
  await conversation.go(model, await aiTools(executor));
  expect(received).toEqual([{ "filter[state]": "open" }]);
});

it("an argument with another name is shown to a person with the tool's own", async () => {
  const schema = { type: "object", properties: { "filter[state]": { type: "string" } } };
  const { executor } = accepting(schema, true);
  const tools = await aiTools(executor);
  const toolCall = { toolCallId: "c1", toolName: "t", input: { filter_state: "open" } };
  const question = { toolCall, tools, toolsContext: {}, messages: [], runtimeContext: {} };
  expect(await aiToolApproval()(question)).toMatchObject({ type: "user-approval" });
  const [pending] = await executor.pendingCalls.list();
  expect(pending?.interruption.call.arguments).toEqual({ "filter[state]": "open" });
});

it("an unknown provider is refused", async () => {
  const { executor } = accepting({ type: "object" });
  await expect(aiTools(executor, { provider: "mistral" as never })).rejects.toMatchObject({
    code: "invalid_configuration",
    message: expect.stringContaining('"openai", "anthropic", "gemini", "bedrock"'),
  });
  await expect(aiTools(executor, { providers: "openai" } as never)).rejects.toMatchObject({
    message: expect.stringContaining("Did you mean provider?"),
  });
});
