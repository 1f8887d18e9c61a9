import type { JsonObject } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import type { MediaDescription } from "../../src/document/operation.ts";
import { onlyDetails, standalone } from "../support/open-documents.ts";

function plain(media: readonly MediaDescription[] = []): unknown[] {
  return media.map(({ schema, itemSchema, ...rest }) => ({
    ...rest,
    schema: standalone(schema),
    ...(itemSchema === undefined ? {} : { itemSchema: standalone(itemSchema) }),
  }));
}

describe("request bodies", () => {
  test("have their media types in order, with schema and encoding", async () => {
    const encoding = { tags: { style: "form", explode: false } };
    const { body } = await onlyDetails(
      "3.0.0",
      { requestBody: { $ref: "#/components/requestBodies/B", description: "Here" } },
      {
        components: {
          requestBodies: {
            B: {
              required: true,
              description: "There",
              content: {
                "application/x-www-form-urlencoded": { schema: { type: "object" }, encoding },
                "text/plain": {},
              },
            },
          },
        },
      },
    );
    expect(body).toMatchObject({ required: true, description: "Here" });
    expect(plain(body?.media)).toEqual([
      { mediaType: "application/x-www-form-urlencoded", schema: { type: "object" }, encoding },
      { mediaType: "text/plain", schema: {} },
    ]);
  });

  test("are optional unless the document declares otherwise, and absent without content", async () => {
    const content = { "application/json": { schema: true } };
    expect((await onlyDetails("3.1.0", { requestBody: { content } })).body?.required).toBe(false);
    expect((await onlyDetails("3.1.0", { requestBody: { content: {} } })).body).toBe(undefined);
    expect((await onlyDetails("3.1.0", {})).body).toBe(undefined);
  });

  test("of OpenAPI 3.2 may be sequences, and refer to media types", async () => {
    const { body } = await onlyDetails(
      "3.2.0",
      {
        requestBody: {
          content: { "application/jsonl": { $ref: "#/components/mediaTypes/Lines" } },
        },
      },
      { components: { mediaTypes: { Lines: { itemSchema: { type: "integer" } } } } },
    );
    expect(plain(body?.media)).toEqual([
      { mediaType: "application/jsonl", schema: {}, itemSchema: { type: "integer" } },
    ]);
  });
});

async function swaggerBody(operation: JsonObject, more: JsonObject = {}) {
  const { body } = await onlyDetails("2.0", operation, more);
  return { required: body?.required, media: plain(body?.media) };
}

describe("bodies of Swagger 2.0", () => {
  const parameters = [
    { name: "b", in: "body", required: true, schema: { $ref: "#/definitions/D" } },
  ];
  const more = { definitions: { D: { type: "object" } } };
  const schema = { $ref: "#/$defs/D", $defs: { D: { type: "object" } } };

  test("have the media types that the operation consumes, otherwise the document's, otherwise JSON", async () => {
    expect(await swaggerBody({ parameters, consumes: ["a/b", "c/d"] }, more)).toEqual({
      required: true,
      media: [
        { mediaType: "a/b", schema },
        { mediaType: "c/d", schema },
      ],
    });
    expect((await swaggerBody({ parameters }, { ...more, consumes: ["x/y"] })).media).toEqual([
      { mediaType: "x/y", schema },
    ]);
    expect((await swaggerBody({ parameters }, more)).media).toEqual([
      { mediaType: "application/json", schema },
    ]);
  });

  test("of form parameters are an object, url-encoded unless the document declares otherwise", async () => {
    const form = [
      { name: "a", in: "formData", type: "string", required: true, description: "One" },
      {
        name: "b",
        in: "formData",
        type: "array",
        items: { type: "string" },
        collectionFormat: "pipes",
      },
    ];
    const expected = {
      type: "object",
      properties: {
        a: { type: "string", description: "One" },
        b: { type: "array", items: { type: "string" } },
      },
      required: ["a"],
    };
    expect(await swaggerBody({ parameters: form })).toEqual({
      required: true,
      media: [
        {
          mediaType: "application/x-www-form-urlencoded",
          schema: expected,
          encoding: { b: { style: "pipeDelimited", explode: false } },
        },
      ],
    });
    const { media } = await swaggerBody({ parameters: form, consumes: ["multipart/form-data"] });
    expect(media).toMatchObject([{ mediaType: "multipart/form-data" }]);
  });

  test("with a file are multipart, whatever is consumed", async () => {
    const form = [{ name: "f", in: "formData", type: "file" }];
    const { media, required } = await swaggerBody({
      parameters: form,
      consumes: ["application/x-www-form-urlencoded"],
    });
    expect(required).toBe(false);
    expect(media).toEqual([
      {
        mediaType: "multipart/form-data",
        schema: { type: "object", properties: { f: { type: "string", format: "binary" } } },
      },
    ]);
  });
});

describe("responses", () => {
  test("keep status codes, ranges and default, and nothing else", async () => {
    const { responses } = await onlyDetails(
      "3.0.0",
      {
        responses: {
          200: {
            description: "Fine",
            content: { "application/json": { schema: { type: "array" } } },
          },
          "4xx": { description: "Wrong" },
          default: { $ref: "#/components/responses/E" },
          "x-other": {},
          nonsense: {},
        },
      },
      { components: { responses: { E: { description: "Else" } } } },
    );
    expect(responses.map(({ status, media }) => ({ status, media: plain(media) }))).toEqual([
      {
        status: "200",
        media: [{ mediaType: "application/json", schema: { type: "array" } }],
      },
      { status: "4XX", media: [] },
      { status: "default", media: [] },
    ]);
  });

  test("of Swagger 2.0 have the media types that the operation produces", async () => {
    const response = { description: "A file", schema: { type: "file" } };
    const operation = {
      produces: ["image/png"],
      responses: { 200: { $ref: "#/responses/R" }, 204: {} },
    };
    const { responses } = await onlyDetails("2.0", operation, {
      produces: ["application/json"],
      responses: { R: response },
    });
    expect(responses.map(({ media }) => plain(media))).toEqual([
      [{ mediaType: "image/png", schema: { type: "string", format: "binary" } }],
      [],
    ]);
  });
});
