import type { JsonObject, JsonSchema } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import { layoutArguments } from "../../src/arguments/argument-layout.ts";
import { toInputSchema } from "../../src/arguments/input-schema.ts";
import type { OperationDetails } from "../../src/document/operation.ts";
import { body, details, media, parameter, createSchema } from "../support/operations.ts";

function schemaFor(
  given: Partial<OperationDetails>,
  path = "/pets",
  headers: readonly string[] = [],
): JsonSchema {
  return toInputSchema(
    layoutArguments(details(given), path, "/paths/~1pets/post", {
      headers: new Set(headers),
      cookies: [],
    }),
  );
}

function listArguments(
  given: Partial<OperationDetails>,
  path?: string,
  headers?: readonly string[],
): string[] {
  return Object.keys(schemaFor(given, path, headers)["properties"] as JsonObject);
}

const json = (
  schema: JsonSchema,
  defs?: Record<string, JsonSchema>,
): Partial<OperationDetails> => ({
  body: body([media("application/json", schema, defs === undefined ? {} : { defs })]),
});

const pet: JsonSchema = {
  type: "object",
  required: ["name"],
  properties: { name: { type: "string" }, tag: { type: "string" } },
};

describe("parameters", () => {
  test("are arguments with their own names, with description, requirement and deprecation", () => {
    const schema = schemaFor(
      {
        parameters: [
          parameter({ name: "id", in: "path", schema: createSchema({ type: "integer" }) }),
          parameter({
            name: "limit",
            in: "query",
            description: "How many.",
            deprecated: true,
            schema: createSchema({ type: "integer" }),
          }),
        ],
      },
      "/pets/{id}",
    );
    expect(schema).toEqual({
      type: "object",
      properties: {
        id: { type: "integer" },
        limit: { type: "integer", description: "How many.", deprecated: true },
      },
      required: ["id"],
      additionalProperties: false,
    });
  });

  test("accept no values that cannot be sent", () => {
    const list = { type: "array", items: { type: "string" } };
    const tags = createSchema({ $ref: "#/$defs/Tags" }, { Tags: { ...list, minItems: 0 } });
    const text = createSchema({ type: ["string", "null"], default: null });
    const kind = createSchema({ type: "string", enum: ["a"] });
    const required = { in: "query", required: true, schema: createSchema(list) } as const;
    const schema = schemaFor(
      {
        parameters: [
          parameter({ name: "ids", in: "path", schema: createSchema({ ...list, maxItems: 9 }) }),
          parameter({ name: "of", in: "path", schema: createSchema({ type: "object" }) }),
          parameter({ name: "text", in: "path", schema: text }),
          parameter({ name: "kind", in: "path", schema: kind }),
          parameter({ ...required, name: "tags", schema: tags }),
          parameter({ ...required, name: "empty", allowEmptyValue: true }),
          parameter({ ...required, name: "json", mediaType: "application/json" }),
          parameter({ ...required, name: "optional", required: false }),
        ],
      },
      "/{ids}/{of}/{text}/{kind}",
    );
    expect(schema["properties"]).toEqual({
      ids: { ...list, maxItems: 9, minItems: 1 },
      of: { type: "object", minProperties: 1 },
      text: { type: "string", minLength: 1 },
      kind: { type: "string", enum: ["a"] },
      tags: { $ref: "#/$defs/Tags", minItems: 1 },
      empty: list,
      json: list,
      optional: list,
    });
  });

  test("with the same name in several places: the path keeps it, and the others are named after their place", () => {
    const names = listArguments(
      {
        parameters: [
          parameter({ name: "id", in: "cookie" }),
          parameter({ name: "id", in: "header" }),
          parameter({ name: "id", in: "query" }),
          parameter({ name: "id", in: "path" }),
        ],
      },
      "/pets/{id}",
    );
    expect(names).toEqual(["cookie_id", "header_id", "query_id", "id"]);
  });

  test("with the same name that providers refuse, in several places, are named after their place, too", () => {
    const given = [
      parameter({ name: "a[b]", in: "header" }),
      parameter({ name: "a[b]", in: "query" }),
    ];
    expect(listArguments({ parameters: given })).toEqual(["header_a_b", "a_b"]);
  });

  test("whose new name is taken get a number", () => {
    const given = [
      parameter({ name: "id", in: "path" }),
      parameter({ name: "id", in: "query" }),
      parameter({ name: "query_id", in: "query" }),
    ];
    expect(listArguments({ parameters: given }, "/pets/{id}")).toEqual([
      "id",
      "query_id_2",
      "query_id",
    ]);
  });

  test("with names that providers refuse get valid ones, and their descriptions have the originals", () => {
    const long = `${"a".repeat(70)}[x]`;
    const schema = schemaFor({
      parameters: [
        parameter({ name: "filter[name]", in: "query", description: "By name." }),
        parameter({ name: "$filter", in: "query" }),
        parameter({ name: "filter", in: "query" }),
        parameter({ name: long, in: "query" }),
        parameter({ name: "名", in: "query" }),
        parameter({ name: "__proto__", in: "query" }),
      ],
    });
    const properties = schema["properties"] as Record<string, JsonSchema>;
    const names = Object.keys(properties);
    expect(names.slice(0, 3)).toEqual(["filter_name", "filter_2", "filter"]);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_.-]{1,64}$/);
    expect(new Set(names).size).toBe(6);
    expect(properties["filter_name"]?.["description"]).toBe("By name.\n\nSent as filter[name].");
  });

  test("that the model may not choose are omitted", () => {
    const names = listArguments(
      {
        parameters: [
          ...[
            "Accept",
            "content-type",
            "AUTHORIZATION",
            "Host",
            "X-HTTP-Method-Override",
            "X-Tenant",
          ].map((name) => parameter({ name, in: "header", required: true })),
          parameter({ name: "_method", in: "query" }),
          parameter({ name: "X-Api-Key", in: "header" }),
          parameter({ name: "key", in: "query" }),
          parameter({ name: "key", in: "cookie" }),
          parameter({ name: "X-Trace", in: "header" }),
        ],
        security: [
          [
            {
              scheme: "a",
              scopes: [],
              declaration: { type: "apiKey", in: "header", name: "x-api-key", raw: {} },
            },
            {
              scheme: "b",
              scopes: [],
              declaration: { type: "apiKey", in: "query", name: "key", raw: {} },
            },
          ],
        ],
      },
      "/pets",
      ["x-tenant"],
    );
    expect(names).toEqual(["key", "X-Trace"]);
  });

  test("of a path that does not contain them are omitted", () => {
    expect(listArguments({ parameters: [parameter({ name: "gone", in: "path" })] })).toEqual([]);
  });
});

describe("a body", () => {
  test("that is a plain object becomes arguments beside the parameters", () => {
    const schema = schemaFor(
      { parameters: [parameter({ name: "id", in: "path" })], ...json(pet) },
      "/pets/{id}",
    );
    expect(Object.keys(schema["properties"] as JsonObject)).toEqual(["id", "name", "tag"]);
    expect(schema["required"]).toEqual(["id", "name"]);
  });

  test("behind a reference becomes arguments, and its definition is removed unless another schema refers to it", () => {
    const plain = schemaFor(json({ $ref: "#/$defs/Pet" }, { Pet: pet }));
    expect(plain["properties"]).toEqual(pet["properties"]);
    expect(plain).not.toHaveProperty("$defs");

    const tree = {
      type: "object",
      properties: { children: { type: "array", items: { $ref: "#/$defs/Tree" } } },
    };
    const recursive = schemaFor(json({ $ref: "#/$defs/Tree" }, { Tree: tree }));
    expect(Object.keys(recursive["properties"] as JsonObject)).toEqual(["children"]);
    expect(recursive["$defs"]).toEqual({ Tree: tree });
  });

  test("with a property called like a parameter is one argument", () => {
    const names = listArguments({
      parameters: [parameter({ name: "tag", in: "query" })],
      ...json(pet),
    });
    expect(names).toEqual(["tag", "body"]);
  });

  test("is called request_body if a parameter is called body", () => {
    const names = listArguments({
      parameters: [parameter({ name: "body", in: "query" })],
      ...json({ type: "array" }),
    });
    expect(names).toEqual(["body", "request_body"]);
  });

  test("with a property called body becomes arguments like any other", () => {
    expect(listArguments(json({ type: "object", properties: { body: {}, title: {} } }))).toEqual([
      "body",
      "title",
    ]);
  });

  test.each<[string, JsonSchema]>([
    ["a list", { type: "array" }],
    ["text", { type: "string" }],
    ["a map", { type: "object", additionalProperties: { type: "string" } }],
    ["an open object", { ...pet, additionalProperties: true }],
    ["an object without properties", { type: "object" }],
    ["an object or null", { ...pet, type: ["object", "null"] }],
    ["a choice", { ...pet, oneOf: [{ required: ["a"] }] }],
    ["an intersection", { allOf: [pet] }],
    ["an object with patterns", { ...pet, patternProperties: { "^x-": {} } }],
    ["an object that may not be empty", { ...pet, minProperties: 1 }],
    ["an object that requires an undeclared property", { ...pet, required: ["other"] }],
    [
      "an object with a hostile name",
      { type: "object", properties: JSON.parse('{"__proto__":{}}') as JsonObject },
    ],
  ])(
    "that is %s is one argument, since separate arguments would lose something",
    (_name, schema) => {
      expect(listArguments(json(schema))).toEqual(["body"]);
    },
  );

  test("that is optional becomes separate arguments only if none of its properties is required", () => {
    const optional = (schema: JsonSchema): Partial<OperationDetails> => ({
      body: body([media("application/json", schema)], false),
    });
    expect(listArguments(optional(pet))).toEqual(["body"]);
    expect(listArguments(optional({ ...pet, required: [] }))).toEqual(["name", "tag"]);
  });

  test("is JSON if JSON is among the choices, and application/json before other JSON", () => {
    const given = details({
      body: body([
        media("application/xml"),
        media("application/hal+json", { type: "array" }),
        media("application/json", pet),
      ]),
    });
    expect(
      layoutArguments(given, "/", "", { headers: new Set(), cookies: [] }).body?.media.mediaType,
    ).toBe("application/json");
  });

  test("that is a form has no empty value for a required field", () => {
    const form = (type: string, encoding = {}): JsonSchema => {
      const schema = {
        type: "object",
        required: ["list", "of"],
        properties: {
          list: { type: "array" },
          of: { type: ["object", "null"] },
          more: { type: "array" },
        },
      };
      return schemaFor({ body: body([media(type, schema, { encoding })]) });
    };
    const ofJson = { type: "object" };
    const urlEncoded = "application/x-www-form-urlencoded";
    expect(form(urlEncoded)["properties"]).toEqual({
      list: { type: "array", minItems: 1 },
      of: ofJson,
      more: { type: "array" },
    });
    const styled = { of: { style: "deepObject", explode: true } };
    expect((form(urlEncoded, styled)["properties"] as JsonObject)["of"]).toEqual({
      type: "object",
      minProperties: 1,
    });
    expect((form("multipart/form-data")["properties"] as JsonObject)["list"]).toEqual({
      type: "array",
      minItems: 1,
    });
    expect((form("application/json")["properties"] as JsonObject)["list"]).toEqual({
      type: "array",
    });
  });

  test("with property names that providers refuse has them replaced", () => {
    const schema = schemaFor(
      json({ type: "object", properties: { "@type": { description: "Kind." }, type: {} } }),
    );
    const properties = schema["properties"] as Record<string, JsonSchema>;
    expect(Object.keys(properties)).toEqual(["type_2", "type"]);
    expect(properties["type_2"]?.["description"]).toBe("Kind.\n\nSent as @type.");
  });

  test("of bytes or files is base64 for the model", () => {
    const binary = schemaFor({
      body: body([media("application/octet-stream", { type: "string", format: "binary" })]),
    });
    expect((binary["properties"] as JsonObject)["body"]).toEqual({
      type: "string",
      contentEncoding: "base64",
      description: "The bytes, in base64, or the key of an artifact: art_…",
    });
    const upload = schemaFor({
      body: body([
        media("multipart/form-data", {
          type: "object",
          required: ["file"],
          properties: {
            file: { type: "string", format: "binary", description: "A photo." },
            more: { type: "array", items: { type: "string", contentMediaType: "image/png" } },
            note: { type: "string" },
          },
        }),
      ]),
    });
    expect(upload["properties"]).toMatchObject({
      file: {
        contentEncoding: "base64",
        description: "A photo.\n\nThe bytes, in base64, or the key of an artifact: art_…",
      },
      more: { type: "array", items: { contentEncoding: "base64", contentMediaType: "image/png" } },
      note: { type: "string" },
    });
  });
});
