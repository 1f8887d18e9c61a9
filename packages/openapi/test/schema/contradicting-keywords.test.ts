import { ToolExecutor, ToolRegistry, type JsonObject, type JsonValue } from "@toolweave/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openApiSource } from "../../src/index.ts";
import { findTool } from "../support/call-tool.ts";
import { RecordingServer } from "@toolweave/test-support/recording-server";

let server: RecordingServer;

beforeAll(async () => {
  server = await RecordingServer.start();
});

afterAll(() => server.close());

async function openText(text: string) {
  const source = openApiSource.fromString(text, { baseUrl: server.origin });
  const registry = new ToolRegistry([source]);
  await registry.ready;
  const executor = new ToolExecutor({ registry, policy: "autonomous" });
  const tool = findTool(source, "send");
  const call = (args: JsonObject) =>
    executor.execute({ id: "call_1", name: "send", arguments: args });
  return { source, tool, call };
}

function openDocument(
  operation: JsonObject,
  schemas: JsonObject = {},
  openapi: string = "3.1.0",
  path: string = "/x",
) {
  return openText(
    JSON.stringify({
      openapi,
      info: { title: "Test", version: "1" },
      paths: { [path]: { post: { operationId: "send", ...operation } } },
      components: { schemas },
    }),
  );
}

const query = (schema: JsonValue): JsonObject => ({
  parameters: [{ in: "query", name: "v", schema }],
});
const body = (schema: JsonValue): JsonObject => ({
  requestBody: { required: true, content: { "application/json": { schema } } },
});
const ref = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

interface Choice {
  readonly schema: JsonObject;
  readonly value: JsonValue;
  readonly sent: string;
  readonly schemas?: JsonObject;
}

const choices: readonly Choice[] = [
  { schema: { type: "string", enum: [1, 2] }, value: "2", sent: "v=2" },
  { schema: { type: "string", enum: [true, false] }, value: "false", sent: "v=false" },
  { schema: { type: "string", enum: [1, 2, "all"] }, value: "1", sent: "v=1" },
  { schema: { type: "string", enum: [1, 2, "all"] }, value: "all", sent: "v=all" },
  { schema: { type: "string", const: 1 }, value: "1", sent: "v=1" },
  { schema: { type: ["string", "null"], enum: [1, 2, null] }, value: "2", sent: "v=2" },
  { schema: { type: "integer", enum: ["1", "2"] }, value: 2, sent: "v=2" },
  { schema: { type: "number", enum: ["1.5"] }, value: 1.5, sent: "v=1.5" },
  { schema: { type: "boolean", enum: ["true", "false"] }, value: true, sent: "v=true" },
  { schema: { type: "integer", const: "1" }, value: 1, sent: "v=1" },
  { schema: { type: "integer", enum: ["low", "high"] }, value: "low", sent: "v=low" },
  { schema: { type: "integer", enum: [1, "all"] }, value: "all", sent: "v=all" },
  { schema: { type: "array", items: { type: "string", enum: [1, 2] } }, value: ["2"], sent: "v=2" },
  {
    schema: { type: "array", items: { type: "string" }, enum: ["a", "b"] },
    value: ["a"],
    sent: "v=a",
  },
  { schema: { allOf: [{ type: "string" }, { enum: [1, 2] }] }, value: "2", sent: "v=2" },
  { schema: { type: "string", allOf: [{ enum: [1, 2] }] }, value: "2", sent: "v=2" },
  {
    schema: { allOf: [ref("Text")], enum: [1, 2] },
    value: "2",
    sent: "v=2",
    schemas: { Text: { type: "string" } },
  },
  {
    schema: { ...ref("Text"), enum: [1, 2] },
    value: "2",
    sent: "v=2",
    schemas: { Text: { type: "string" } },
  },
  {
    schema: ref("Code"),
    value: "2",
    sent: "v=2",
    schemas: { Code: { type: "string", enum: [1, 2] } },
  },
  {
    schema: { anyOf: [ref("Code"), { type: "null" }] },
    value: "2",
    sent: "v=2",
    schemas: { Code: { type: "string", enum: [1, 2] } },
  },
];

describe("values of another type than the schema's are read in its type, with a warning", () => {
  for (const { schema, value, sent, schemas } of choices) {
    test(`${JSON.stringify(schema)} accepts ${JSON.stringify(value)}`, async () => {
      const { source, tool, call } = await openDocument(query(schema), schemas);
      expect(await call({ v: value })).toMatchObject({ status: "completed" });
      expect(server.last.query).toBe(sent);
      void tool.spec.inputSchema;
      expect(source.problems).toEqual([
        expect.objectContaining({
          severity: "warning",
          message: expect.stringMatching(/^Values of (?:enum|const) are not /) as string,
        }),
      ]);
    });
  }

  test("the model reads the values as they are sent, and the warning names the place", async () => {
    const { source, tool } = await openDocument(query({ type: "string", enum: [1, 2] }));
    expect(tool.spec.inputSchema["properties"]).toEqual({
      v: { type: "string", enum: ["1", "2"] },
    });
    expect(source.problems).toEqual([
      {
        subject: "the document",
        message:
          'Values of enum are not of the type of the schema (string), and are read as "1", "2".',
        pointer: "/paths/~1x/post/parameters/0/schema",
        severity: "warning",
      },
    ]);
  });

  test("a value that JavaScript would round, an object or null has no other form", async () => {
    const { tool } = await openDocument(
      body({
        type: "object",
        properties: {
          large: { type: "integer", enum: ["9007199254740993"] },
          empty: { type: "string", enum: ["a", null] },
        },
      }),
    );
    expect(tool.spec.inputSchema["properties"]).toEqual({
      large: { type: ["integer", "string"], enum: ["9007199254740993"] },
      empty: { type: "string", enum: ["a", null] },
    });
  });

  test("in a path, a header, a form and a JSON body", async () => {
    const code = { type: "string", enum: [1, 2] };
    const inPath = await openDocument(
      { parameters: [{ in: "path", name: "v", required: true, schema: code }] },
      {},
      "3.0.3",
      "/x/{v}",
    );
    await inPath.call({ v: "2" });
    expect(server.last.path).toBe("/x/2");
    const inHeader = await openDocument({
      parameters: [{ in: "header", name: "v", schema: code }],
    });
    await inHeader.call({ v: "2" });
    expect(server.last.headers["v"]).toBe("2");
    const inBody = await openDocument(body({ type: "object", properties: { v: code } }));
    await inBody.call({ v: "2" });
    expect(server.last.body.toString()).toBe('{"v":"2"}');
  });

  test("a condition keeps its values, because it would match others", async () => {
    const { source, tool } = await openDocument(query({ not: { type: "string", enum: [1] } }));
    void tool.spec.inputSchema;
    expect(source.problems).toEqual([]);
  });

  test("texts of YAML are those that are written", async () => {
    const { source, tool, call } = await openText(`
openapi: 3.1.0
info: { title: Test, version: "1" }
paths:
  /x:
    post:
      operationId: send
      parameters:
        - { in: query, name: a, schema: { type: string, enum: [01, 02] } }
        - { in: query, name: b, schema: { type: string, enum: [1.0, 1.10] } }
        - { in: query, name: c, schema: { type: [string, "null"], enum: [01, true] } }
        - { in: query, name: d, schema: { allOf: [{ type: string }], const: 1.10 } }
`);
    expect(tool.spec.inputSchema["properties"]).toMatchObject({
      a: { type: "string", enum: ["01", "02"] },
      b: { type: "string", enum: ["1.0", "1.10"] },
      c: { enum: ["01", "true"] },
      d: { const: "1.10" },
    });
    await call({ a: "01", b: "1.10", d: "1.10" });
    expect(server.last.query).toBe("a=01&b=1.10&d=1.10");
    expect(source.problems).toHaveLength(4);
  });
});

describe("null beside a reference is a value", () => {
  const owner = { type: "object", properties: { id: { type: "string" } } };
  for (const [openapi, extra] of [
    ["3.0.3", { nullable: true }],
    ["3.0.3", { nullable: true, description: "The owner." }],
    ["3.1.0", { nullable: true }],
  ] as const) {
    test(`in ${openapi} with ${JSON.stringify(extra)}`, async () => {
      const schema = { type: "object", properties: { owner: { ...ref("Owner"), ...extra } } };
      const { call } = await openDocument(body(schema), { Owner: owner }, openapi);
      expect(await call({ owner: null })).toMatchObject({ status: "completed" });
      expect(server.last.body.toString()).toBe('{"owner":null}');
      expect(await call({ owner: 1 })).toMatchObject({ status: "failed" });
    });
  }

  test("in a component that is a reference", async () => {
    const { call } = await openDocument(
      body({ type: "object", properties: { owner: ref("Optional") } }),
      { Owner: owner, Optional: { ...ref("Owner"), nullable: true } },
      "3.0.3",
    );
    expect(await call({ owner: null })).toMatchObject({ status: "completed" });
  });
});

describe("additionalProperties: false of a composition counts the properties of all its schemas", () => {
  const first = {
    type: "object",
    properties: { first: { type: "string" } },
    additionalProperties: false,
  };
  const last = { type: "object", properties: { last: { type: "string" } }, required: ["last"] };
  const compositions: readonly (readonly [JsonObject, string?])[] = [
    [{ allOf: [ref("First"), ref("Last")] }],
    [{ allOf: [ref("First"), ref("Last")] }, "3.0.3"],
    [{ allOf: [first, { ...last, additionalProperties: false }] }],
    [{ allOf: [ref("First")], properties: { last: { type: "string" } } }],
    [
      {
        type: "object",
        allOf: [ref("Last")],
        properties: { first: { type: "string" } },
        additionalProperties: false,
      },
    ],
    [{ ...ref("First"), properties: { last: { type: "string" } } }],
    [{ allOf: [{ allOf: [ref("First")] }, { allOf: [ref("Last")] }] }],
    [{ ...first, oneOf: [ref("Last"), { properties: { other: {} }, required: ["other"] }] }],
    [{ properties: { last: { type: "string" } }, anyOf: [ref("First")] }],
  ];
  for (const [schema, openapi] of compositions) {
    test(`${JSON.stringify(schema)} in ${openapi ?? "3.1.0"}`, async () => {
      const { source, tool, call } = await openDocument(
        body(schema),
        { First: first, Last: last },
        openapi,
      );
      expect(await call({ body: { first: "a", last: "b" } })).toMatchObject({
        status: "completed",
      });
      expect(JSON.parse(server.last.body.toString())).toEqual({ first: "a", last: "b" });
      const refused = JSON.stringify(await call({ body: { first: "a", last: "b", more: "c" } }));
      expect(refused).toContain("body.more is not a known property");
      expect(refused).toContain("Known: first, last");
      void tool.spec.inputSchema;
      expect(source.problems).toEqual([
        {
          subject: "the document",
          message: expect.stringMatching(
            /^additionalProperties: false of one schema refuses /,
          ) as string,
          pointer: "/paths/~1x/post/requestBody/content/application~1json/schema",
          severity: "warning",
        },
      ]);
    });
  }

  test("a closed schema whose composition adds no property stays as it is", async () => {
    const schema = { allOf: [ref("First"), { required: ["first"] }] };
    const { source, call } = await openDocument(body(schema), { First: first });
    expect(await call({ body: { first: "a", last: "b" } })).toMatchObject({ status: "failed" });
    await source.realize?.();
    expect(source.problems).toEqual([]);
  });
});

describe("a schema for which no value is valid is a problem", () => {
  const impossible: readonly JsonObject[] = [
    { allOf: [{ type: "string" }, { type: "integer" }] },
    { type: "object", properties: { a: {} }, required: ["b"], additionalProperties: false },
    { type: "string", minLength: 3, maxLength: 2 },
    { allOf: [{ enum: ["a"] }, { enum: ["b"] }] },
    { type: "array", items: { allOf: [{ type: "string" }, { type: "integer" }] }, minItems: 1 },
  ];
  for (const schema of impossible) {
    const written = JSON.stringify(schema);
    test(`such as ${written}`, async () => {
      const { source } = await openDocument(body({ type: "object", properties: { v: schema } }));
      source.realize();
      expect(source.problems).toEqual([
        expect.objectContaining({
          subject: "POST /x",
          severity: "warning",
          message: expect.stringMatching(/^No value of .*v.* is valid: /) as string,
        }),
      ]);
    });
  }
});
