import { expect, test } from "vitest";
import { findJsonDefect } from "../../src/faults/json-defect.ts";

const cycle: Record<string, unknown> = {};
cycle["a"] = [{ b: cycle }];

test.each<[what: string, value: unknown, path: string]>([
  ["NaN", { a: [1, NaN] }, "/a/1"],
  ["undefined", { "a/b~c": [undefined] }, "/a~1b~0c/0"],
  ["undefined", { a: Array.from({ length: 2 }).fill(1, 1) }, "/a/0"],
  ["function", { a: { toJSON: () => 1 } }, "/a/toJSON"],
  ["bigint", [1n], "/0"],
  ["symbol", { a: Symbol("a") }, "/a"],
  ["an instance of Date", { a: new Date(0) }, "/a"],
  ["an instance of Map", new Map(), ""],
  ["a cycle", cycle, "/a/0/b"],
])("%s is found where it is", (what, value, path) => {
  expect(findJsonDefect(value)).toEqual({ path, what });
});

test("plain data has no defect, including absent and shared values", () => {
  const shared = { unit: "cm" };
  const bare = Object.assign(Object.create(null), { a: 1 }) as object;
  expect(findJsonDefect({ a: undefined, b: shared, c: [shared, null, true, 0.5], bare })).toBe(
    undefined,
  );
});

test("shared values are visited once", () => {
  let value: object = { end: true };
  for (let level = 0; level < 100; level++) value = { left: value, right: value };
  expect(findJsonDefect(value)).toBe(undefined);
});
