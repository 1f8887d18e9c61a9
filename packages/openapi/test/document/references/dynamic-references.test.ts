// JSON Schema 2020-12 core, section 8.2.3.2, and 2019-09, section 8.2.4.2.2.
import type { JsonObject, JsonValue } from "@toolweave/core";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { onlyDetails, standalone } from "../../support/open-documents.ts";

const options = { strict: false, logger: false } as const;

/** The verdicts of a document's schema on values after its translation. */
async function judged(
  schemas: JsonObject,
  name: string,
  values: readonly JsonValue[],
): Promise<readonly unknown[]> {
  const content = { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } };
  const { body } = await onlyDetails(
    "3.1.1",
    { requestBody: { content } },
    { components: { schemas } },
  );
  const validate = new Ajv2020(options).compile(
    standalone(body?.media[0]?.schema as never) as object,
  );
  return values.map((value) => validate(value));
}

/** The verdicts of ajv, which supports recursive references itself, by the original schemas. */
function expected(
  ajv: Ajv2020 | Ajv2019,
  schemas: JsonObject,
  name: string,
  values: readonly JsonValue[],
): readonly unknown[] {
  const all = Object.values(schemas) as { $id: string }[];
  for (const schema of all) ajv.addSchema(schema);
  const validate = ajv.getSchema((schemas[name] as { $id: string }).$id);
  return values.map((value) => validate?.(value));
}

const base = "https://schemas.example/";
const list: JsonObject = {
  $id: `${base}list`,
  type: "array",
  items: { $dynamicRef: "#item" },
  $defs: { any: { $dynamicAnchor: "item" } },
};
const of = (type: string): JsonObject => ({
  $id: `${base}${type}s`,
  $ref: "list",
  $defs: { own: { $dynamicAnchor: "item", type } },
});
const tree: JsonObject = {
  $id: `${base}tree`,
  $dynamicAnchor: "node",
  type: "object",
  properties: { data: true, children: { type: "array", items: { $dynamicRef: "#node" } } },
};

describe("a dynamic reference", () => {
  const values = [[], [1], ["a"], [1, "a"], {}];

  test.for<[string, readonly boolean[]]>([
    ["List", [true, true, true, true, false]],
    ["Numbers", [true, true, false, false, false]],
    ["Strings", [true, false, true, false, false]],
  ])("resolves to the outermost schema's anchor: %s", async ([name, verdicts]) => {
    const schemas = { List: list, Numbers: of("number"), Strings: of("string") };
    expect(await judged(schemas, name, values)).toEqual(verdicts);
  });

  test("resolves to different places in one operation", async () => {
    const schemas = {
      List: list,
      Numbers: of("number"),
      Strings: of("string"),
      Both: { properties: { n: { $ref: `${base}numbers` }, s: { $ref: `${base}strings` } } },
    };
    const both = [{ n: [1], s: ["a"] }, { n: ["a"] }, { s: [1] }];
    expect(await judged(schemas, "Both", both)).toEqual([true, false, false]);
  });

  test("makes a recursive schema strict at all levels", async () => {
    const schemas = {
      Tree: tree,
      Strict: {
        $id: `${base}strict`,
        $dynamicAnchor: "node",
        $ref: "tree",
        unevaluatedProperties: false,
      },
    };
    const trees = [
      { children: [{ data: 1 }] },
      { children: [{ daat: 1 }] },
      { daat: 1 },
      { children: [{ children: [{ daat: 1 }] }] },
    ];
    for (const name of ["Tree", "Strict"]) {
      const judgement = await judged(schemas, name, trees);
      expect(judgement).toEqual(expected(new Ajv2020(options), schemas, name, trees));
    }
  });

  test("is an ordinary one if its target has no dynamic anchor", async () => {
    const plain = { ...list, $defs: { any: { $anchor: "item", type: "boolean" } } };
    const schemas = { List: plain, Numbers: of("number") };
    expect(await judged(schemas, "Numbers", [[true], [1]])).toEqual([true, false]);
  });

  test("of 2019-09 is dynamic, too", async () => {
    const recursive: JsonObject = {
      $id: `${base}tree`,
      $recursiveAnchor: true,
      type: "object",
      properties: { data: true, children: { type: "array", items: { $recursiveRef: "#" } } },
    };
    const schemas = {
      Tree: recursive,
      Strict: {
        $id: `${base}strict`,
        $recursiveAnchor: true,
        $ref: "tree",
        unevaluatedProperties: false,
      },
    };
    const trees = [{ children: [{ data: 1 }] }, { children: [{ daat: 1 }] }];
    const judgement = await judged(schemas, "Strict", trees);
    expect(judgement).toEqual(expected(new Ajv2019(options), schemas, "Strict", trees));
    expect(judgement).toEqual([true, false]);
  });

  test("that leads back to itself ends", async () => {
    const schemas = {
      A: { $id: `${base}a`, $dynamicAnchor: "x", allOf: [{ $ref: "b" }], type: "object" },
      B: {
        $id: `${base}b`,
        $dynamicAnchor: "x",
        anyOf: [{ $dynamicRef: "#x" }, { maxProperties: 1 }],
      },
    };
    expect(await judged(schemas, "A", [{}, 1])).toEqual([true, false]);
  });

  test("that any of many schemas could replace costs no more than their number", async () => {
    const schemas: Record<string, JsonObject> = {};
    for (let index = 0; index < 12; index++) {
      const next = (step: number) => ({ $ref: `s${(index + step) % 12}` });
      schemas[`S${index}`] = {
        $id: `${base}s${index}`,
        properties: { a: next(1), b: next(5), c: next(7), own: { $dynamicRef: `#x${index % 4}` } },
        $defs: { own: { $dynamicAnchor: `x${index % 4}`, const: index } },
      };
    }
    expect(await judged(schemas, "S0", [{}, { own: 0 }, { own: 1 }])).toEqual([true, true, false]);
  });
});

describe("a schema of an older dialect in OpenAPI 3.1", () => {
  const named = {
    type: "object",
    properties: { a: { $ref: "#/components/schemas/Text", maxLength: 1 } },
  };
  const Text = { type: "string" };

  test.for<[string, JsonObject, JsonObject]>([
    ["that it names itself", { $schema: "http://json-schema.org/draft-07/schema#" }, {}],
    [
      "that the document names",
      {},
      { jsonSchemaDialect: "http://json-schema.org/draft-04/schema#" },
    ],
  ])("%s ignores keywords beside $ref", async ([, own, more]) => {
    const schema = { ...named, ...own };
    const content = { "application/json": { schema } };
    const document = { components: { schemas: { Text } }, ...more };
    const { body } = await onlyDetails("3.1.1", { requestBody: { content } }, document);
    expect(body?.media[0]?.schema.schema).toEqual({
      type: "object",
      properties: { a: { $ref: "#/$defs/Text" } },
    });
  });

  test("supports dependencies", async () => {
    const dependencies = { a: ["b"], c: { required: ["d"] } };
    const content = { "application/json": { schema: { dependencies } } };
    const { body } = await onlyDetails("3.1.1", { requestBody: { content } });
    expect(body?.media[0]?.schema.schema).toEqual({
      dependentRequired: { a: ["b"] },
      dependentSchemas: { c: { required: ["d"] } },
    });
  });

  test("may call an anchor $id", async () => {
    const schema = { $ref: `${base}old#part` };
    const Old = {
      $id: `${base}old`,
      $schema: "http://json-schema.org/draft-07/schema#",
      definitions: { a: { $id: "#part", type: "integer" } },
    };
    const content = { "application/json": { schema } };
    const { body } = await onlyDetails(
      "3.1.1",
      { requestBody: { content } },
      { components: { schemas: { Old } } },
    );
    expect([...(body?.media[0]?.schema.defs.values() ?? [])]).toEqual([{ type: "integer" }]);
  });
});
