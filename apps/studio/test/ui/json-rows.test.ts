import { expect, test } from "vitest";
import { parseExactJson } from "../../src/json/parse-json.ts";
import { fromValue, jsonText } from "../../src/json/write-json.ts";
import { jsonRows, previewValue } from "../../src/ui/json-rows.ts";

test("the first levels of a small value are open, and pointers are escaped", () => {
  const rows = jsonRows({ "a/b": { "c~d": { e: 1 } }, list: [true] }, new Set());
  expect(rows.map(({ pointer, depth }) => [pointer, depth])).toEqual([
    ["", 0],
    ["/a~1b", 1],
    ["/a~1b/c~0d", 2],
    ["/list", 1],
    ["/list/0", 2],
  ]);
});

test("a toggled node is closed, or opened", () => {
  const value = { a: { b: { c: 1 } } };
  expect(jsonRows(value, new Set(["/a"]))).toHaveLength(2);
  expect(jsonRows(value, new Set(["/a/b"]))).toHaveLength(4);
});

test("a large array is closed, so that its items cost nothing", () => {
  const rows = jsonRows({ items: Array.from({ length: 100_000 }, (_, index) => index) }, new Set());
  expect(rows).toHaveLength(2);
  expect(rows[1]).toMatchObject({ size: 100_000, isOpen: false });
});

test("an empty object has nothing to open", () => {
  expect(jsonRows({}, new Set())).toEqual([{ pointer: "", depth: 0, value: {}, isOpen: false }]);
});

test("previews name the members of a closed node", () => {
  expect(previewValue({ a: 1, b: 2, c: 3, d: 4, e: 5 })).toBe("{ a, b, c, d, … 5 members }");
  expect([[], {}, [1], "x", null].map(previewValue)).toEqual(["[]", "{}", "[ 1 ]", '"x"', "null"]);
});

test("integers have all digits of the text, when they are displayed and when they are copied", () => {
  const value = parseExactJson('{"id":12345678901234567891,"small":-1,"part":0.1}') ?? null;
  const texts = jsonRows(value, new Set()).map((row) => previewValue(row.value));
  expect(texts).toEqual(["{ id, small, part }", "12345678901234567891", "-1", "0.1"]);
  expect(jsonText(fromValue(value))).toContain('"id": 12345678901234567891');
  expect(JSON.stringify(value)).toBe('{"id":12345678901234567000,"small":-1,"part":0.1}');
});

test("text that is no JSON has no value", () => {
  expect(parseExactJson("[1234567890123456789")).toBeUndefined();
  expect(parseExactJson("{")).toBeUndefined();
});
