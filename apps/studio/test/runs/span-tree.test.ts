import type { Span } from "@toolweave/console";
import { cpuMilliseconds, linearWorkMs } from "@toolweave/test-support";
import { expect, test } from "vitest";
import { buildSpanTree, filterSpans } from "../../src/runs/span-tree.ts";
import { makeTools } from "../support/fake-data.ts";
import { makeRun } from "../support/fake-runs.ts";

const span = (id: string, from: number, changes: Partial<Span> = {}): Span => ({
  id,
  callId: id,
  kind: "call",
  tool: `tool_${id}`,
  from,
  state: "ok",
  ...changes,
});
const spans = [
  span("b", 20),
  span("a2", 12, { parent: "a", state: "error", code: "timeout" }),
  span("a", 10),
  span("a1", 11, { parent: "a" }),
  span("a1x", 11, { parent: "a1" }),
  span("orphan", 5, { parent: "missing" }),
];
const none = { query: "", isFailedOnly: false, collapsed: new Set<string>() };
const ids = (nodes: ReturnType<typeof buildSpanTree>): readonly string[] =>
  nodes.map(({ span, depth }) => `${"·".repeat(depth)}${span.id}`);

test("spans are ordered by their start, each before those below it", () => {
  expect(ids(buildSpanTree(spans))).toEqual(["orphan", "a", "·a1", "··a1x", "·a2", "b"]);
});

test("a collapsed span hides everything below it", () => {
  const tree = buildSpanTree(spans);
  const hide = (...collapsed: string[]) =>
    ids(filterSpans(tree, { ...none, collapsed: new Set(collapsed) }));
  expect(hide("a1")).toEqual(["orphan", "a", "·a1", "·a2", "b"]);
  expect(hide("a")).toEqual(["orphan", "a", "b"]);
});

test("a filter keeps the spans above a match, whether they are collapsed or not", () => {
  const tree = buildSpanTree(spans);
  const failed = filterSpans(tree, { ...none, isFailedOnly: true, collapsed: new Set(["a"]) });
  expect(ids(failed)).toEqual(["a", "·a2"]);
  expect(ids(filterSpans(tree, { ...none, query: "timeout" }))).toEqual(["a", "·a2"]);
  expect(ids(filterSpans(tree, { ...none, query: "TOOL_A1X call" }))).toEqual([
    "a",
    "·a1",
    "··a1x",
  ]);
  expect(filterSpans(tree, { ...none, query: "nothing" })).toEqual([]);
});

test("spans that are each other's parents are not displayed, and do not hang the page", () => {
  const circle = [span("x", 1, { parent: "y" }), span("y", 2, { parent: "x" }), span("z", 3)];
  expect(ids(buildSpanTree(circle))).toEqual(["z"]);
});

test("a run of 50,000 spans is put in order in linear time, a chain of them as well", async () => {
  const run = makeRun("run", makeTools(100), 50_000);
  expect(await cpuMilliseconds(() => buildSpanTree(run.spans))).toBeLessThan(linearWorkMs);
  const chain = Array.from({ length: 50_000 }, (_, index) =>
    span(String(index), index, index === 0 ? {} : { parent: String(index - 1) }),
  );
  expect(buildSpanTree(chain)).toHaveLength(50_000);
});
