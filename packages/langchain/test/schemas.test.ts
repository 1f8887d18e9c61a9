import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import type { StructuredTool } from "@langchain/core/tools";
import { defineTool, ToolExecutor, ToolRegistry, type JsonObject } from "@toolweave/core";
import { validateTools } from "@toolweave/providers";
import {
  acceptingTool,
  refusedSchemas,
  toProviderLists,
} from "@toolweave/test-support/refused-schemas";
import { describe, expect, it } from "vitest";
import { langchainTools, type LangchainToolsOptions } from "../src/index.ts";

/** The tool of one schema, and the arguments that it has received. */
async function toolFor(schema: object, options?: LangchainToolsOptions) {
  const { definition, received } = acceptingTool(schema as JsonObject);
  const registry = new ToolRegistry([defineTool(definition as never)]);
  const tools = await langchainTools(new ToolExecutor({ registry }), options);
  return { tool: tools.find(({ name }) => name === "t") as StructuredTool, received };
}

/** The schema that LangChain's packages for providers are given. */
const listedSchema = (tool: StructuredTool): unknown =>
  convertToOpenAITool(tool).function.parameters;

describe.each(refusedSchemas)("$is", ({ schema, written, received: expected }) => {
  it("is refused by no provider, and the tool receives its own names", async () => {
    const { tool, received } = await toolFor(schema);
    await tool.invoke({ type: "tool_call", id: "c1", name: "t", args: written });
    expect(received).toEqual([expected]);
    const lists = toProviderLists("t", listedSchema(tool));
    expect(validateTools("openai", lists.openai)).toEqual([]);
    expect(validateTools("anthropic", lists.anthropic)).toEqual([]);
  });

  it.each(["openai", "anthropic", "gemini", "bedrock"] as const)(
    "follows the rules of %s if that is the provider",
    async (provider) => {
      const { tool } = await toolFor(schema, { provider });
      const lists = toProviderLists("t", listedSchema(tool));
      expect(validateTools(provider, lists[provider])).toEqual([]);
    },
  );
});
