import { defineTool, type Tool } from "@toolweave/core";
import { expect, test } from "vitest";
import { runConformance, type RuleResult } from "../../src/index.ts";

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

const readOnly = { input: { type: "object" }, annotations: { readOnlyHint: true } } as const;

/** The rule about repeated and concurrent calls, for calls without arguments. */
async function compareResults(tools: readonly Tool[], varies?: string): Promise<RuleResult> {
  const more = varies === undefined ? {} : { varies };
  const report = await runConformance(
    {
      name: "changing results",
      create: () => tools,
      samples: {
        succeedingCalls: tools.map(({ spec }) => ({ tool: spec.name, arguments: {}, ...more })),
      },
      without: "not of interest here",
    },
    { only: ["TW-CONC-002"] },
  );
  return report.rules.find(({ id }) => id === "TW-CONC-002")!;
}

test("results of read-only tools can have the time, ids, and the state of a cache", async () => {
  let calls = 0;
  const report = defineTool({
    ...readOnly,
    name: "read_report",
    description: "Read a report.",
    execute: () => {
      calls += 1;
      const now = Date.now();
      return {
        title: "Tea",
        request: crypto.randomUUID(),
        requestId: calls,
        id: `req_${calls}`,
        at: new Date().toISOString(),
        modified: new Date().toUTCString(),
        seconds: Math.floor(now / 1000),
        ms: now + calls / 1000,
        text: `Done at ${new Date().toLocaleTimeString("en")} in ${performance.now()} ms.`,
        cached: calls > 1,
      };
    },
  });
  expect(await compareResults([report])).toMatchObject({ status: "passed" });
});

test("a result of a read-only tool can change because of the calls of other tools", async () => {
  const orders: string[] = [];
  const list = defineTool({
    ...readOnly,
    name: "list_orders",
    description: "Show what was ordered.",
    execute: () => [...orders],
  });
  const place = defineTool({
    name: "place_order",
    description: "Order a pot of tea.",
    input: { type: "object" },
    execute: () => orders.push("tea"),
  });
  expect(await compareResults([list, place])).toEqual(
    expect.objectContaining({
      status: "passed",
      message: expect.stringContaining("except for results that vary: place_order({})") as string,
    }),
  );
});

test("a read-only tool of chance breaks the rule, unless its sample call gives the reason", async () => {
  const roll = defineTool({
    ...readOnly,
    name: "roll",
    description: "Roll a die of so many sides that no number comes twice.",
    execute: () => 1 + Math.floor(Math.random() * 1e15),
  });
  expect(await compareResults([roll])).toMatchObject({
    status: "failed",
    message: expect.stringContaining(
      'roll({}) returns another result when it is repeated, although its tool is read-only: if that is meant, add the reason to the sample call as "varies"',
    ) as string,
  });
  expect(await compareResults([roll], "a die is random")).toMatchObject({
    status: "not-applicable",
    message: "Every result is another one each time: roll({}) (a die is random).",
  });
});
