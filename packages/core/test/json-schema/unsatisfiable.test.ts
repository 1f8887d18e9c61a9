import { describe, expect, test } from "vitest";
import fc from "fast-check";
import { ajvValidator, type JsonSchema } from "@toolweave/core";
import { inFullRun } from "@toolweave/test-support";
import { findUnsatisfiable } from "@toolweave/core/adapter";

const draft7 = "http://json-schema.org/draft-07/schema#";

describe("a place for which no value is valid is found", () => {
  test.each<[JsonSchema, string, RegExp]>([
    [{ type: "integer", enum: ["1"] }, "", /no value of its enum is of the type integer/],
    [{ type: "string", const: 1 }, "", /no value of its const is of the type string/],
    [{ properties: { a: { type: "string", enum: [] } } }, "/properties/a", /its enum is empty/],
    [{ enum: [1, 2], const: 3 }, "", /in common/],
    [{ allOf: [{ type: "string" }, { type: "integer" }] }, "", /"integer" and "string"/],
    [
      { $defs: { a: { type: "string" } }, items: { $ref: "#/$defs/a", type: "null" } },
      "/items",
      /"string" and "null"/,
    ],
    [{ type: "integer", minimum: 3, exclusiveMaximum: 3 }, "", /minimum 3 and exclusiveMaximum 3/],
    [{ type: "string", allOf: [{ minLength: 3 }, { maxLength: 2 }] }, "", /exclude each other/],
    [
      { type: "object", properties: { a: {} }, required: ["b"], additionalProperties: false },
      "",
      /requires "b", and additionalProperties: false of the schema refuses/,
    ],
    [{ properties: { a: {} }, required: ["b"], additionalProperties: false }, "", /requires "b"/],
    [
      {
        type: "object",
        allOf: [
          { properties: { first: {} }, additionalProperties: false },
          { properties: { last: { type: "string" } } },
        ],
      },
      "/allOf/1/properties/last",
      /additionalProperties: false of \/allOf\/0/,
    ],
    [
      {
        type: "object",
        allOf: [{ properties: { a: { type: "string" } } }],
        properties: {
          b: {
            type: "object",
            properties: { c: {} },
            required: ["d"],
            unevaluatedProperties: false,
          },
        },
        unevaluatedProperties: false,
      },
      "/properties/b",
      /requires "d"/,
    ],
    [
      {
        allOf: [
          { properties: { a: { type: "string" } } },
          { properties: { a: { type: "integer" } } },
        ],
      },
      "/allOf/1/properties/a",
      /"integer" and "string"/,
    ],
    [
      { allOf: [{ items: { type: "string" } }, { items: { type: "integer" } }] },
      "/allOf/1/items",
      /"integer" and "string"/,
    ],
    [{ type: "object", properties: { a: false }, required: ["a"] }, "", /requires "a"/],
    [
      { type: "object", properties: { next: { $ref: "#" } }, required: ["next"] },
      "",
      /contain itself, without an end/,
    ],
    [{ type: "array", items: { $ref: "#" }, minItems: 1 }, "", /contain itself/],
    [
      { type: "string", anyOf: [{ type: "null" }, { minLength: 1, maxLength: 0 }] },
      "",
      /none of its anyOf/,
    ],
    [{ type: "string", oneOf: [{ enum: [1] }, { enum: [2] }] }, "", /none of its oneOf/],
    [
      { properties: { a: { $dynamicRef: "#node" } } },
      "/properties/a",
      /"#node" leads to no schema/,
    ],
  ])("%j: %s", (schema, pointer, reason) => {
    const found = findUnsatisfiable(schema);
    expect(found[0]).toEqual({ pointer, reason: expect.stringMatching(reason) });
    expect(found).toHaveLength(1);
  });
});

describe("nothing is found in a schema", () => {
  test.each<[string, JsonSchema]>([
    [
      "that is meant to refuse",
      { properties: { a: false, b: { not: {} } }, additionalProperties: false },
    ],
    [
      "of which a branch is possible",
      { type: "object", anyOf: [{ type: "null" }, { required: ["a"] }] },
    ],
    [
      "that contains itself with an end",
      {
        type: "object",
        required: ["next"],
        properties: { next: { anyOf: [{ $ref: "#" }, { type: "null" }] } },
      },
    ],
    [
      "with a list of itself",
      {
        type: "object",
        required: ["a"],
        properties: { a: { type: "array", items: { $ref: "#" } } },
      },
    ],
    [
      "of draft-07 beside a reference",
      {
        $schema: draft7,
        definitions: { a: {} },
        properties: { a: { $ref: "#/definitions/a", enum: [] } },
      },
    ],
    ["below not and if", { not: { type: "string", enum: [1] }, if: { enum: [] } }],
    ["that is not used", { $defs: { a: { type: "string", enum: [1] } } }],
    [
      "with integers of the type number",
      { type: "integer", allOf: [{ type: "number" }], enum: [1.0] },
    ],
    [
      "with patterns for names",
      {
        type: "object",
        required: ["b"],
        patternProperties: { "^b": {} },
        additionalProperties: false,
      },
    ],
    [
      "that is closed over its parts",
      {
        type: "object",
        allOf: [{ $ref: "#/$defs/a" }, { if: {}, else: { properties: { c: {} } } }],
        required: ["a", "c"],
        $defs: { a: { properties: { a: {} } } },
        unevaluatedProperties: false,
      },
    ],
    ["with bounds for another type", { type: "string", minimum: 3, maximum: 1 }],
    ["with an anchor", { $dynamicAnchor: "node", properties: { a: { $dynamicRef: "#node" } } }],
    ["that contains itself by allOf", { allOf: [{ $ref: "#" }] }],
  ])("%s", (_, schema) => {
    expect(findUnsatisfiable(schema)).toEqual([]);
  });

  test("for which some value is valid", async () => {
    const validator = ajvValidator();
    const leaf = fc.constantFrom<JsonSchema>(
      { type: "string" },
      { type: "integer", minimum: 1 },
      { enum: [1, "a", null] },
      { const: "a" },
      {
        type: "object",
        properties: { a: { type: "integer" } },
        required: ["a"],
        additionalProperties: false,
      },
      { type: "array", items: { type: "string" }, minItems: 1 },
      { type: ["null", "number"], maximum: 0 },
      { properties: { b: { type: "string" } }, unevaluatedProperties: false },
      { $ref: "#" },
    );
    const { schema } = fc.letrec<{ schema: JsonSchema }>((tie) => ({
      schema: fc.oneof(
        { depthSize: "small" },
        { weight: 3, arbitrary: leaf },
        fc.record({ allOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }) }),
        fc.record({ anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 2 }) }),
        fc.record({
          type: fc.constant("object"),
          properties: fc.record({ a: tie("schema"), b: tie("schema") }),
          required: fc.subarray(["a", "b", "c"]),
        }),
        fc.record({ type: fc.constant("array"), items: tie("schema"), minItems: fc.nat(1) }),
      ) as fc.Arbitrary<JsonSchema>,
    }));
    const values: readonly unknown[] = [
      null,
      0,
      1,
      -1,
      0.5,
      "a",
      "b",
      [],
      ["a"],
      [1],
      [null],
      {},
      { a: 1 },
      { b: "a" },
      { a: 1, b: "a" },
      { a: { a: 1 } },
      { a: "a", b: "b" },
      [{ a: 1 }],
      { a: null, b: null },
      { a: 1, b: 1, c: 1 },
    ];
    await fc.assert(
      fc.asyncProperty(schema, async (schema) => {
        if (!findUnsatisfiable(schema).some(({ pointer }) => pointer === "")) return;
        const hasType = (value: unknown): boolean =>
          typeof value === "object" && !Array.isArray(value);
        let check;
        try {
          check = await validator.compile(schema);
        } catch {
          return;
        }
        for (const value of values) {
          // A schema of objects without a type is found by its objects alone.
          if (!hasType(value) && "properties" in schema && !("type" in schema)) continue;
          try {
            expect([schema, value, check(value) === undefined]).toEqual([schema, value, false]);
          } catch (error) {
            // A schema that refers to itself without a step has no verdict.
            if (!(error instanceof RangeError)) throw error;
          }
        }
      }),
      { numRuns: inFullRun(3000, 150) },
    );
  });
});
