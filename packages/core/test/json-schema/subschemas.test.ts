import type { JsonSchema } from "@toolweave/core";
import {
  findInvalidKeyword,
  getDialect,
  mapSubschemas,
  resolveReference,
  stepPointer,
  subschemas,
  walkSubschemas,
} from "@toolweave/core/adapter";
import { describe, expect, test } from "vitest";

const pointers = (schema: JsonSchema, unknownKeywords = false): string[] =>
  subschemas(schema, unknownKeywords).map(([, step]) => stepPointer("", step));

describe("the schemas directly below one", () => {
  test("are the values, items and members of keywords of every dialect", () => {
    const schema = {
      not: {},
      allOf: [true, {}],
      items: [{}],
      properties: { "a/b": {}, items: false },
      dependencies: { a: {}, b: ["a"] },
    };
    expect(pointers(schema)).toEqual([
      "/not",
      "/allOf/0",
      "/allOf/1",
      "/items/0",
      "/properties/a~1b",
      "/properties/items",
      "/dependencies/a",
    ]);
  });

  test("are not data, names and values of another form", () => {
    expect(pointers({ enum: [{}], dependentRequired: { a: [] }, allOf: {}, not: [{}] })).toEqual(
      [],
    );
  });

  test("may be below an unknown keyword, but not in data", () => {
    const schema = { "x-shared": { not: {} }, shared: [{}, "a"], default: {}, minLength: 1 };
    expect(pointers(schema)).toEqual([]);
    expect(pointers(schema, true)).toEqual(["/x-shared", "/shared/0"]);
  });
});

describe("a schema whose parts are replaced", () => {
  const schema = JSON.parse('{"properties":{"__proto__":{"not":{}},"a":{}},"anyOf":[{},true]}') as {
    properties: JsonSchema;
    anyOf: JsonSchema[];
  } & JsonSchema;

  test("is the same object when nothing changes", () => {
    expect(mapSubschemas(schema, (one) => one)).toBe(schema);
  });

  test("shares the parts that do not change, and has every name that it had", () => {
    const changed = mapSubschemas(schema, (one, [, key]) => (key === "a" ? false : one));
    expect(JSON.stringify(changed)).toBe(
      '{"properties":{"__proto__":{"not":{}},"a":false},"anyOf":[{},true]}',
    );
    expect(changed["anyOf"]).toBe(schema.anyOf);
  });

  test("has no parts that are removed", () => {
    const changed = mapSubschemas(schema, (one) => (one === true ? undefined : one));
    expect(changed["anyOf"]).toEqual([{}]);
  });
});

describe("a walk", () => {
  test("visits each object once, also in a circle", () => {
    const shared: Record<string, unknown> = {};
    shared["not"] = shared;
    const schema = { properties: { a: shared, b: shared } } as unknown as JsonSchema;
    expect([...walkSubschemas(schema)].map(({ pointer }) => pointer)).toEqual([
      "",
      "/properties/a",
    ]);
  });

  test("ends after the number of schemas that it may visit", () => {
    let deep: JsonSchema = {};
    for (let level = 0; level < 100_000; level++) deep = { not: deep };
    expect([...walkSubschemas(deep, 50_000)]).toHaveLength(50_000);
  });
});

test.each([
  ["#", true],
  ["#/$defs/a~1%20b", true],
  ["#/$defs/none", false],
  ["#anchor", false],
  ["other#/$defs", false],
  [7, false],
])("the reference %j resolves: %j", (reference, resolves) => {
  const target = resolveReference({ $defs: { "a/ b": {} } }, reference);
  expect(target !== undefined).toBe(resolves);
});

test.each([
  ["http://json-schema.org/draft-07/schema#", "draft-07"],
  ["http://json-schema.org/draft-06/schema#", "draft-06"],
  ["http://json-schema.org/draft-04/schema#", "draft-04"],
  ["http://json-schema.org/draft-03/schema#", "draft-04"],
  ["https://json-schema.org/draft/2019-09/schema", "2019-09"],
  ["https://json-schema.org/draft/2020-12/schema", "2020-12"],
  [undefined, "2020-12"],
])("the dialect of %j is %s", (url, dialect) => {
  expect(getDialect(url)).toBe(dialect);
});

test("a keyword has a value of its kind in the dialects that have it", () => {
  expect(findInvalidKeyword({ required: ["a"], items: {}, type: ["null", "string"] })).toBe(
    undefined,
  );
  expect(findInvalidKeyword({ required: true })).toEqual({
    keyword: "required",
    expected: "a list of names",
  });
  expect(findInvalidKeyword({ deprecated: 1 })?.keyword).toBe("deprecated");
  expect(findInvalidKeyword({ deprecated: 1, "x-any": 1 }, "draft-07")).toBe(undefined);
  expect(findInvalidKeyword({ exclusiveMinimum: true }, "draft-04")).toBe(undefined);
  expect(findInvalidKeyword({ exclusiveMinimum: true }, "draft-06")?.expected).toBe("a number");
  expect(findInvalidKeyword({ const: 1, if: 1 }, "draft-04")).toBe(undefined);
  expect(findInvalidKeyword({ dependencies: { a: 1 } })?.keyword).toBe("dependencies");
});
