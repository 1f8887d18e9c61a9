import { toolSearch, type ToolEmbedder } from "@toolweave/core/search";
import type { ToolEvent } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import { call, executorFor } from "../support/executor-for.ts";
import { completed } from "../support/outcomes.ts";
import { searched, shop } from "./shop.ts";

/** A model for which a pet is a creature. */
const creatures: ToolEmbedder = {
  id: "creatures",
  embed: (texts) => Promise.resolve(texts.map((text) => [/pet|creature/i.test(text) ? 1 : 0])),
};
const broken: ToolEmbedder = { id: "broken", embed: () => Promise.reject(new Error("no network")) };

describe("a search with an embedder", () => {
  test.each(["growing", "constant"] as const)("finds tools by meaning: %s", async (form) => {
    const executor = executorFor(shop);
    const without = executor.startRun({ search: toolSearch({ form }) });
    expect((await searched(without, "creature")).names).toEqual([]);
    const run = executor.startRun({ search: toolSearch({ form, embedder: creatures }) });
    expect((await searched(run, "creature")).names).toEqual([
      "add_pet",
      "delete_pet",
      "get_pet",
      "list_pet",
    ]);
  });

  test("embeds each tool once for all runs of an executor", async () => {
    let count = 0;
    const embed: ToolEmbedder["embed"] = (texts) => {
      count += texts.length;
      return creatures.embed(texts);
    };
    const search = toolSearch({ form: "growing", embedder: { id: "counted", embed } });
    const executor = executorFor(shop);
    await searched(executor.startRun({ search }), "creature");
    await searched(executor.startRun({ search }), "creature");
    expect(count).toBe(shop.length + 2);
  });

  test("reports a failed embedder to the host, and not to the model", async () => {
    const executor = executorFor(shop);
    const events: ToolEvent[] = [];
    executor.on((event) => events.push(event));
    const run = executor.startRun({ search: toolSearch({ form: "growing", embedder: broken }) });
    const outcome = await run.execute(call("search_tools", { query: "delete an invoice" }));
    const warnings = ["The embedder broken failed: no network. The search used words only."];
    const { result } = completed(outcome);
    expect(result.details).toEqual({ warnings });
    expect(JSON.stringify(result.content)).toContain("delete_invoice");
    expect(JSON.stringify(result.content)).not.toContain("no network");
    expect(events.at(-1)).toMatchObject({ type: "tool.completed", warnings });
  });

  test.each([
    [{ embedder: {} }, 'embedder is {}; use { id: "…", embed: async (texts) => … }.'],
    [{ embedder: null }, "embedder is null"],
    [{ embedder: { id: "", embed: creatures.embed } }, "embedder is"],
    [{ vectorCache: new Map() }, "give an embedder, too"],
    [{ embedder: creatures, vectorCache: {} }, "vectorCache is {}; use"],
  ])("is rejected for invalid options: %j", (options, message) => {
    expect(() => toolSearch({ form: "growing", ...(options as object) })).toThrow(message);
  });
});
