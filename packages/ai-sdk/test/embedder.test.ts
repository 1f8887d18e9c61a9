import { defineTool, ToolExecutor, ToolRegistry } from "@toolweave/core";
import { toolSearch } from "@toolweave/core/search";
import { MockEmbeddingModelV4 } from "ai/test";
import { describe, expect, it } from "vitest";
import { aiSdkEmbedder } from "../src/index.ts";

/** A model that returns the length of each text, for at most three texts in a call. */
function lengthModel(): MockEmbeddingModelV4 {
  return new MockEmbeddingModelV4({
    provider: "museum",
    modelId: "length-1",
    maxEmbeddingsPerCall: 3,
    doEmbed: async ({ values }) => ({
      embeddings: values.map((value) => [value.length, 1]),
      warnings: [],
    }),
  });
}

describe("aiSdkEmbedder", () => {
  it("embeds texts in order, in calls as large as the model takes", async () => {
    const model = lengthModel();
    const vectors = await aiSdkEmbedder(model).embed(["a", "bb", "ccc", "dddd"]);
    expect(vectors).toEqual([
      [1, 1],
      [2, 1],
      [3, 1],
      [4, 1],
    ]);
    expect(model.doEmbedCalls.map(({ values }) => values)).toEqual([["a", "bb", "ccc"], ["dddd"]]);
  });

  it("has the id of the provider and the model", () => {
    expect(aiSdkEmbedder(lengthModel()).id).toBe("museum:length-1");
    expect(aiSdkEmbedder("openai/text-embedding-3-small").id).toBe("openai/text-embedding-3-small");
  });

  it.each([undefined, null, {}, ""])("needs a model: %j", (model) => {
    expect(() => aiSdkEmbedder(model as never)).toThrow("aiSdkEmbedder needs an embedding model");
  });

  it("is the embedder of a tool search", async () => {
    const model = lengthModel();
    const guide = defineTool({
      name: "guide",
      description: "Shows the museum.",
      input: { type: "object" },
      execute: () => "guide",
    });
    const executor = new ToolExecutor({ registry: new ToolRegistry([guide]) });
    const search = toolSearch({ form: "growing", embedder: aiSdkEmbedder(model) });
    const run = executor.startRun({ search });
    await run.execute({ id: "1", name: "search_tools", arguments: { query: "a tour" } });
    expect(model.doEmbedCalls.flatMap(({ values }) => values)).toEqual([
      "guide. Shows the museum.",
      "a tour",
    ]);
    run.nextTurn();
    expect([...run.toolset.names()]).toContain("guide");
  });
});
