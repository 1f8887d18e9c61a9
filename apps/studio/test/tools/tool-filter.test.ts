import type { ToolRow } from "@toolweave/console";
import { expect, test } from "vitest";
import { cpuMilliseconds, linearWorkMs } from "@toolweave/test-support";
import { filterTools, indexTools } from "../../src/tools/tool-filter.ts";
import { makeTools } from "../support/fake-data.ts";

const rows: readonly ToolRow[] = [
  { name: "b_create_issue", line: "Creates an issue.", source: "b", effect: "ask" },
  { name: "create_label", line: "Creates a label.", source: "a", effect: "allow" },
  { name: "get", title: "Create nothing", line: "Reads.", source: "a", effect: "deny" },
  { name: "old", line: "Reads.", source: "a", effect: "allow", unavailable: "It has exited." },
];
const index = indexTools(rows);
const all = { query: "", source: "", effect: "", state: "" };
const find = (changes: Partial<typeof all>): readonly string[] =>
  filterTools(index, { ...all, ...changes }).map(({ name }) => name);

test("names that begin with the query come first, then names with it, then titles and lines", () => {
  expect(find({ query: "CREATE" })).toEqual(["create_label", "b_create_issue", "get"]);
});

test("every word must be there, in any order", () => {
  expect(find({ query: "issue create" })).toEqual(["b_create_issue"]);
  expect(find({ query: "issue label" })).toEqual([]);
});

test("source, decision and state choose", () => {
  expect(find({ source: "a" })).toEqual(["create_label", "get", "old"]);
  expect(find({ source: "a", effect: "allow" })).toEqual(["create_label", "old"]);
  expect(find({ state: "unavailable" })).toEqual(["old"]);
  expect(find({ state: "available", effect: "allow" })).toEqual(["create_label"]);
});

test("sources are counted", () => {
  expect(index.sources).toEqual([
    ["a", 3],
    ["b", 1],
  ]);
});

test("searches in 50,000 tools take linear time", async () => {
  const large = indexTools(makeTools(50_000));
  const search = () =>
    ["d", "delete invoice", "github list zzz"].map((query) =>
      filterTools(large, { ...all, query }),
    );
  expect(await cpuMilliseconds(search)).toBeLessThan(linearWorkMs);
});
