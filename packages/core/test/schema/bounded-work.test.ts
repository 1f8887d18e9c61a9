// Small schemas and small data for which an unbounded validator never ends, or runs out of memory.
import { afterEach, describe, expect, test } from "vitest";
import { ajvValidator, type JsonSchema } from "@toolweave/core";
import type { CompiledSchema } from "@toolweave/core/adapter";
import { interpretedValidator } from "@toolweave/core/interpreted-validator";
import { inFullRun } from "@toolweave/test-support";
import { remainingWork, workBudgets } from "../../src/schema/pattern/work-budget.ts";

const usual = { ...workBudgets };
afterEach(() => void Object.assign(workBudgets, usual));

const ajv = ajvValidator();
await ajv.compile({ type: "object" });
const validators = [
  ["the default validator", ajv],
  ["the interpreted validator", interpretedValidator()],
] as const;

const letters = "a".repeat(1_000_000);
const keys = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`k${at}`, at]));
const numbers = Array.from({ length: 100_000 }, (_, at) => at);

const texts = Array.from({ length: 100 }, () => ({ type: "string" }));

/** Thirty schemas, each of which refers to the next one twice. */
function doubling(keyword: string, last: JsonSchema): JsonSchema {
  const $defs: Record<string, JsonSchema> = { d30: last };
  for (let at = 0; at < 30; at++) {
    const next = { $ref: `#/$defs/d${at + 1}` };
    $defs[`d${at}`] = { [keyword]: [next, next] };
  }
  return { $ref: "#/$defs/d0", $defs };
}

function nested<Value>(levels: number, wrap: (value: Value) => Value, inner: Value): Value {
  let value = inner;
  for (let level = 0; level < levels; level++) value = wrap(value);
  return value;
}

const twice = { allOf: [{ $ref: "#" }, { $ref: "#" }] };

describe.each(validators)("%s", (_, validator) => {
  // Without a bound each would take hours. A hundredth of the usual budget has the same result in
  // less time.
  test.each<[string, JsonSchema, unknown]>([
    ["a value visited 2^30 times", doubling("anyOf", { type: "string" }), 1],
    [
      "a tree visited 2^100 times",
      { properties: { a: twice } },
      nested<object>(100, (a) => ({ a }), {}),
    ],
    ["a schema that is itself, twice", { anyOf: twice.allOf }, 1],
    ["a long text measured 2^30 times", doubling("allOf", { minLength: 2 }), letters],
    ["a long text matched 2^30 times", doubling("allOf", { pattern: "(a|aa)*$" }), letters],
    ["many keys read 2^30 times", doubling("allOf", { propertyNames: { maxLength: 9 } }), keys],
    ["many keys counted 2^30 times", doubling("allOf", { maxProperties: 1e6 }), keys],
    ["items compared 2^30 times", doubling("allOf", { uniqueItems: true }), [...numbers, 0]],
    ["ten million problems", { items: { allOf: texts } }, numbers],
    ["a long enum, for many values", { items: { enum: [letters, [numbers]] } }, numbers],
  ])("stops %s", async (_, schema, value) => {
    const check: CompiledSchema = await validator.compile(schema);
    workBudgets.check = inFullRun(usual.check, usual.check / 100);
    const problems = check(value);
    // The last step may exceed the budget: the largest one reads the longest text. None comes after
    // it.
    expect(remainingWork()).toBeGreaterThan(-100_000_000);
    expect(problems).toEqual([
      { path: "", message: "cannot be checked in bounded time; send less" },
    ]);
  });

  test("checks merely large values", async () => {
    const item = {
      type: "object",
      properties: { id: { type: "integer" }, name: { type: "string", pattern: "^item \\d+$" } },
      required: ["id"],
      additionalProperties: false,
    };
    const check = await validator.compile({ type: "array", items: item, uniqueItems: true });
    const items = Array.from({ length: 10_000 }, (_, id) => ({ id, name: `item ${id}` }));
    expect(check(items)).toBe(undefined);
    expect(check([...items, { id: "x" }])?.[0]?.path).toMatch(/^\/10000/);
  });

  test.each<[string, JsonSchema, RegExp]>([
    [
      "deeper than 400 levels",
      nested<JsonSchema>(401, (items) => ({ items }), {}),
      /deeper than 400/,
    ],
    ["of 300,000 values", { enum: Array.from({ length: 300_000 }, (_, at) => at) }, /too large/],
    [
      "with long keys at many levels",
      nested<JsonSchema>(100, (a) => ({ properties: { [letters]: a } }), {}),
      /too large/,
    ],
    [
      "with a thousand patterns for keys",
      { patternProperties: Object.fromEntries(numbers.slice(0, 1000).map((at) => [`a${at}`, {}])) },
      /more than 500 patterns/,
    ],
  ])("refuses a schema %s", async (_, schema, reason) => {
    await expect((async () => validator.compile(schema))()).rejects.toThrow(reason);
  });
});

describe("the default validator", () => {
  const wide = (count: number, part: JsonSchema): JsonSchema => ({
    properties: Object.fromEntries(numbers.slice(0, count).map((at) => [`p${at}`, part])),
  });

  // Without a bound: minutes, or all the memory there is.
  test.each<[string, JsonSchema]>([
    [
      "one part written a thousand times",
      { ...wide(1000, { $ref: "#/$defs/a" }), $defs: { a: wide(1000, { type: "string" }) } },
    ],
    [
      "parts that are each written twice, within one another",
      nested<JsonSchema & { level?: number }>(
        40,
        (a) => ({ $dynamicAnchor: `a${JSON.stringify(a).length}`, properties: { a } }),
        {},
      ),
    ],
  ])("refuses %s", async (_, schema) => {
    workBudgets.compile = inFullRun(usual.compile, usual.compile / 100);
    await expect((async () => ajv.compile(schema))()).rejects.toThrow(
      "schema is too large to compile",
    );
    expect(remainingWork()).toBeLessThan(0);
  });

  test("finds within its budget which of five thousand properties are unevaluated", async () => {
    const schema = { ...wide(5000, { type: "string" }), unevaluatedProperties: false };
    const check = await ajv.compile(schema);
    expect(check({ p1: "x", p4999: "y" })).toBe(undefined);
    expect(check({ p5000: "x" })).toEqual([{ path: "/p5000", message: "is not a known property" }]);
  });
});
