import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inFullRun } from "@toolweave/test-support";
import { ajvValidator, type JsonSchema } from "@toolweave/core";
import { interpretedValidator } from "@toolweave/core/interpreted-validator";

const ajv = ajvValidator();
const interpreted = interpretedValidator();

async function verdicts(schema: JsonSchema, value: unknown): Promise<[boolean, boolean]> {
  const [a, b] = [await ajv.compile(schema), await interpreted.compile(schema)];
  return [a(value) === undefined, b(value) === undefined];
}

describe("both validators", () => {
  test.each<[string, JsonSchema, unknown, boolean]>([
    ["a multiple of hundredths", { multipleOf: 0.01 }, 19.99, true],
    ["no multiple of hundredths", { multipleOf: 0.01 }, 0.015, false],
    ["a multiple of tenths", { multipleOf: 0.1 }, 0.3, true],
    ["a multiple of 0.05", { multipleOf: 0.05 }, 999.95, true],
    ["a large multiple", { multipleOf: 1 }, 1e22, true],
    ["a large number that is no multiple", { multipleOf: 3 }, 1e22, false],
    ["a small factor", { multipleOf: 1e-8 }, 0.12345678, true],
    ["a factor below all digits", { type: "integer", multipleOf: 1e-300 }, 12391239123, true],
    ["a multiple of a fraction above 1", { multipleOf: 1.1 }, 3.3, true],
    ["a negative multiple", { multipleOf: 0.01 }, -19.99, true],
    ["0", { multipleOf: 0.01 }, 0, true],
    [
      "nullable beside a reference",
      { $defs: { a: { type: "string" } }, $ref: "#/$defs/a", nullable: true },
      null,
      false,
    ],
    ["nullable beside allOf", { allOf: [{ type: "string" }], nullable: true }, "a", true],
    ["nullable: false beside anyOf", { anyOf: [{ type: "null" }], nullable: false }, null, true],
    ["nullable beside an enum", { enum: ["a"], nullable: true }, null, false],
    ["nullable beside a type", { type: "string", nullable: true }, null, false],
    ["nullable: false beside null", { type: ["string", "null"], nullable: false }, null, true],
    [
      "a property named nullable",
      { properties: { nullable: { type: "string" } } },
      { nullable: 1 },
      false,
    ],
    [
      "nullable in items and properties",
      { items: { properties: { a: { nullable: true } } } },
      [{ a: 1 }],
      true,
    ],
    ["an empty enum", { enum: [] }, "a", false],
    ["an empty enum of a property that is absent", { properties: { a: { enum: [] } } }, {}, true],
    ["an empty enum in not", { not: { enum: [] } }, 1, true],
  ])("read %s exactly", async (_, schema, value, valid) => {
    expect(await verdicts(schema, value)).toEqual([valid, valid]);
  });

  const drafts = ["draft-04", "draft-06", "draft-07"].map(
    (draft) => `http://json-schema.org/${draft}/schema#`,
  );
  const [draft4 = "", draft6 = "", draft7 = ""] = drafts;
  const recent = ["2019-09", "2020-12"].map((d) => `https://json-schema.org/draft/${d}/schema`);
  const [, draft2020 = ""] = recent;

  test.each<[string, JsonSchema, unknown, boolean]>([
    ...drafts.map((draft): [string, JsonSchema, unknown, boolean] => [
      `siblings of a reference in ${draft}`,
      {
        $schema: draft,
        definitions: { a: {} },
        properties: { n: { $ref: "#/definitions/a", type: "string", minimum: 3, enum: [] } },
      },
      { n: 1 },
      true,
    ]),
    ...recent.map((draft): [string, JsonSchema, unknown, boolean] => [
      `siblings of a reference in ${draft}`,
      {
        $schema: draft,
        $defs: { a: {} },
        properties: { n: { $ref: "#/$defs/a", type: "string" } },
      },
      { n: 1 },
      false,
    ]),
    [
      "a reference at the root of draft-07",
      { $schema: draft7, $ref: "#/definitions/a", definitions: { a: { type: "string" } } },
      1,
      false,
    ],
    [
      "$defs of draft-07",
      { $schema: draft7, $ref: "#/$defs/a", $defs: { a: { type: "string" } } },
      1,
      false,
    ],
    [
      "exclusiveMinimum: true of draft-04",
      { $schema: draft4, minimum: 1, exclusiveMinimum: true },
      1,
      false,
    ],
    [
      "exclusiveMaximum: true of draft-04",
      { $schema: draft4, items: { maximum: 1, exclusiveMaximum: true } },
      [1],
      false,
    ],
    [
      "exclusiveMinimum: false of draft-04",
      { $schema: draft4, minimum: 1, exclusiveMinimum: false },
      1,
      true,
    ],
    [
      "a number for exclusiveMinimum in draft-06",
      { $schema: draft6, exclusiveMinimum: 1 },
      1,
      false,
    ],
    ["const in draft-04", { $schema: draft4, const: 1 }, 2, true],
    ["const in draft-06", { $schema: draft6, const: 1 }, 2, false],
    ["if in draft-06", { $schema: draft6, if: false, else: false }, 2, true],
    ["if in draft-07", { $schema: draft7, if: false, else: false }, 2, false],
    [
      "dependentRequired in draft-07",
      { $schema: draft7, dependentRequired: { a: ["b"] } },
      { a: 1 },
      true,
    ],
    [
      "unevaluatedProperties in draft-07",
      { $schema: draft7, unevaluatedProperties: false },
      { a: 1 },
      true,
    ],
    ["prefixItems in 2019-09", { $schema: recent[0] as string, prefixItems: [false] }, [1], true],
    [
      "$recursiveRef in 2020-12",
      { $schema: draft2020, properties: { a: { $recursiveRef: "#" } }, required: ["a"] },
      { a: {} },
      true,
    ],
    [
      "id in 2020-12",
      {
        $defs: { a: { type: "string" } },
        properties: { a: { id: "https://example.com/", $ref: "#/$defs/a" } },
      },
      { a: 1 },
      false,
    ],
  ])("read %s as the draft says", async (_, schema, value, valid) => {
    expect(await verdicts(schema, value)).toEqual([valid, valid]);
  });

  test("find the multiples among amounts", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: -1e6, max: 1e6 }),
        fc.integer({ min: 1, max: 500 }),
        fc.integer({ min: 0, max: 6 }),
        async (count, step, digits) => {
          const factor = Number(`${step}e-${digits}`);
          const multiple = Number(`${count * step}e-${digits}`);
          const beside = Number(`${count * step * 10 + 5}e-${digits + 1}`);
          const isMultiple = (count * step * 10 + 5) % (step * 10) === 0;
          expect(await verdicts({ multipleOf: factor }, multiple)).toEqual([true, true]);
          expect(await verdicts({ multipleOf: factor }, beside)).toEqual([isMultiple, isMultiple]);
        },
      ),
      { numRuns: inFullRun(2000, 100) },
    );
  });
});
