import type { JsonObject } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import { openApi } from "../../support/start-api.ts";
import type { Answer } from "@toolweave/test-support/recording-server";
import { openSource, findTool } from "../../support/call-tool.ts";
import { api, file } from "../../support/refresh-source.ts";

/** An answer without content. */
const done: Answer = (_request, response) => void response.writeHead(204).end();
const ok = { "200": { description: "ok" } };
const gone = { $ref: "#/components/schemas/Gone" };

/** `POST /x` with this body, in JSON. */
function posting(schema: JsonObject, more: JsonObject = {}): JsonObject {
  const content = { "application/json": { schema } };
  return { "/x": { post: { operationId: "x", requestBody: { content }, responses: ok, ...more } } };
}

describe("a reference to nothing", () => {
  test("affects its property, and not the body that contains it", async () => {
    const schema = { type: "object", properties: { subject: { type: "string" }, odd: gone } };
    const { call, server } = await openApi(posting(schema), done);
    const outcome = await call("x", { subject: "hello", odd: { any: [1] } });
    expect(outcome).toMatchObject({ status: "completed" });
    expect(String(server.requests[0]?.body)).toBe('{"subject":"hello","odd":{"any":[1]}}');
    const wrong = await call("x", { subject: 7 });
    expect(wrong).toMatchObject({ error: { code: "invalid_arguments" } });
  });

  test("at a deeper level is one warning with its place, whatever operations reach it", async () => {
    const components = {
      schemas: { Pet: { properties: { tag: gone, name: { type: "string" } } } },
    };
    const pet = { $ref: "#/components/schemas/Pet" };
    const paths = {
      ...posting({ type: "object", required: ["pets"], properties: { pets: { items: pet } } }),
      "/y": {
        put: {
          operationId: "y",
          requestBody: { required: true, content: { "application/json": { schema: pet } } },
          responses: {
            "200": { description: "ok", content: { "application/json": { schema: pet } } },
          },
        },
      },
    };
    await using source = await openSource(paths, { baseUrl: "http://127.0.0.1:1" }, { components });
    source.realize();
    expect(source.tools()).toHaveLength(2);
    expect(source.problems).toEqual([
      {
        subject: "the document",
        message: '$ref "#/components/schemas/Gone" points to nothing: any value is accepted there.',
        pointer: "/components/schemas/Pet/properties/tag",
        severity: "warning",
      },
    ]);
  });

  test("accepts any value in place of a branch, and refuses none that another accepts", async () => {
    const named = { type: "object", required: ["name"], properties: { name: { type: "string" } } };
    for (const schema of [
      { oneOf: [named, gone] },
      { anyOf: [named, gone] },
      { allOf: [named, gone] },
      { ...named, not: gone },
      { ...named, if: gone, else: { required: ["other"] } },
    ]) {
      const { call } = await openApi(posting({ type: "object", properties: { it: schema } }), done);
      const { status } = await call("x", { it: { name: "a" } });
      expect([schema, status]).toEqual([schema, "completed"]);
    }
  });

  test("as a complete media type, or as the schema of a body, keeps the media type", async () => {
    for (const media of [{ $ref: "#/components/mediaTypes/Gone" }, { schema: gone }]) {
      const { call, server } = await openApi(
        {
          "/x": {
            post: { operationId: "x", requestBody: { content: { "application/json": media } } },
          },
        },
        done,
      );
      expect(await call("x", { body: [1, 2] })).toMatchObject({ status: "completed" });
      expect(String(server.requests[0]?.body)).toBe("[1,2]");
    }
  });

  test("as a parameter is omitted with a warning; one of the path stays a required text", async () => {
    const parameters = [
      { $ref: "#/components/parameters/trace" },
      { $ref: "#/components/parameters/id" },
      { name: "q", in: "query", schema: { type: "string" } },
    ];
    await using source = await openSource(
      { "/x/{id}": { post: { operationId: "x", parameters, responses: ok } } },
      { baseUrl: "http://127.0.0.1:1" },
    );
    const { inputSchema } = findTool(source, "x").spec;
    expect(inputSchema).toMatchObject({ properties: { id: {}, q: {} }, required: ["id"] });
    expect(source.problems.map(({ severity, pointer }) => [severity, pointer])).toEqual([
      ["warning", "/paths/~1x~1{id}/post/parameters/0"],
      ["warning", "/paths/~1x~1{id}/post/parameters/1"],
      ["warning", "/paths/~1x~1{id}/post"],
    ]);
  });

  test.each<JsonObject>([
    { parameters: [{ $ref: "#/components/parameters/filter" }] },
    { requestBody: { content: { "application/json": { schema: { allOf: [7] } } } } },
    {
      requestBody: {
        content: { "application/x-www-form-urlencoded": { schema: { type: "array" } } },
      },
    },
  ])(
    "or another error disables a deletion, which might delete more without it: %j",
    async (more) => {
      await using source = await openSource(
        { "/x": { delete: { operationId: "x", responses: ok, ...more } } },
        { baseUrl: "http://127.0.0.1:1" },
      );
      source.realize();
      expect(source.tools()).toEqual([]);
      expect(source.problems).toHaveLength(1);
    },
  );

  test("as a header of a part is omitted with a warning", async () => {
    const content = {
      "multipart/form-data": {
        schema: { type: "object", properties: { a: { type: "string" } } },
        encoding: { a: { headers: { "X-A": { $ref: "#/components/headers/Gone" } } } },
      },
    };
    const paths = { "/x": { post: { operationId: "x", requestBody: { content }, responses: ok } } };
    await using source = await openSource(paths, { baseUrl: "http://127.0.0.1:1" });
    expect(findTool(source, "x").spec.inputSchema).toMatchObject({ properties: { a: {} } });
    expect(source.problems.map(({ severity, pointer }) => [severity, pointer])).toEqual([
      [
        "warning",
        "/paths/~1x/post/requestBody/content/multipart~1form-data/encoding/a/headers/X-A",
      ],
    ]);
  });

  test("stays a problem when the document is loaded again, until it is repaired", async () => {
    const it = await file();
    const tag = (schema: JsonObject): JsonObject => ({
      ...api({
        "/a": { get: { operationId: "a", parameters: [{ name: "q", in: "query", schema }] } },
      }),
    });
    const of = (document: JsonObject, more: JsonObject): JsonObject => ({
      ...document,
      info: { title: "Test", version: "1", ...more },
    });
    it.write(tag(gone));
    await it.source.refresh();
    it.source.realize();
    const [first] = it.source.problems;
    expect(first).toMatchObject({
      severity: "warning",
      pointer: expect.stringContaining("schema") as string,
    });
    it.write(of(tag(gone), { description: "changed" }));
    await it.source.refresh();
    expect(it.source.problems).toEqual([first]);
    it.write(tag({ type: "string" }));
    await it.source.refresh();
    it.source.realize();
    expect(it.source.problems).toEqual([]);
  });
});
