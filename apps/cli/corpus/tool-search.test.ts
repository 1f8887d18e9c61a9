import { ToolRegistry } from "@toolweave/core";
import { ToolIndex } from "@toolweave/core/search";
import { openApiSource } from "@toolweave/openapi";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { specs } from "../../../packages/openapi/corpus/documents.ts";
import { gitHubQuestions } from "./search/newcomer-questions.ts";

describe("tool search among the operations of GitHub", () => {
  it("finds 11 of 12 answers to newcomers' questions in the first three", async () => {
    const registry = new ToolRegistry([openApiSource.fromFile(join(specs, "github-api-3.0.json"))]);
    await registry.ready;
    const index = new ToolIndex();
    index.update(registry.toolset());
    const missed = gitHubQuestions.filter(
      ({ text, tools }) => !index.search(text, 3).some(({ name }) => tools.includes(name)),
    );
    expect(gitHubQuestions).toHaveLength(12);
    expect(missed.slice(1)).toEqual([]);
  });
});
