import type { JsonObject } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import { openDocument } from "../../src/operations/document.ts";
import type { Parameter } from "../../src/document/operation.ts";
import {
  checkOperations,
  document,
  getFailure,
  onlyDetails,
  standalone,
} from "../support/open-documents.ts";

async function parameter(
  version: string,
  declared: JsonObject,
  more: JsonObject = {},
): Promise<Parameter> {
  const { parameters } = await onlyDetails(version, { parameters: [declared] }, more);
  return parameters[0] as Parameter;
}

describe("a parameter's defaults", () => {
  test.each([
    ["query", {}, { style: "form", explode: true }],
    ["cookie", {}, { style: "form", explode: true }],
    ["header", {}, { style: "simple", explode: false }],
    ["query", { style: "spaceDelimited" }, { style: "spaceDelimited", explode: false }],
    ["query", { style: "form", explode: false }, { style: "form", explode: false }],
    ["query", { style: "deepObject" }, { style: "deepObject", explode: false }],
    ["cookie", { style: "cookie" }, { style: "cookie", explode: true }],
    ["query", { allowReserved: true }, { allowReserved: true }],
    ["query", { style: "label" }, { style: "form", explode: true }],
    ["header", { style: "form" }, { style: "simple", explode: false }],
  ])("in %s with %j", async (place, more, expected) => {
    const declared = { name: "p", in: place, schema: { type: "string" }, ...more };
    expect(await parameter("3.2.0", declared)).toMatchObject({
      required: false,
      deprecated: false,
      ...expected,
    });
  });

  test("a path parameter is required even if the document omits that", async () => {
    const opened = await openDocument(
      document("3.0.0", {
        "/{a}": { get: { parameters: [{ name: "a", in: "path", schema: { type: "string" } }] } },
      }),
    );
    expect(opened.operations[0]?.details().parameters).toMatchObject([
      { name: "a", required: true, style: "simple", explode: false },
    ]);
  });

  test("content has the media type and its schema", async () => {
    const declared = {
      name: "filter",
      in: "query",
      content: { "application/json": { schema: { type: "object" } } },
    };
    const read = await parameter("3.0.0", declared);
    expect(read.mediaType).toBe("application/json");
    expect(standalone(read.schema)).toEqual({ type: "object" });
  });

  test("a querystring parameter of OpenAPI 3.2 has content", async () => {
    const declared = {
      name: "all",
      in: "querystring",
      content: { "application/x-www-form-urlencoded": { schema: { type: "object" } } },
    };
    expect(await parameter("3.2.0", declared)).toMatchObject({
      in: "querystring",
      mediaType: "application/x-www-form-urlencoded",
    });
  });
});

describe("parameters of an operation", () => {
  test("replace those of the path item with the same name and place, at the same position", async () => {
    const opened = await openDocument(
      document("3.0.0", {
        "/x": {
          parameters: [
            { name: "a", in: "query", schema: { type: "string" } },
            { name: "b", in: "query", schema: { type: "string" } },
          ],
          get: {
            parameters: [
              { name: "c", in: "query", schema: { type: "string" } },
              { name: "a", in: "query", schema: { type: "integer" } },
              { name: "a", in: "header", schema: { type: "boolean" } },
            ],
          },
        },
      }),
    );
    const { parameters = [] } = opened.operations[0]?.details() ?? {};
    expect(parameters.map(({ name, in: place, schema }) => [name, place, schema.schema])).toEqual([
      ["a", "query", { type: "integer" }],
      ["b", "query", { type: "string" }],
      ["c", "query", { type: "string" }],
      ["a", "header", { type: "boolean" }],
    ]);
  });

  test("are one object for all operations that refer to one parameter", async () => {
    const operation = { parameters: [{ $ref: "#/components/parameters/P" }] };
    const opened = await openDocument(
      document(
        "3.0.0",
        { "/x": { get: operation, put: operation } },
        {
          components: { parameters: { P: { name: "p", in: "query", schema: { type: "string" } } } },
        },
      ),
    );
    const [get, put] = opened.operations.map((each) => each.details().parameters[0]);
    expect(get).toBe(put);
  });

  test("Accept, Content-Type and Authorization are set by the sender of the request", async () => {
    const { parameters } = await onlyDetails("3.0.0", {
      parameters: ["Accept", "content-type", "AUTHORIZATION", "X-Mine"].map((name) => ({
        name,
        in: "header",
        schema: { type: "string" },
      })),
    });
    expect(parameters.map(({ name }) => name)).toEqual(["X-Mine"]);
  });

  test("that the path contains without a declaration are required strings, with a warning", async () => {
    const opened = await openDocument(
      document("3.0.0", {
        "/a/{one}/b-{two}.{three}?x={four}#{five}": {
          get: { parameters: [{ name: "two", in: "path", schema: { type: "integer" } }] },
        },
      }),
    );
    expect(checkOperations(opened)).toHaveLength(1);
    const { parameters = [] } = opened.operations[0]?.details() ?? {};
    expect(parameters.map(({ name, required, schema }) => [name, required, schema.schema])).toEqual(
      [
        ["two", true, { type: "integer" }],
        ["one", true, { type: "string" }],
        ["three", true, { type: "string" }],
        ["four", true, { type: "string" }],
      ],
    );
    expect(opened.problems).toHaveLength(3);
    expect(opened.problems[0]).toMatchObject({
      severity: "warning",
      message: 'The path parameter "one" is not declared; it is treated as a required string.',
    });
  });

  test("in an invalid place break the operation", async () => {
    const opened = await openDocument(
      document("3.0.0", { "/x": { get: { parameters: [{ name: "a", in: "querry" }] } } }),
    );
    const error = getFailure(opened.operations[0]);
    expect(error.message).toBe('the parameter\'s `in` is "querry"');
    expect(error.pointer).toBe("/paths/~1x/get/parameters/0");
  });
});

describe("parameters of Swagger 2.0", () => {
  test("have their schema on themselves", async () => {
    const read = await parameter("2.0", {
      name: "limit",
      in: "query",
      description: "How many",
      required: true,
      type: "integer",
      minimum: 1,
      exclusiveMinimum: true,
      enum: [2, 4],
      "x-note": 1,
    });
    expect(read).toMatchObject({ description: "How many", required: true });
    expect(standalone(read.schema)).toEqual({ type: "integer", exclusiveMinimum: 1, enum: [2, 4] });
  });

  test.each([
    ["query", "csv", { style: "form", explode: false }],
    ["query", undefined, { style: "form", explode: false }],
    ["query", "multi", { style: "form", explode: true }],
    ["query", "ssv", { style: "spaceDelimited", explode: false }],
    ["query", "pipes", { style: "pipeDelimited", explode: false }],
    ["query", "tsv", { style: "form", explode: false, delimiter: "\t" }],
    ["header", "csv", { style: "simple", explode: false }],
    ["header", "pipes", { style: "simple", explode: false, delimiter: "|" }],
    ["header", "ssv", { style: "simple", explode: false, delimiter: " " }],
  ])("an array in %s with collectionFormat %s", async (place, collectionFormat, expected) => {
    const declared = { name: "p", in: place, type: "array", items: { type: "string" } };
    const read = await parameter(
      "2.0",
      collectionFormat === undefined ? declared : { ...declared, collectionFormat },
    );
    expect(read).toMatchObject(expected);
    expect(Object.hasOwn(read, "delimiter")).toBe("delimiter" in expected);
    expect(standalone(read.schema)).toEqual({ type: "array", items: { type: "string" } });
  });

  test("are read in OpenAPI 3 documents that mix the versions", async () => {
    const read = await parameter("3.0.0", {
      name: "p",
      in: "query",
      type: "string",
      format: "date",
    });
    expect(standalone(read.schema)).toEqual({ type: "string", format: "date" });
  });

  test("may refer to their schema with a $ref beside name and place", async () => {
    const read = await parameter(
      "2.0",
      { name: "p", in: "query", required: true, $ref: "#/definitions/D" },
      { definitions: { D: { type: "string" } } },
    );
    expect(read).toMatchObject({ name: "p", required: true });
    expect(standalone(read.schema)).toEqual({
      $ref: "#/$defs/D",
      $defs: { D: { type: "string" } },
    });
  });
});
