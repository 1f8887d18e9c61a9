import fc from "fast-check";
import { expect, test } from "vitest";
import { listWindow, rowOfKey, scrollToRow } from "../../src/ui/list-window.ts";

test("the window has every visible row, and few others", () => {
  fc.assert(
    fc.property(
      fc.nat({ max: 50_000 }),
      fc.integer({ min: 10, max: 80 }),
      fc.nat({ max: 3_000_000 }),
      fc.integer({ min: 0, max: 2000 }),
      (count, rowHeight, scrollTop, viewHeight) => {
        const { start, end } = listWindow(count, rowHeight, scrollTop, viewHeight);
        expect(start).toBeGreaterThanOrEqual(0);
        expect(end).toBeLessThanOrEqual(count);
        expect(end - start).toBeLessThanOrEqual(Math.ceil(viewHeight / rowHeight) + 16 + 1);
        const first = Math.min(Math.floor(scrollTop / rowHeight), count);
        const last = Math.min(Math.ceil((scrollTop + viewHeight) / rowHeight), count);
        expect(first >= last || (start <= first && last <= end)).toBe(true);
      },
    ),
  );
});

test("a row in view does not move the list; others come to its edge", () => {
  expect(scrollToRow(5, 20, 100, 200)).toBeUndefined();
  expect(scrollToRow(4, 20, 100, 200)).toBe(80);
  expect(scrollToRow(15, 20, 100, 200)).toBe(120);
});

test.each([
  ["ArrowDown", 4, 5],
  ["j", 4, 5],
  ["ArrowUp", 0, 0],
  ["k", 4, 3],
  ["PageDown", 4, 9],
  ["End", 4, 9],
  ["Home", 4, 0],
  ["x", 4, undefined],
  ["constructor", 4, undefined],
] as const)("%s at row %d of 10 leads to %s", (key, current, expected) => {
  expect(rowOfKey(key, current, 10, 8)).toBe(expected);
});

test("an empty list has no row to go to", () => {
  expect(rowOfKey("ArrowDown", -1, 0, 8)).toBeUndefined();
});
