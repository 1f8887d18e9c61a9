// What several schemas say of one value, as one schema: for providers that know no allOf.
import type { JsonSchema } from "@toolweave/core";
import { describe, expect, it } from "vitest";
import { providerRules } from "../src/rules/all-rules.ts";
import { projection } from "../src/schema/projection.ts";

/** What is sent to Anthropic of a root that is all of these. */
function merged(...all: readonly JsonSchema[]) {
  const { schema, simplified } = projection(
    { type: "object", allOf: all },
    providerRules.anthropic,
  );
  return { schema, lost: simplified.map(({ path }) => path) };
}

/** What is sent of the property `a`, of which all of these are said. */
function mergedA(...all: readonly JsonSchema[]) {
  const { schema, lost } = merged(...all.map((a) => ({ properties: { a } })));
  return { a: (schema["properties"] as JsonSchema)["a"], lost };
}

/** What holds where `test` does not. */
function unless(test: JsonSchema, what: JsonSchema | boolean): JsonSchema {
  return { if: test, else: what };
}

describe("what two schemas say is said by one", () => {
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

describe("what one schema can't say is left to the executor, and reported", () => {
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

  it("of two objects that are closed, each for itself, the one that is both takes what either names", () => {
    const { schema, lost } = merged(
      { properties: { a: { type: "string" } }, additionalProperties: false },
      { properties: { b: { type: "string" } }, additionalProperties: { type: "integer" } },
    );
    expect(schema).toMatchObject({ properties: { a: {}, b: {} }, additionalProperties: false });
    expect(lost).toEqual(["/additionalProperties"]);
  });

  it("an object that is merged is closed for what it evaluates only where nothing is lost", () => {
    const closed = { unevaluatedProperties: false };
    const one = unless({ required: ["a"] }, { properties: { b: {} } });
    const other = unless({ required: ["a"] }, { properties: { c: {} } });
    expect(merged(one, closed).schema).toHaveProperty("unevaluatedProperties", false);
    expect(merged(closed, one, other).schema).not.toHaveProperty("unevaluatedProperties");
  });
});
