// Several schemas for one value, merged into one: for providers without allOf.
import type { JsonSchema } from "@toolweave/core";
import { describe, expect, it } from "vitest";
import { providerRules } from "../src/rules/all-rules.ts";
import { projection } from "../src/schema/projection.ts";

/** The schema for Anthropic of a root that is all of these. */
function merged(...all: readonly JsonSchema[]) {
  const { schema, simplified } = projection(
    { type: "object", allOf: all },
    providerRules.anthropic,
  );
  return { schema, lost: simplified.map(({ path }) => path) };
}

/** The sent schema of the property `a`, which has all of these. */
function mergedA(...all: readonly JsonSchema[]) {
  const { schema, lost } = merged(...all.map((a) => ({ properties: { a } })));
  return { a: (schema["properties"] as JsonSchema)["a"], lost };
}

/** The schema of values that `test` refuses. */
function unless(test: JsonSchema, what: JsonSchema | boolean): JsonSchema {
  return { if: test, else: what };
}

describe("two schemas are merged into one", () => {
  it.each<[JsonSchema, JsonSchema, JsonSchema]>([
    [
      { minimum: 1, maximum: 9 },
      { minimum: 3, maximum: 7 },
      { minimum: 3, maximum: 7 },
    ],
    [
      { minLength: 3, maxItems: 2 },
      { minLength: 1, maxItems: 4 },
      { minLength: 3, maxItems: 2 },
    ],
    [{ type: ["number", "string"] }, { type: "integer" }, { type: "integer" }],
    [
      { type: ["string", "null"] },
      { type: ["null", "string", "array"] },
      { type: ["string", "null"] },
    ],
    [{ enum: ["a", "b", 1] }, { enum: [1, "b", "c"] }, { enum: ["b", 1] }],
    [{ required: ["x"] }, { required: ["y", "x"] }, { required: ["x", "y"] }],
    [{ items: { minimum: 1 } }, { items: { maximum: 2 } }, { items: { minimum: 1, maximum: 2 } }],
    [{ uniqueItems: false }, { uniqueItems: true }, { uniqueItems: true }],
    [{ pattern: "^a" }, { pattern: "^a", description: "B." }, { pattern: "^a", description: "B." }],
    [{ description: "A." }, { description: "B.", title: "b" }, { description: "A.", title: "b" }],
    [
      { anyOf: [{ type: "string" }] },
      { oneOf: [{ maxLength: 1 }] },
      { anyOf: [{ type: "string" }], oneOf: [{ maxLength: 1 }] },
    ],
  ])("%j and %j", (first, second, both) => {
    expect(mergedA(first, second)).toEqual({ a: both, lost: [] });
  });
});

describe("a schema that cannot be merged is left to the executor, and reported", () => {
  it.each<[JsonSchema, JsonSchema, string]>([
    [{ pattern: "^a" }, { pattern: "b$" }, "pattern"],
    [{ anyOf: [{ type: "string" }] }, { anyOf: [{ type: "number" }] }, "anyOf"],
    [{ enum: ["a"] }, { enum: ["b"] }, "enum"],
    [{ type: "string" }, { type: "object" }, "type"],
    [{ contains: { const: 1 } }, { contains: { const: 2 } }, "contains"],
    [unless({ type: "null" }, false), unless({ type: "string" }, false), "if"],
  ])("%j and %j", (first, second, keyword) => {
    expect(mergedA(first, second)).toEqual({ a: first, lost: [`/${keyword}`] });
  });

  it("two closed objects accept, when merged, the properties of either", () => {
    const { schema, lost } = merged(
      { properties: { a: { type: "string" } }, additionalProperties: false },
      { properties: { b: { type: "string" } }, additionalProperties: { type: "integer" } },
    );
    expect(schema).toMatchObject({ properties: { a: {}, b: {} }, additionalProperties: false });
    expect(lost).toEqual(["/additionalProperties"]);
  });

  it("a merged object is closed for its evaluated properties only if nothing is lost", () => {
    const closed = { unevaluatedProperties: false };
    const one = unless({ required: ["a"] }, { properties: { b: {} } });
    const other = unless({ required: ["a"] }, { properties: { c: {} } });
    expect(merged(one, closed).schema).toHaveProperty("unevaluatedProperties", false);
    expect(merged(closed, one, other).schema).not.toHaveProperty("unevaluatedProperties");
  });
});
