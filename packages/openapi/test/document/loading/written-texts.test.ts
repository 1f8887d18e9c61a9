import type { JsonObject } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import { openDocument, type ApiDocument } from "../../../src/operations/document.ts";
import { parseDocument } from "../../../src/document/loading/parse-document.ts";
import { checkOperations, standalone } from "../../support/open-documents.ts";

function api(operation: string, more = ""): Promise<ApiDocument> {
  const lines = operation.replaceAll("\n", "\n      ");
  return openDocument(
    `openapi: 3.1.0\ninfo: { title: 2024, version: 1.10 }\npaths:\n  /x:\n    post:\n      ${lines}\n${more}`,
  );
}

async function readParameter(parameter: string): Promise<unknown> {
  const opened = await api(`parameters:\n  - ${parameter}`);
  checkOperations(opened);
  expect(opened.problems).toEqual([]);
  return opened.operations[0]?.details().parameters[0];
}

async function readSchema(schema: string): Promise<unknown> {
  const opened = await api(
    `requestBody: { required: true, content: { application/json: { schema: ${schema} } } }`,
  );
  checkOperations(opened);
  expect(opened.problems).toEqual([]);
  const [media] = opened.operations[0]?.details().body?.media ?? [];
  return media === undefined ? undefined : standalone(media.schema);
}

describe("the name of a parameter is the text that is written", () => {
  test.each([
    ["404", "404"],
    ["0404", "0404"],
    ["1.10", "1.10"],
    ["1e3", "1e3"],
    ["0x1F", "0x1F"],
    ["-0", "-0"],
    ["true", "true"],
    ["False", "False"],
    ["null", "null"],
    ["~", "~"],
    [".nan", ".nan"],
    ["9007199254740993", "9007199254740993"],
    ["2024-01-01", "2024-01-01"],
    ["yes", "yes"],
    ["'404'", "404"],
  ])("%s", async (written, name) => {
    const parameter = await readParameter(
      `{ name: ${written}, in: query, schema: { type: string } }`,
    );
    expect(parameter).toMatchObject({ name, in: "query" });
  });

  test("and a parameter without a name is a problem that says so", async () => {
    for (const parameter of ["{ in: query }", "{ name: , in: query }", "{ name: {}, in: query }"]) {
      const opened = await api(`parameters:\n  - ${parameter}`);
      checkOperations(opened);
      expect(opened.problems.map(({ message }) => message)).toEqual([
        "The parameter has no `name`.",
      ]);
    }
  });

  test("and a number in JSON has its text", async () => {
    const opened = await openDocument({
      openapi: "3.0.0",
      info: { title: "T", version: "1" },
      paths: {
        "/x": {
          get: {
            operationId: 12,
            tags: [1, "b"],
            parameters: [{ name: 404, in: "query", schema: { required: [1] } }],
          },
        },
      },
    });
    expect(opened.operations[0]).toMatchObject({ operationId: "12", tags: ["1", "b"] });
    expect(opened.operations[0]?.details().parameters[0]).toMatchObject({
      name: "404",
      schema: { schema: { required: ["1"] } },
    });
  });
});

test("operationId, tags and descriptions are the texts that are written; null is none", async () => {
  const [operation] = (
    await api("operationId: 0012\ntags: [01, true, x, null]\nsummary: 1.10\ndescription: ~")
  ).operations;
  expect(operation).toMatchObject({
    operationId: "0012",
    tags: ["01", "true", "x", "null"],
    summary: "1.10",
  });
  expect(operation?.description).toBeUndefined();
  const [without] = (await api("operationId: null\nsummary: null")).operations;
  expect(without?.operationId).toBeUndefined();
  expect(without?.name).toBe("post_x");
});

test("keys are the texts that are written, and equal numbers are different keys", async () => {
  expect(parseDocument("01: a\n1: b\n1.0: c\n1.10: d\n0x1: e\ntrue: f\n~: g\n: h")).toEqual({
    "01": "a",
    "1": "b",
    "1.0": "c",
    "1.10": "d",
    "0x1": "e",
    true: "f",
    "~": "g",
    "": "h",
  });
  expect(
    await readSchema(
      "{ type: object, required: [01, 1.10, 404, true, null, 404], properties: { 01: { type: string }, 1.10: { type: integer } } }",
    ),
  ).toEqual({
    type: "object",
    required: ["01", "1.10", "404", "true", "null"],
    properties: { "01": { type: "string" }, "1.10": { type: "integer" } },
  });
});

test("the keys of a discriminator's mapping are the texts that are written", async () => {
  const opened = await api(
    "requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/P' } } } }",
    `components:
  schemas:
    P:
      oneOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }]
      discriminator: { propertyName: 404, mapping: { 01: A, 1.0: B } }
    A: { type: object, properties: { 404: { type: string } } }
    B: { type: object, properties: { 404: { type: string } } }
`,
  );
  const [media] = opened.operations[0]?.details().body?.media ?? [];
  const { defs } = (media as NonNullable<typeof media>).schema;
  expect(JSON.stringify(defs.get("P"))).toContain('{"404":{"const":"01"}}');
  expect(JSON.stringify(defs.get("P"))).toContain('{"404":{"const":"1.0"}}');
});

test("scalars that are data keep their values", async () => {
  const schema = `{ type: object, properties: {
    name: { type: integer, enum: [01, 2], default: 01 },
    required: { type: boolean, default: true },
    version: { type: string, enum: ['x'], default: 1.10 },
    any: { examples: [{ name: 404, required: [01] }], const: { name: 01 } } } }`;
  expect(await readSchema(schema.replaceAll("\n", " "))).toEqual({
    type: "object",
    properties: {
      name: { type: "integer", enum: [1, 2], default: 1 },
      required: { type: "boolean", default: true },
      version: { type: "string", enum: ["x"], default: "1.10" },
      any: { examples: [{ name: 404, required: [1] }], const: { name: 1 } },
    },
  });
});

test("type: null is the type null", async () => {
  expect(await readSchema("{ anyOf: [{ type: null }, { type: string, pattern: 1.0 }] }")).toEqual({
    anyOf: [{ type: "null" }, { type: "string", pattern: "1.0" }],
  });
});

test("names of security schemes and status codes are the texts that are written", async () => {
  const opened = await api(
    "security: [{ 01: [] }]\nresponses: { 0200: { description: 5 }, 200: { description: ok } }",
    "components: { securitySchemes: { 01: { type: apiKey, in: header, name: 007 } } }",
  );
  checkOperations(opened);
  expect(opened.schemeNames).toEqual(["01"]);
  expect(opened.securitySchemes).toMatchObject([{ name: "01", parameter: "007" }]);
  expect(opened.operations[0]?.details().security[0]?.[0]).toMatchObject({
    scheme: "01",
    declaration: { type: "apiKey" },
  });
});

test("merge keys and aliases keep the texts that are written", () => {
  const text =
    "base: &base { 01: a, x: 1 }\nname: &n 007\nmerged: { <<: *base, in: query, name: *n, required: [*n] }";
  expect(parseDocument(text) as JsonObject).toMatchObject({
    base: { "01": "a", x: 1 },
    merged: { "01": "a", x: 1, in: "query", name: "007", required: ["007"] },
  });
});
