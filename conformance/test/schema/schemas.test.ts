import { ajvValidator, type JsonObject, type JsonSchema } from "@toolweave/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { walkSubschemas } from "@toolweave/core/adapter";
import { generateBreaches } from "../../src/schema/breaches.ts";
import { findKeyword, References } from "../../src/schema/references.ts";
import { collectPropertyNames } from "../../src/checks/spec/schema-checks.ts";
import { generateValues } from "../../src/schema/value-arbitrary.ts";
import { collectValueShapes } from "../../src/checks/spec/input-checks.ts";

const leaf: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.record({ type: fc.constant("string"), minLength: fc.nat(3) }),
  fc.record({ type: fc.constant("string"), maxLength: fc.nat(5) }),
  fc.record({
    type: fc.constant("integer"),
    minimum: fc.integer(),
    multipleOf: fc.integer({ min: 1, max: 9 }),
  }),
  fc.record({
    type: fc.constant("number"),
    exclusiveMinimum: fc.nat(9),
    maximum: fc.integer({ min: 20, max: 99 }),
  }),
  fc.record({ type: fc.constant(["boolean", "null"]) }),
  fc.record({ enum: fc.uniqueArray(fc.oneof(fc.string(), fc.integer()), { minLength: 1 }) }),
  fc.record({ const: fc.oneof(fc.string(), fc.boolean()) }),
  fc.constant({ $ref: "#/$defs/shared" }),
  fc.constant({ anyOf: [{ type: "string" }, { type: "integer" }] }),
) as fc.Arbitrary<JsonObject>;

const inner: fc.Arbitrary<JsonObject> = fc.oneof(
  leaf,
  fc.record({
    type: fc.constant("array"),
    items: leaf,
    minItems: fc.nat(2),
    maxItems: fc.integer({ min: 2, max: 4 }),
  }),
  createObject(leaf),
) as fc.Arbitrary<JsonObject>;

const schemas = createObject(inner).map((schema) => ({
  ...schema,
  $defs: { shared: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] } },
}));

function createObject(property: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> {
  const names = fc.constantFrom("a", "b", "c", "d");
  return fc
    .record({
      properties: fc.dictionary(names, property, { minKeys: 1, noNullPrototype: true }),
      required: fc.uniqueArray(names),
      closed: fc.boolean(),
    })
    .map(({ properties, required, closed }) => ({
      type: "object",
      properties,
      required: closed ? required.filter((name) => name in properties) : required,
      additionalProperties: !closed,
    }));
}

const validator = ajvValidator();

async function accepts(schema: JsonSchema): Promise<(args: unknown) => boolean> {
  const compiled = await validator.compile(schema);
  return (args) => compiled(args) === undefined;
}

test("the validator rejects every violation", async () => {
  const property = fc.asyncProperty(schemas, fc.nat(), async (schema, seed) => {
    const valid = await accepts(schema);
    const values = generateValues(schema, new References(schema)) as fc.Arbitrary<JsonObject>;
    const [args = {}] = fc.sample(values, { seed, numRuns: 1 });
    const passing = generateBreaches(schema, new Set()).filter(({ apply }) => valid(apply(args)));
    expect(passing.map(({ what }) => what)).toEqual([]);
  });
  await fc.assert(property, { numRuns: 50 });
});

test("the validator accepts generated values", async () => {
  const property = fc.asyncProperty(schemas, fc.nat(), async (schema, seed) => {
    const valid = await accepts(schema);
    const args = fc.sample(generateValues(schema, new References(schema)), { seed, numRuns: 5 });
    expect(args.filter((value) => !valid(value))).toEqual([]);
  });
  await fc.assert(property, { numRuns: 100 });
});

test("values of a recursive schema are finite", () => {
  const schema = {
    type: "object",
    properties: { next: { $ref: "#" }, all: { type: "array", items: { $ref: "#" } } },
    required: ["next"],
  };
  const [value] = fc.sample(generateValues(schema, new References(schema)), {
    seed: 1,
    numRuns: 1,
  });
  expect(JSON.stringify(value)).toContain('{"next":{"next":');
});

test.each<[reference: string, schema: JsonObject]>([
  ["#", {}],
  ["#/$defs/a", { $defs: { a: {} } }],
  ["#/$defs/a~1b%20c", { $defs: { "a/b c": {} } }],
  ["#/x-shared/a", { "x-shared": { a: true } }],
  ["#here", { $defs: { a: { $anchor: "here" } } }],
  ["#here", { $defs: { a: { $id: "#here" } } }],
  ["other", { $defs: { a: { $id: "other" } } }],
  ["https://example.com/b", { $id: "https://example.com/a", $defs: { b: { $id: "b" } } }],
  ["https://example.com/a#/$defs/b", { $id: "https://example.com/a", $defs: { b: {} } }],
])("the reference %s resolves within %j", (reference, schema) => {
  const whole = { ...schema, properties: { a: { $ref: reference } } };
  expect(new References(whole).findDangling()).toEqual([]);
});

test.each<[reference: string, schema: JsonObject]>([
  ["#/$defs/b", { $defs: { a: {} } }],
  ["#/$defs/a/type", { $defs: { a: { type: "string" } } }],
  ["#there", { $defs: { a: { $anchor: "here" } } }],
  ["other.json", {}],
  ["https://example.com/a", {}],
  ["http://[", {}],
  ["#/constructor", {}],
])("the reference %s leads out of %j", (reference, schema) => {
  const whole = { ...schema, properties: { a: { $ref: reference } } };
  expect(new References(whole).findDangling()).toEqual([{ path: "/properties/a", reference }]);
});

test("a reference behind a reference is followed", () => {
  const schema = { $ref: "#/x/a", x: { a: { items: { $ref: "#/x/b" } } } };
  expect(new References(schema).findDangling()).toMatchObject([{ reference: "#/x/b" }]);
});

test("a property named $ref and an example with $ref are no references", () => {
  const schema = {
    properties: { $ref: { type: "string" } },
    default: { $ref: "#/nowhere" },
    examples: [{ $ref: "#/nowhere" }],
  };
  expect(new References(schema).findDangling()).toEqual([]);
});

test("the property names of a schema include those of its branches", () => {
  const schema = {
    required: ["a"],
    properties: { b: { properties: { inner: {} } } },
    anyOf: [{ required: ["c"] }, { $ref: "#/$defs/d" }],
    else: { properties: { e: {} } },
    $defs: { d: { properties: { d: {} }, allOf: [{ $ref: "#" }] } },
  };
  expect([...collectPropertyNames(schema)].sort()).toEqual(["a", "b", "c", "d", "e"]);
});

function depths(schema: JsonObject): Record<string, number> {
  const shapes = collectValueShapes(schema, new References(schema));
  return Object.fromEntries(shapes.map(({ path, depth }) => [path, depth]));
}

test("each value of an input is found with its depth", () => {
  const schema = {
    type: "object",
    properties: {
      a: { type: "string" },
      rows: { type: "array", items: { properties: { id: { type: "integer" } } } },
      either: { oneOf: [{ type: "string" }, { properties: { b: { type: "string" } } }] },
    },
    additionalProperties: { $ref: "#/$defs/pair" },
    $defs: { pair: { prefixItems: [{ type: "string" }, { type: "number" }] } },
  };
  expect(depths(schema)).toEqual({
    "": 1,
    "/a": 1,
    "/rows": 2,
    "/rows/*": 3,
    "/rows/*/id": 3,
    "/either": 2,
    "/either/b": 2,
    "/*": 2,
    "/*/0": 2,
    "/*/1": 2,
  });
});

test("a recursive schema is as deep as its definition", () => {
  const schema = {
    type: "object",
    properties: { and: { type: "array", items: { $ref: "#" } }, not: { $ref: "#" } },
  };
  expect(depths(schema)).toEqual({ "": 1, "/and": 2 });
});

test("shared schemas are visited once", () => {
  const $defs = Object.fromEntries(
    Array.from({ length: 60 }, (_, index) => {
      const next = { $ref: `#/$defs/d${Math.min(index + 1, 59)}` };
      return [`d${index}`, { type: "object", properties: { left: next, right: next } }];
    }),
  );
  const schema = { type: "object", properties: { all: { $ref: "#/$defs/d0" } }, $defs };
  expect(collectValueShapes(schema, new References(schema)).length).toBeLessThan(200);
});

test("all schemas within a schema are found once, and nothing else", () => {
  const shared = { type: "string" };
  const schema = {
    properties: { a: shared, b: shared, default: { items: { not: {} } } },
    default: { properties: { c: {} } },
  };
  expect([...walkSubschemas(schema)].map(({ pointer }) => pointer)).toEqual([
    "",
    "/properties/a",
    "/properties/default",
    "/properties/default/items",
    "/properties/default/items/not",
  ]);
});

test.each([
  ["min_length", "minLength"],
  ["MAXLENGTH", "maxLength"],
  ["additional-properties", "additionalProperties"],
  ["Required", "required"],
  ["minLength", "minLength"],
  ["nullable", undefined],
  ["x-items", undefined],
  ["id", undefined],
])("the keyword %s is %s", (key, keyword) => {
  expect(findKeyword(key)).toBe(keyword);
});
