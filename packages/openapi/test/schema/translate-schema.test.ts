import type { JsonObject } from "@toolweave/core";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { onlyDetails } from "../support/open-documents.ts";
import { request, response } from "./support/translate.ts";

describe("keywords of older versions", () => {
  test.each<[string, JsonObject, JsonObject]>([
    ["nullable", { type: "string", nullable: true }, { type: ["string", "null"] }],
    [
      "nullable with a list of types",
      { type: ["string"], nullable: true },
      { type: ["string", "null"] },
    ],
    [
      "nullable with null in its enum",
      { type: "string", nullable: true, enum: ["a", null] },
      { type: ["string", "null"], enum: ["a", null] },
    ],
    [
      "nullable as a separate alternative",
      { anyOf: [{ type: "string" }, { nullable: true, description: "D" }] },
      { anyOf: [{ type: "string" }, { type: "null" }] },
    ],
    ["nullable as the only alternative", { oneOf: [{ nullable: true }] }, { anyOf: [{}] }],
    ["nullable without type", { nullable: true }, {}],
    ["not nullable", { type: "string", nullable: false }, { type: "string" }],
    [
      "nullable over a combination",
      { description: "D", nullable: true, allOf: [{ type: "object" }] },
      { description: "D", anyOf: [{ allOf: [{ type: "object" }] }, { type: "null" }] },
    ],
    [
      "nullable over alternatives",
      { nullable: true, anyOf: [{ type: "string" }, { type: "integer" }] },
      { anyOf: [{ type: "string" }, { type: "integer" }, { type: "null" }] },
    ],
    ["an exclusive minimum", { minimum: 1, exclusiveMinimum: true }, { exclusiveMinimum: 1 }],
    ["an inclusive minimum", { minimum: 1, exclusiveMinimum: false }, { minimum: 1 }],
    ["an exclusive maximum", { exclusiveMaximum: true, maximum: 9 }, { exclusiveMaximum: 9 }],
    ["a numeric bound", { exclusiveMaximum: 9 }, { exclusiveMaximum: 9 }],
    ["example", { type: "string", example: "a" }, { type: "string", examples: ["a"] }],
    ["example beside examples", { example: 1, examples: [2] }, { examples: [2] }],
    ["a file", { type: "file" }, { type: "string", format: "binary" }],
    [
      "a tuple",
      { items: [{ type: "string" }], additionalItems: false },
      { prefixItems: [{ type: "string" }], items: false },
    ],
    ["an unquoted null", { type: ["string", null] }, { type: ["string", "null"] }],
    ["a type that does not exist", { type: "any", format: "x" }, { format: "x" }],
    ["required as a boolean", { type: "string", required: true }, { type: "string" }],
    ["an empty required", { type: "object", required: [] }, { type: "object" }],
    ["required twice", { required: ["a", "a", 1] }, { required: ["a", "1"] }],
    ["an enum with duplicates", { enum: ["a", "b", "a"] }, { enum: ["a", "b"] }],
    ["an empty enum", { enum: [] }, {}],
    ["quoted numbers", { minLength: "1", maximum: "2.5" }, { minLength: 1, maximum: 2.5 }],
    ["impossible counts", { minLength: -1, maxItems: 1.5, multipleOf: 0 }, {}],
    ["an invalid pattern", { type: "string", pattern: "(" }, { type: "string" }],
    ["a pattern for old engines", { pattern: "[\\w-.]" }, { pattern: "[\\w\\-.]" }],
    [
      "a pattern for old engines as a key",
      { patternProperties: { "^\\_": true, "^a": true, "(": true } },
      { patternProperties: { "^a": true, "^_": true } },
    ],
    ["empty members", { properties: null, items: null, allOf: [] } as never, {}],
    ["an empty property", { properties: { a: null } } as never, { properties: { a: {} } }],
    [
      "keywords of OpenAPI and extensions",
      {
        type: "string",
        xml: { name: "x" },
        externalDocs: {},
        "x-a": 1,
        id: "u",
        $schema: "v",
        $comment: "c",
        foo: 1,
      },
      { type: "string" },
    ],
  ])("%s", async (_what, schema, expected) => {
    for (const version of ["3.0.0", "3.1.0"])
      expect(await request(version, schema)).toEqual(expected);
  });

  test("a schema without a translation is the document's own object", async () => {
    const schema = {
      type: "object",
      properties: { a: { type: "array", items: { type: "string" } } },
      required: ["a"],
    };
    const { body } = await onlyDetails("3.0.0", {
      requestBody: { content: { "a/b": { schema } } },
    });
    expect(body?.media[0]?.schema.schema).toBe(schema);
  });

  test("a property may have the name of a keyword, and of an inherited member", async () => {
    const properties = JSON.parse(
      '{"example": {"type": "string"}, "nullable": {}, "$ref": {"type": "null"}, "x-a": {}, "__proto__": {"example": 1}, "constructor": {"type": "string", "nullable": true}}',
    ) as JsonObject;
    const result = (await request("3.0.0", { properties })) as { properties: JsonObject };
    expect(Object.keys(result.properties)).toEqual(Object.keys(properties));
    expect(Object.getOwnPropertyDescriptor(result.properties, "__proto__")?.value).toEqual({
      examples: [1],
    });
    expect(result.properties["constructor"]).toEqual({ type: ["string", "null"] });
    expect(result.properties["$ref"]).toEqual({ type: "null" });
    expect(Object.getPrototypeOf(result.properties)).toBe(Object.prototype);
  });
});

test("properties that are a reference as a whole are those of the target", async () => {
  const shared = {
    id: { type: "integer", readOnly: true },
    name: { type: "string", example: "n" },
  };
  expect(
    await request(
      "3.0.0",
      { properties: { $ref: "#/components/schemas/Shared" } },
      { Shared: shared },
    ),
  ).toEqual({ properties: { name: { type: "string", examples: ["n"] } } });
});

describe("keywords beside $ref", () => {
  const schemas = { A: { type: "string" } };
  const schema = {
    $ref: "#/components/schemas/A",
    description: "D",
    example: 1,
    minLength: 3,
    nullable: true,
  };

  test("describe, and constrain nothing but null, before OpenAPI 3.1", async () => {
    expect(await request("3.0.0", schema, schemas)).toEqual({
      description: "D",
      examples: [1],
      anyOf: [{ $ref: "#/$defs/A" }, { type: "null" }],
      $defs: { A: { type: "string" } },
    });
  });

  test("apply since OpenAPI 3.1", async () => {
    expect(await request("3.1.0", schema, schemas)).toEqual({
      description: "D",
      examples: [1],
      anyOf: [{ $ref: "#/$defs/A", minLength: 3 }, { type: "null" }],
      $defs: { A: { type: "string" } },
    });
  });

  test("boolean schemas are unchanged", async () => {
    const booleans = { Yes: true, No: false };
    expect(
      await request(
        "3.1.0",
        { items: { $ref: "#/components/schemas/Yes" }, not: { $ref: "#/components/schemas/No" } },
        booleans,
      ),
    ).toEqual({
      items: {},
      not: false,
    });
  });
});

describe("discriminators", () => {
  const schemas = {
    Cat: { type: "object", properties: { kind: { type: "string" } } },
    Dog: { type: "object", properties: { kind: { type: "string", enum: ["dog"] } } },
  };
  const branches = [{ $ref: "#/components/schemas/Cat" }, { $ref: "#/components/schemas/Dog" }];

  test("with a mapping add to each branch the value that selects it, if it has none itself", async () => {
    const mapping = {
      cat: "#/components/schemas/Cat",
      tiger: "Cat",
      dog: "#/components/schemas/Dog",
    };
    expect(
      await request(
        "3.0.0",
        { oneOf: branches, discriminator: { propertyName: "kind", mapping } },
        schemas,
      ),
    ).toMatchObject({
      anyOf: [
        { $ref: "#/$defs/Cat", properties: { kind: { enum: ["cat", "tiger"] } } },
        { $ref: "#/$defs/Dog" },
      ],
    });
  });

  test("without a mapping are omitted if the branches have other values than their schemas' names", async () => {
    const result = await request(
      "3.0.0",
      { oneOf: branches, discriminator: { propertyName: "kind" } },
      schemas,
    );
    expect(result).toMatchObject({ anyOf: [{ $ref: "#/$defs/Cat" }, { $ref: "#/$defs/Dog" }] });
    expect(result).not.toHaveProperty("discriminator");
  });

  test("are omitted if a default or an example is not a schema's name", async () => {
    for (const hint of [{ default: "cat" }, { example: "cat" }]) {
      const kind = { type: "string", ...hint };
      const result = await request(
        "3.0.0",
        { oneOf: branches, discriminator: { propertyName: "kind" } },
        { Cat: { properties: { kind } }, Dog: {} },
      );
      expect(result).toMatchObject({ anyOf: [{ $ref: "#/$defs/Cat" }, { $ref: "#/$defs/Dog" }] });
    }
  });

  test("choose among the shapes of an answer, of which it has one", async () => {
    expect(
      await response(
        "3.0.0",
        { oneOf: branches, discriminator: { propertyName: "kind" } },
        { Cat: {}, Dog: {} },
      ),
    ).toMatchObject({
      oneOf: [
        { $ref: "#/$defs/Cat", properties: { kind: { const: "Cat" } } },
        { $ref: "#/$defs/Dog", properties: { kind: { const: "Dog" } } },
      ],
    });
  });

  test("a choice stays strict if a value must not have its shapes", async () => {
    const oneOf = [{ required: ["a"] }, { required: ["b"] }];
    expect(await request("3.0.0", { not: { oneOf }, anyOf: [{}], oneOf })).toEqual({
      not: { oneOf },
      anyOf: [{}],
      allOf: [{ anyOf: oneOf }],
    });
  });
});

describe("schemas that apply to the same value in a circle", () => {
  const pets = {
    Pet: {
      properties: { name: { type: "string" } },
      required: ["name"],
      oneOf: [{ $ref: "#/components/schemas/Cat" }, { $ref: "#/components/schemas/Dog" }],
    },
    Cat: { allOf: [{ $ref: "#/components/schemas/Pet" }, { required: ["meows"] }] },
    Dog: { allOf: [{ $ref: "#/components/schemas/Pet" }, { required: ["barks"] }] },
    Odd: { anyOf: [{ $ref: "#/components/schemas/Odd" }, { type: "string" }] },
  };

  test("end: a child has its base's own keywords, and a validator returns a verdict", async () => {
    for (const entry of ["Pet", "Cat"]) {
      const schema = (await request(
        "3.0.0",
        { $ref: `#/components/schemas/${entry}` },
        pets,
      )) as JsonObject;
      const validate = new Ajv2020({ strict: false }).compile(schema);
      expect(validate({ name: "Tom", meows: 1 })).toBe(true);
      expect(validate({ meows: 1 })).toBe(false);
    }
  });

  test("an alternative that refers to itself by another name adds nothing either", async () => {
    const own = "#/paths/~1x/get/requestBody/content/application~1json/schema";
    const odd = { Odd: { anyOf: [{ $ref: own }, { type: "string" }] } };
    const schema = (await request(
      "3.0.0",
      { $ref: "#/components/schemas/Odd" },
      odd,
    )) as JsonObject;
    expect(new Ajv2020({ strict: false }).compile(schema)(7)).toBe(false);
    expect(schema).toMatchObject({ $defs: { Odd: { anyOf: [{ type: "string" }] } } });
  });

  test("an alternative that refers to itself adds nothing", async () => {
    expect(await request("3.0.0", { $ref: "#/components/schemas/Odd" }, pets)).toEqual({
      $ref: "#/$defs/Odd",
      $defs: { Odd: { anyOf: [{ type: "string" }] } },
    });
  });
});
