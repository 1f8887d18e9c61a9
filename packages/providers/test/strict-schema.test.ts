import fc from "fast-check";
import type { JsonSchema } from "@toolweave/core";
import { describe, expect, it } from "vitest";
import { isStrictSchema } from "../src/index.ts";

const object = (properties: Record<string, unknown>, more: object = {}): JsonSchema =>
  ({
    type: "object",
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
    ...more,
  }) as JsonSchema;

describe("a schema that strict mode accepts", () => {
  it.each<[string, JsonSchema]>([
    ["has no properties", object({})],
    [
      "has properties of every type",
      object({ a: { type: ["string", "null"] }, b: { enum: [1, 2] } }),
    ],
    [
      "has lists and objects",
      object({ a: { type: "array", items: object({ b: { type: "number" } }) } }),
    ],
    ["has alternatives", object({ a: { anyOf: [{ type: "string" }, { type: "null" }] } })],
    ["has definitions", object({ a: { $ref: "#/$defs/a" } }, { $defs: { a: { type: "string" } } })],
    ["refers to itself", object({ next: { anyOf: [{ $ref: "#" }, { type: "null" }] } })],
    [
      "has a known format and bounds",
      object({ a: { type: "string", format: "date", pattern: "^2" } }),
    ],
  ])("%s", (_, schema) => {
    expect(isStrictSchema(schema)).toBe(true);
  });
});

describe("a schema that strict mode refuses", () => {
  const deep = (levels: number): JsonSchema =>
    levels === 0 ? object({}) : object({ a: deep(levels - 1) });
  const lists = (levels: number): object => {
    let list: object = { type: "string" };
    for (let level = 0; level < levels; level += 1) list = { type: "array", items: list };
    return list;
  };

  it.each<[string, JsonSchema]>([
    ["is not an object", { type: "string" }],
    ["is an alternative of objects", { ...object({}), anyOf: [object({})] }],
    ["does not close its properties", { type: "object", properties: {}, required: [] }],
    ["allows other properties", object({}, { additionalProperties: true })],
    ["has a property that is optional", object({ a: { type: "string" } }, { required: [] })],
    ["requires an undeclared property", object({}, { required: ["a"] })],
    ["has an optional property deep inside", object({ a: object({ b: {} }, { required: [] }) })],
    ["has a property of any type", object({ a: {} })],
    ["has a type that does not exist", object({ a: { type: "date" } })],
    ["has a format that it does not know", object({ a: { type: "string", format: "uri" } })],
    ["has a pattern with a lookahead", object({ a: { type: "string", pattern: "^(?!x)" } })],
    ["has a pattern with a lookbehind", object({ a: { type: "string", pattern: "(?<=x)y" } })],
    ["is an enum at the root", object({}, { enum: ["a"] })],
    ["is a const at the root", object({}, { const: "a" })],
    [
      "has one enum of more than 250 values and 15 000 characters",
      object({ a: { enum: Array.from({ length: 251 }, (_, n) => `${n}`.padEnd(60, "x")) } }),
    ],
    ["has a default", object({ a: { type: "string", default: "" } })],
    ["has oneOf", object({ a: { oneOf: [{ type: "string" }] } })],
    ["has allOf", object({ a: { allOf: [{ type: "string" }] } })],
    ["has a list of anything", object({ a: { type: "array" } })],
    ["has names by pattern", object({}, { patternProperties: { a: { type: "string" } } })],
    ["refers to another document", object({ a: { $ref: "https://example.com/a" } })],
    ["is deeper than 10 levels", deep(10)],
    ["is a list of lists without end", object({ a: lists(100_000) })],
    [
      "has more than 1000 values",
      object({ a: { enum: Array.from({ length: 1001 }, (_, n) => n) } }),
    ],
    [
      "has more than 5000 properties",
      object(
        Object.fromEntries(Array.from({ length: 5001 }, (_, n) => [`p${n}`, { type: "null" }])),
      ),
    ],
    ["is not a schema of an object", true as never],
  ])("%s", (_, schema) => {
    expect(isStrictSchema(schema)).toBe(false);
  });

  it("is any valid one with one additional optional property", () => {
    const leaf = fc.constantFrom({ type: "string" }, { type: "integer" }, { enum: ["a", "b"] });
    const fit = fc.letrec<{ any: object; object: JsonSchema }>((tie) => ({
      any: fc.oneof({ maxDepth: 3 }, leaf, tie("object")),
      object: fc
        .dictionary(fc.stringMatching(/^[a-z]{1,5}$/), tie("any"), { minKeys: 1, maxKeys: 4 })
        .map((properties) => object(properties)),
    })).object;
    fc.assert(
      fc.property(fit, fc.nat(), (schema, index) => {
        expect(isStrictSchema(schema)).toBe(true);
        const required = schema["required"] as string[];
        const fewer = required.filter((_, at) => at !== index % required.length);
        expect(isStrictSchema({ ...schema, required: fewer })).toBe(false);
      }),
      { numRuns: 200 },
    );
  });
});
