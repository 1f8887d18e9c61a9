import { format } from "@cfworker/json-schema";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ajvValidator, type JsonSchema } from "@toolweave/core";
import { interpretedValidator } from "@toolweave/core/interpreted-validator";
import { call, executorFor, tool } from "../support/executor-for.ts";
import { completed, failed } from "../support/outcomes.ts";

const ajv = ajvValidator();
const interpreted = interpretedValidator();

async function verdicts(schema: JsonSchema, value: unknown): Promise<[boolean, boolean]> {
  const [a, b] = [await ajv.compile(schema), await interpreted.compile(schema)];
  return [a(value) === undefined, b(value) === undefined];
}

const key = fc.constantFrom("a", "b", "constructor", "format", "x/y");
const small = fc.integer({ min: -2, max: 3 });
const leafValue = fc.oneof(
  small,
  fc.constantFrom("", "a", "ab", "😀", "2026-01-01"),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom(0.5, 1.5),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    leafValue,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(key, tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

const types = ["string", "number", "integer", "boolean", "null", "array", "object"];
const { schema } = fc.letrec<{ schema: JsonSchema; any: JsonSchema | boolean }>((tie) => ({
  any: fc.oneof({ weight: 6, arbitrary: tie("schema") }, { weight: 1, arbitrary: fc.boolean() }),
  schema: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.record({ type: fc.constantFrom(...types) }),
    fc.record({ type: fc.uniqueArray(fc.constantFrom(...types), { minLength: 1, maxLength: 3 }) }),
    fc.record({ enum: fc.uniqueArray(leafValue, { minLength: 1, maxLength: 3 }) }),
    fc.record({ const: value as fc.Arbitrary<never> }),
    fc.record({ minimum: small, exclusiveMaximum: small }, { requiredKeys: [] }),
    fc.record({ multipleOf: fc.constantFrom(1, 2, 0.5) }),
    fc.record(
      { minLength: fc.nat(2), maxLength: fc.nat(2), pattern: fc.constantFrom("^a", "b$", ".") },
      { requiredKeys: [] },
    ),
    fc.record({ format: fc.constantFrom("email", "date", "uuid", "int64") }),
    fc.record(
      {
        type: fc.constant("object"),
        properties: fc.dictionary(key, tie("any"), { maxKeys: 3, noNullPrototype: true }),
        required: fc.uniqueArray(key, { maxLength: 2 }),
        additionalProperties: tie("any"),
        minProperties: fc.nat(2),
        propertyNames: fc.constantFrom({ maxLength: 1 }, { pattern: "^[ab]" }),
        dependentRequired: fc.constantFrom({ a: ["b"] }, { constructor: ["a"] }),
      },
      { requiredKeys: ["type"] },
    ),
    fc.record(
      {
        type: fc.constant("array"),
        items: tie("any"),
        prefixItems: fc.array(tie("any"), { minLength: 1, maxLength: 2 }),
        minItems: fc.nat(2),
        maxItems: fc.nat(3),
        uniqueItems: fc.boolean(),
        contains: tie("any"),
      },
      { requiredKeys: ["type"] },
    ),
    fc.record({ allOf: fc.array(tie("any"), { minLength: 1, maxLength: 2 }) }),
    fc.record({ anyOf: fc.array(tie("any"), { minLength: 1, maxLength: 2 }) }),
    fc.record({ oneOf: fc.array(tie("any"), { minLength: 1, maxLength: 3 }) }),
    fc.record({ not: tie("any") }),
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    fc.record({ if: tie("any"), then: tie("any"), else: tie("any") }, { requiredKeys: ["if"] }),
  ) as fc.Arbitrary<JsonSchema>,
}));

describe("the interpreted validator", () => {
  test("returns the same verdict as the default one on any schema and value", async () => {
    await fc.assert(
      fc.asyncProperty(
        schema,
        fc.array(value, { minLength: 1, maxLength: 4 }),
        async (schema, values) => {
          for (const value of values) {
            const [a, b] = await verdicts(schema, value);
            expect(b).toBe(a);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  test.each<[string, JsonSchema, unknown, boolean]>([
    ["format is an annotation", { properties: { mail: { format: "email" } } }, { mail: "x" }, true],
    [
      "a property may be named format",
      { properties: { format: { type: "string" } } },
      { format: 1 },
      false,
    ],
    ["an enum may contain a format", { enum: [{ format: "a" }] }, { format: "a" }, true],
    ["required: constructor", { required: ["constructor"] }, {}, false],
    [
      "a recursive schema",
      { properties: { n: { $ref: "#" } }, additionalProperties: false },
      { n: { n: { x: 1 } } },
      false,
    ],
    [
      "draft-07 tuples",
      { $schema: "http://json-schema.org/draft-07/schema#", items: [{ type: "string" }] },
      [1],
      false,
    ],
    [
      "2019-09 tuples",
      { $schema: "https://json-schema.org/draft/2019-09/schema", items: [{ type: "string" }] },
      [1],
      false,
    ],
    [
      "draft-07 dependencies",
      {
        $schema: "http://json-schema.org/draft-07/schema#",
        dependencies: { a: { required: ["b"] } },
      },
      { a: 1 },
      false,
    ],
    [
      "2020-12 prefixItems",
      {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        prefixItems: [{ type: "string" }],
      },
      [1],
      false,
    ],
    ["an unusual $schema", { $schema: 7, prefixItems: [{ type: "string" }] }, [1], false],
  ])("and the default one agree on %s", async (_, schema, value, valid) => {
    expect(await verdicts(schema, value)).toEqual([valid, valid]);
  });

  test("does not change the schema, and accepts a frozen one", async () => {
    const schema = Object.freeze({
      type: "object",
      properties: Object.freeze({ a: Object.freeze({ $ref: "#/$defs/a" }) }),
      $defs: Object.freeze({ a: Object.freeze({ type: "string" }) }),
    });
    expect((await interpreted.compile(schema))({ a: 1 })).toEqual([
      { path: "/a", message: expect.any(String) },
    ]);
    expect(Reflect.ownKeys(schema.properties.a)).toEqual(["$ref"]);
  });

  test("and the default one agree that an empty array contains nothing", async () => {
    const contains = { type: "string" };
    const schema = { not: { type: "array", prefixItems: [contains], contains } };
    expect(await verdicts(schema, [])).toEqual([true, true]);
  });

  test("accepts a pattern that is valid only without the u flag", async () => {
    const schema = { properties: { a: { pattern: "^\\_" } } };
    expect(await verdicts(schema, { a: "_" })).toEqual([true, true]);
    expect(await verdicts(schema, { a: "b" })).toEqual([false, false]);
  });

  test.each<[JsonSchema, unknown, boolean]>([
    [{ patternProperties: { "^\\_": { type: "string" } } }, { _a: "b" }, true],
    [{ patternProperties: { "^\\_": { type: "string" } } }, { _a: 1 }, false],
    [{ patternProperties: { "f.*o": { type: "string" } } }, { foo: 1 }, false],
    [{ patternProperties: { "f.*o": { type: "string" } } }, { bar: 1 }, true],
    [{ patternProperties: { "a*": false } }, { b: 1 }, false],
    [{ patternProperties: { "^(a+)+$": false } }, { aa: 1 }, false],
    [{ patternProperties: { "^a+$": false } }, { aa: 1 }, false],
    [{ patternProperties: { "f.*o": {} }, additionalProperties: false }, { "f(o": 1 }, true],
    [{ patternProperties: { "f.*o": {} }, additionalProperties: false }, { "f(o": 1, b: 1 }, false],
    [
      {
        items: { patternProperties: { "f.*o": { $ref: "#/$defs/a" } } },
        $defs: { a: { type: "string" } },
      },
      [{ foo: 1 }],
      false,
    ],
    [
      {
        patternProperties: { "f.*o": { type: "string" } },
        properties: { a: { $ref: "#/patternProperties/f.*o" } },
      },
      { a: 1 },
      false,
    ],
  ])("and the default one agree on the names of %j in %j", async (schema, value, valid) => {
    expect(await verdicts(schema, value)).toEqual([valid, valid]);
    expect(await verdicts(schema, value)).toEqual([valid, valid]);
  });

  test("checks names with patterns in bounded time", async () => {
    const check = await interpreted.compile({ patternProperties: { "^(a+)+$": false } });
    expect(check({ [`${"a".repeat(50_000)}b`]: 1 })).toBe(undefined);
  });

  test("uses subschemas of unknown keywords only if they are schemas of the data", async () => {
    const bad = { pattern: "(", patternProperties: { "(": {} } };
    expect(await verdicts({ type: "object", "x-rules": bad }, {})).toEqual([true, true]);
    const used = { properties: { a: { $ref: "#/x-rules" } }, "x-rules": bad };
    const check = await interpreted.compile(used);
    expect(() => check({ a: "x" })).toThrow(/cannot be checked|Invalid regular expression/);
  });

  test("and the default one agree on dynamic references", async () => {
    const schema = {
      $dynamicAnchor: "node",
      type: "object",
      properties: { next: { $dynamicRef: "#node" }, id: { type: "integer" } },
    };
    expect(await verdicts(schema, { next: { next: { id: 1 } } })).toEqual([true, true]);
    expect(await verdicts(schema, { next: { next: { id: "x" } } })).toEqual([false, false]);
  });

  test("refuses dynamic anchors that shadow another", async () => {
    const part = (type: string): JsonSchema => ({
      $id: `https://example.com/${type}`,
      $dynamicAnchor: "a",
      type,
    });
    expect(() => interpreted.compile({ $defs: { a: part("string"), b: part("number") } })).toThrow(
      /\$dynamicAnchor "a" stands twice/,
    );
  });

  test("adds nothing to the library's table of formats", async () => {
    const names = Object.keys(format);
    const check = await interpreted.compile({ pattern: "^a", properties: { b: { minLength: 2 } } });
    expect([check("a"), check("b")?.length]).toEqual([undefined, 1]);
    expect(Object.keys(format)).toEqual(names);
  });

  test("works in the executor, and reports where the arguments are wrong", async () => {
    const executor = executorFor(
      tool("add", ({ a }) => a as number, {
        input: { type: "object", properties: { a: { type: "number" } }, required: ["a"] },
      }),
      { validator: interpretedValidator() },
    );
    expect(completed(await executor.execute(call("add", { a: 1 }))).result.value).toBe(1);
    const { error } = failed(await executor.execute(call("add", { a: "x" })));
    expect(error.code).toBe("invalid_arguments");
    expect(error.message).toContain("- a ");
    expect(error.message).toContain('(sent: "x")');
  });
});
