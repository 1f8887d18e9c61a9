import type { JsonValue } from "@toolweave/core";
import { mergeKeyword } from "@toolweave/core/adapter";
import { expect, test } from "vitest";

const merge = (keyword: string, a: JsonValue, b: JsonValue): JsonValue | undefined =>
  mergeKeyword(keyword, a, b, (one, other) => ({ allOf: [one, other] }));

test.each<[string, JsonValue, JsonValue, JsonValue]>([
  ["minLength", 1, 2, 2],
  ["exclusiveMaximum", 1, 2, 1],
  ["type", ["number", "null"], ["integer", "string"], "integer"],
  ["type", ["number", "integer"], "number", ["number", "integer"]],
  ["enum", [{ a: 1, b: 2 }, 3], [{ b: 2, a: 1 }], [{ a: 1, b: 2 }]],
  ["required", ["a"], ["b", "a"], ["a", "b"]],
  ["uniqueItems", false, true, true],
  ["items", { minimum: 1 }, false, { allOf: [{ minimum: 1 }, false] }],
  ["properties", { a: {}, b: true }, { a: false }, { a: { allOf: [{}, false] }, b: true }],
  ["dependentRequired", { a: ["b"] }, { a: ["c"], d: [] }, { a: ["b", "c"], d: [] }],
])("two values of %s mean both: %j and %j", (keyword, a, b, both) => {
  expect(merge(keyword, a, b)).toEqual(both);
});

test.each<[string, JsonValue, JsonValue]>([
  ["type", "string", "null"],
  ["enum", ["a"], ["b"]],
  ["pattern", "^a", "b$"],
  ["multipleOf", 2, 3],
  ["minimum", 2, "3"],
])("no single value of %s means both %j and %j", (keyword, a, b) => {
  expect(merge(keyword, a, b)).toBeUndefined();
});
