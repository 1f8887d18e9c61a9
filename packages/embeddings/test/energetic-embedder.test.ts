import { defineTool, ToolRegistry, type Tool } from "@toolweave/core";
import { HybridToolIndex } from "@toolweave/core/search";
import { describe, expect, it } from "vitest";
import { energeticEmbedder } from "../src/index.ts";

function tool(name: string, description: string): Tool {
  return defineTool({ name, description, input: { type: "object" }, execute: () => name }) as Tool;
}

describe("the embedding model of npm", () => {
  it("finds a tool that has none of the words of the query", async () => {
    const index = new HybridToolIndex(energeticEmbedder());
    index.update(
      new ToolRegistry([
        tool("get_forecast", "Weather of the next days for a place."),
        tool("book_flight", "Book a seat on a plane."),
        tool("list_invoices", "List the invoices of a customer."),
      ]).toolset(),
    );
    const { matches, warnings } = await index.search("will it rain tomorrow", 1);
    expect(warnings).toEqual([]);
    expect(matches.map(({ name }) => name)).toEqual(["get_forecast"]);
  });

  it("returns a vector of 512 numbers for each of many texts, in order", async () => {
    const embedder = energeticEmbedder();
    const texts = Array.from({ length: 9 }, (_, place) => `text ${place}`);
    const vectors = await embedder.embed(texts);
    expect(vectors.map(({ length }) => length)).toEqual(texts.map(() => 512));
    const [last] = await embedder.embed(texts.slice(-1));
    for (const [place, value] of last?.entries() ?? []) {
      expect(vectors.at(-1)?.[place]).toBeCloseTo(value, 4);
    }
    expect(await embedder.embed([])).toEqual([]);
  });
});
