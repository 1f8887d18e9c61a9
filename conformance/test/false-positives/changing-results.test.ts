import { defineTool } from "@toolweave/core";
import { expect, test } from "vitest";
import { runConformance } from "../../src/index.ts";

test("a result that depends on effects of other calls is no false positive", async () => {
  const orders: string[] = [];
  const list = defineTool({
    name: "list_orders",
    description: "Show what was ordered.",
    input: { type: "object" },
    annotations: { readOnlyHint: true },
    execute: () => orders,
  });
  const place = defineTool({
    name: "place_order",
    description: "Order a pot of tea.",
    input: { type: "object" },
    annotations: { access: { filesystem: "write" } },
    execute: () => orders.push("tea"),
  });
  const report = await runConformance({
    name: "a shop",
    create: () => [list, place],
    samples: {
      succeedingCalls: [{ tool: "list_orders", arguments: {} }],
      effectCalls: [{ tool: "place_order", arguments: {}, count: () => orders.length }],
    },
    generatedCalls: "all",
    state: () => orders,
    without: "not of interest here",
  });
  expect(report.rules.filter(({ status }) => status === "failed")).toEqual([]);
});
