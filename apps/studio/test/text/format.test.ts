import { expect, test } from "vitest";
import { formatBytes, formatCount, formatDuration, formatRelative } from "../../src/text/format.ts";

test.each([
  [0, "0 ms"],
  [999, "999 ms"],
  [1000, "1.00 s"],
  [59_900, "59.9 s"],
  [61_000, "1 min 1 s"],
  [7_800_000, "2 h 10 min"],
  [3 * 86_400_000, "3 days"],
])("%d milliseconds are %s", (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test.each([
  [1_000, "now"],
  [-30_000, "30 s ago"],
  [120_000, "in 2 min"],
  [-7_200_000, "2 h ago"],
  [-172_800_000, "2 d ago"],
])("%d milliseconds from now is %s", (distance, text) => {
  expect(formatRelative(1_000_000_000 + distance, 1_000_000_000)).toBe(text);
});

test("counts have the noun in the right number, and sizes their unit", () => {
  expect([formatCount(1, "tool"), formatCount(2000, "tool")]).toEqual(["1 tool", "2,000 tools"]);
  expect([512, 2048, 5 * 1024 ** 2].map(formatBytes)).toEqual(["512 B", "2.0 KiB", "5.0 MiB"]);
});
