import { describe, expect, test } from "vitest";
import { ajvValidator, type JsonSchema } from "@toolweave/core";
import type { ValidationProblem } from "@toolweave/core/adapter";

const validator = ajvValidator();

async function problems(
  schema: JsonSchema,
  value: unknown,
): Promise<readonly ValidationProblem[] | undefined> {
  return (await validator.compile(schema))(value);
}

const draft7 = "http://json-schema.org/draft-07/schema#";
const draft2019 = "https://json-schema.org/draft/2019-09/schema";
const draft2020 = "https://json-schema.org/draft/2020-12/schema";

describe("the dialect", () => {
  const tuple = { type: "object", properties: { a: { items: [{ type: "string" }] } } };
  const prefixItems = { type: "object", properties: { a: { prefixItems: [{ type: "string" }] } } };

  test("is 2020-12 if the schema has no $schema", async () => {
    expect(await problems(prefixItems, { a: [1] })).toHaveLength(1);
    expect(await problems({ ...prefixItems, $schema: draft2020 }, { a: [1] })).toHaveLength(1);
  });

  test("is draft-07 if the schema says so", async () => {
    expect(await problems({ ...tuple, $schema: draft7 }, { a: [1] })).toHaveLength(1);
    expect(await problems({ ...prefixItems, $schema: draft7 }, { a: [1] })).toBe(undefined);
    const old = {
      $schema: draft7,
      type: "object",
      definitions: { id: { type: "integer" } },
      properties: { id: { $ref: "#/definitions/id" } },
      dependencies: { a: ["b"] },
    };
    expect(await problems(old, { id: "x" })).toHaveLength(1);
    expect(await problems(old, { a: 1 })).toHaveLength(1);
  });

  test("of draft-04 uses `id` as its identifier, which is otherwise an unknown keyword", async () => {
    const old = {
      $schema: "http://json-schema.org/draft-04/schema#",
      id: "https://example.com/book",
      type: "object",
      properties: { title: { id: "#title", type: "string" } },
    };
    expect(await problems(old, { title: "Emma" })).toBe(undefined);
    expect(await problems(old, { title: 1 })).toHaveLength(1);
    const { $schema: _, ...undated } = old;
    expect(await problems(undated, { title: 1 })).toHaveLength(1);
  });

  test("is 2019-09 if the schema says so", async () => {
    expect(await problems({ ...tuple, $schema: draft2019 }, { a: [1] })).toHaveLength(1);
    const recursive = {
      $schema: draft2019,
      $recursiveAnchor: true,
      type: "object",
      properties: { child: { $recursiveRef: "#" } },
      unevaluatedProperties: false,
    };
    expect(await problems(recursive, { child: { child: {} } })).toBe(undefined);
    expect(await problems(recursive, { child: { stranger: 1 } })).toEqual(
      expect.arrayContaining([{ path: "/child/stranger", message: "is not a known property" }]),
    );
  });

  test("is 2020-12 if the schema names an unknown one", async () => {
    const schema = { ...prefixItems, $schema: "https://example.com/mine" };
    expect(await problems(schema, { a: [1] })).toHaveLength(1);
    expect(await problems({ ...prefixItems, $schema: 7 }, { a: [1] })).toHaveLength(1);
  });
});

describe("a schema may contain", () => {
  test("unknown keywords and formats: they are annotations", async () => {
    const schema = {
      type: "object",
      "x-internal": true,
      discriminator: { propertyName: "kind" },
      properties: {
        mail: { type: "string", format: "email" },
        n: { type: "integer", format: "int64" },
      },
    };
    expect(await problems(schema, { mail: "no mail", n: 3 })).toBe(undefined);
  });

  test("a pattern that is valid only without the u flag", async () => {
    const schema = {
      type: "object",
      properties: { a: { type: "string", pattern: "^\\_[a-z\\_\\:]+$" } },
    };
    expect(await problems(schema, { a: "_a:b" })).toBe(undefined);
    expect(await problems(schema, { a: "b" })).toHaveLength(1);
  });

  test("a pattern outside of the basic multilingual plane", async () => {
    const schema = { type: "object", properties: { a: { pattern: "^\\p{L}.$" } } };
    expect(await problems(schema, { a: "é😀" })).toBe(undefined);
  });

  test("no pattern that is always invalid", async () => {
    await expect(
      problems({ type: "object", properties: { a: { pattern: "(" } } }, {}),
    ).rejects.toThrow(/Invalid regular expression/);
  });

  test("references to itself", async () => {
    const tree = {
      type: "object",
      properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#" } } },
      required: ["name"],
    };
    for (const $schema of [undefined, draft7, draft2019]) {
      const schema = $schema === undefined ? tree : { ...tree, $schema };
      expect(await problems(schema, { name: "a", children: [{ name: "b" }] })).toBe(undefined);
      expect(await problems(schema, { name: "a", children: [{ children: [] }] })).toEqual([
        { path: "/children/0/name", message: "is required" },
      ]);
    }
  });

  test("a part that refers to another part that refers back", async () => {
    const schema = {
      type: "object",
      properties: { a: { $ref: "#/$defs/a" } },
      $defs: {
        a: { type: "object", properties: { b: { $ref: "#/$defs/b" } } },
        b: { type: "object", properties: { a: { $ref: "#/$defs/a" }, n: { type: "number" } } },
      },
    };
    expect(await problems(schema, { a: { b: { a: { b: { n: 1 } } } } })).toBe(undefined);
    expect(await problems(schema, { a: { b: { a: { b: { n: "x" } } } } })).toHaveLength(1);
  });

  test("anchors, including dynamic ones", async () => {
    const schema = {
      $dynamicAnchor: "node",
      type: "object",
      properties: { next: { $dynamicRef: "#node" }, id: { $ref: "#id" } },
      $defs: { id: { $anchor: "id", type: "integer" } },
      additionalProperties: false,
    };
    expect(await problems(schema, { next: { next: { id: 1 } } })).toBe(undefined);
    expect(await problems(schema, { next: { id: "x" } })).toHaveLength(1);
  });
});

describe("items that are equal", () => {
  test.each([undefined, draft7, draft2019])(
    "are reported in %s, with their indexes",
    async (dialect) => {
      const schema = { ...(dialect === undefined ? {} : { $schema: dialect }), uniqueItems: true };
      expect(await problems(schema, [{ a: 1, b: [2] }, "x", { b: [2], a: 1.0 }])).toEqual([
        { path: "", message: "must NOT have duplicate items (items ## 0 and 2 are identical)" },
      ]);
      expect(await problems(schema, [1, "1", true, null, {}, [], "{}"])).toBe(undefined);
      expect(await problems({ ...schema, uniqueItems: false }, [1, 1])).toBe(undefined);
      expect(
        await problems({ ...schema, items: { type: "string" } }, ["a", "b", "a"]),
      ).toHaveLength(1);
      expect(await problems({ not: schema }, [1, 1])).toBe(undefined);
    },
  );
});

describe("a tuple that is longer than the data", () => {
  test("hides no later problem, if only the verdict is needed", async () => {
    const tuple = {
      prefixItems: [{ type: "string" }, { type: "string" }],
      contains: { const: "b" },
    };
    expect(await problems({ not: tuple }, ["a"])).toBe(undefined);
    expect(await problems({ not: tuple }, ["a", "b"])).toHaveLength(1);
    expect(await problems({ if: tuple, else: { maxItems: 0 } }, ["a"])).toHaveLength(2);
  });
});

describe("property names that every object inherits", () => {
  test.each(["constructor", "toString", "__proto__"])(
    "%s is not evaluated because every object inherits it",
    async (name) => {
      const value = JSON.parse(`{"${name}":1}`) as unknown;
      for (const schema of [
        { patternProperties: { "^x": {} }, unevaluatedProperties: false },
        {
          anyOf: [{ properties: { a: {} } }, { properties: { b: {} } }],
          unevaluatedProperties: false,
        },
      ]) {
        expect(await problems(schema, value)).toEqual([
          { path: `/${name}`, message: "is not a known property" },
        ]);
      }
    },
  );

  test.each(["constructor", "toString", "hasOwnProperty", "__proto__"])(
    "required %s is missing from an empty object",
    async (name) => {
      expect(await problems({ type: "object", required: [name] }, {})).toEqual([
        { path: `/${name}`, message: "is required" },
      ]);
    },
  );

  test("are properties like any other", async () => {
    const schema = {
      type: "object",
      properties: { constructor: { type: "string" } },
      dependentRequired: { toString: ["a"] },
      additionalProperties: false,
    };
    expect(await problems(schema, {})).toBe(undefined);
    expect(await problems(schema, { constructor: "x" })).toBe(undefined);
    expect(await problems(schema, { constructor: 1 })).toHaveLength(1);
  });
});

describe("a problem", () => {
  const schema = {
    type: "object",
    properties: {
      kind: { enum: ["a", "b"] },
      fixed: { const: { x: 1 } },
      many: { enum: Array.from({ length: 30 }, (_, index) => index) },
      either: { anyOf: [{ type: "string" }, { type: "number" }] },
      two: { type: ["string", "null"] },
      n: { minimum: 3 },
    },
    required: ["kind"],
    additionalProperties: false,
  };

  test.each([
    [{}, "/kind", "is required"],
    [{ kind: "c" }, "/kind", 'must be one of "a", "b"'],
    [{ kind: "a", "x/y~z": 1 }, "/x~1y~0z", "is not a known property"],
    [{ kind: "a", fixed: 1 }, "/fixed", 'must be {"x":1}'],
    [{ kind: "a", two: 1 }, "/two", "must be string or null"],
    [{ kind: "a", n: 1 }, "/n", "must be >= 3"],
  ])("of %j is at %s: %s", async (value, path, message) => {
    expect(await problems(schema, value)).toEqual([{ path, message }]);
  });

  test("with an enum lists it, and truncates a long one", async () => {
    expect(await problems(schema, { kind: "a", either: true })).toContainEqual({
      path: "/either",
      message: "must have one of the allowed shapes: string, number",
    });
    const [problem] = (await problems(schema, { kind: "a", many: 99 })) ?? [];
    expect(problem?.message).toMatch(/^must be one of 0, 1, .*18, 19, … \(30 in all\)$/);
  });

  test("of an unevaluated property names it", async () => {
    const schema = {
      type: "object",
      allOf: [{ properties: { a: {} } }],
      unevaluatedProperties: false,
    };
    expect(await problems(schema, { a: 1, b: 2 })).toEqual([
      { path: "/b", message: "is not a known property" },
    ]);
  });
});
