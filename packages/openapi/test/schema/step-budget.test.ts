// The cost of reading a document is bounded, and an error names the place that costs too much.
import type { JsonObject, JsonValue } from "@toolweave/core";
import type { SourceProblem } from "@toolweave/core/adapter";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { openApiSource, type OpenApiSource } from "../../src/index.ts";

const schemas = (count: number, schemaAt: (index: number) => JsonObject): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`S${index}`, schemaAt(index)]));

const to = (index: number): JsonObject => ({ $ref: `#/components/schemas/S${index}` });

function nested(key: string, depth: number, asList: boolean): JsonObject {
  let value: JsonObject = { type: "string" };
  for (let level = 0; level < depth; level++) value = { [key]: asList ? [value] : value };
  return value;
}

async function realised(schema: JsonValue, all: JsonObject = {}): Promise<OpenApiSource> {
  const content = { "application/json": { schema } };
  const source = openApiSource.fromDocument({
    openapi: "3.1.1",
    servers: [{ url: "https://api.example" }],
    paths: {
      "/x": {
        post: {
          operationId: "x",
          requestBody: { required: true, content },
          responses: { 200: { description: "", content } },
        },
      },
      "/ok": { get: { operationId: "ok", responses: {} } },
    },
    components: { schemas: all },
  });
  await source.ready;
  source.realize();
  return source;
}

function faults({ problems }: OpenApiSource): readonly SourceProblem[] {
  return problems.filter(({ severity }) => severity !== "warning");
}

describe("a part that is too large breaks its operation only", () => {
  test.for<[string, JsonValue, JsonObject, RegExp]>([
    ["a schema 20,000 deep in items", nested("items", 20_000, false), {}, /nested deeper/],
    ["a schema 20,000 deep in allOf", nested("allOf", 20_000, true), {}, /nested deeper/],
    ["a schema 3,000 deep in not", nested("not", 3_000, false), {}, /nested deeper/],
    [
      "an enum 20,000 deep",
      { enum: [nested("a", 20_000, false)] },
      {},
      /enum is nested too deeply/,
    ],
    [
      "20,000 references in a row",
      to(0),
      schemas(20_000, (index) => to(index + 1)),
      /^The chain of references is longer than 64/,
    ],
    [
      "20,000 schemas that refer to the next",
      to(0),
      schemas(20_001, (index) => (index === 20_000 ? {} : { properties: { a: to(index + 1) } })),
      /deeper than 600 levels/,
    ],
    [
      "20,000 schemas that extend the next",
      to(0),
      schemas(20_001, (index) =>
        index === 20_000 ? {} : { allOf: [to(index + 1)], required: ["x"] },
      ),
      /deeper than 600 levels/,
    ],
  ])("%s", async ([, schema, all, reason]) => {
    const source = await realised(schema, all);
    expect(source.tools().map(({ spec }) => spec.name)).toEqual(["ok"]);
    expect(faults(source)).toMatchObject([{ subject: "POST /x" }]);
    expect(faults(source)[0]?.message).toMatch(reason);
  });

  test("one object in a hundred thousand places of an operation, and not the operations that use it less", async () => {
    const leaf = { type: "string" };
    const part = {
      properties: Object.fromEntries(
        Array.from({ length: 1_000 }, (_, index) => [`p${index}`, leaf]),
      ),
    };
    const whole = {
      properties: Object.fromEntries(
        Array.from({ length: 150 }, (_, index) => [`q${index}`, part]),
      ),
    };
    const all = schemas(20, () => ({ ...whole }));
    const source = await realised(
      { anyOf: Array.from({ length: 20 }, (_, index) => to(index)) },
      all,
    );
    expect(faults(source)[0]?.message).toMatch(/more than 1000000 steps/);
    expect(source.tools()).toHaveLength(1);
    expect(faults(await realised(to(3), all))).toEqual([]);
  });
});

describe("a part that only looks too large", () => {
  test.for<[string, JsonValue, JsonObject]>([
    ["an example 20,000 deep", { example: nested("a", 20_000, false) }, {}],
    ["an extension 20,000 deep", { "x-a": nested("a", 20_000, false) }, {}],
    [
      "references that fan out ten times on twelve levels",
      to(0),
      schemas(13, (index) =>
        index === 12
          ? {}
          : {
              properties: Object.fromEntries(
                Array.from({ length: 10 }, (_, key) => [`k${key}`, to(index + 1)]),
              ),
            },
      ),
    ],
    [
      "a hundred schemas that all refer to each other",
      to(0),
      schemas(100, () => ({
        properties: Object.fromEntries(
          Array.from({ length: 100 }, (_, key) => [`k${key}`, to(key)]),
        ),
      })),
    ],
    [
      "a discriminator of 3,000 values",
      {
        oneOf: Array.from({ length: 3_000 }, (_, index) => to(index)),
        discriminator: {
          propertyName: "t",
          mapping: Object.fromEntries(
            Array.from({ length: 3_000 }, (_, index) => [
              `v${index}`,
              `#/components/schemas/S${index}`,
            ]),
          ),
        },
      },
      schemas(3_000, () => ({ type: "object" })),
    ],
    [
      "3,000 patterns of old engines",
      {
        patternProperties: Object.fromEntries(
          Array.from({ length: 3_000 }, (_, index) => [`^\\_${index}`, true]),
        ),
      },
      {},
    ],
  ])("%s", async ([, schema, all]) => {
    const source = await realised(schema, all);
    expect(faults(source)).toEqual([]);
    expect(source.tools()).toHaveLength(2);
  });

  test("definitions at the maximum depth compile", async () => {
    const source = await realised(
      to(0),
      schemas(159, (index) => (index === 158 ? {} : { properties: { a: to(index + 1) } })),
    );
    expect(faults(source)).toEqual([]);
    const schema = source.tools().find(({ spec }) => spec.name === "x")?.spec.outputSchema;
    expect(new Ajv2020({ strict: false, logger: false }).compile(schema as object)).toBeTypeOf(
      "function",
    );
  });
});
