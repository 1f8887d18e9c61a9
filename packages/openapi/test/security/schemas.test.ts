// Schemas of hostile documents: the tools beside them keep working.
import type { JsonObject, JsonValue, ToolOutcome } from "@toolweave/core";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { RecordingServer } from "@toolweave/test-support/recording-server";
import { createDocument, opened, modelView, type Opened } from "../support/open-source.ts";
import { cpuTimer } from "../support/cpu-timer.ts";

let server: RecordingServer;
beforeAll(async () => {
  server = await RecordingServer.start();
});
beforeEach(() => void (server.requests.length = 0));
afterAll(() => server.close());

/** A document with an operation that takes such a body, and one that takes a plain one. */
function hostile(schema: JsonObject, schemas: JsonObject = {}): Promise<Opened> {
  const takes = (operationId: string, of: JsonObject): JsonObject => ({
    post: {
      operationId,
      requestBody: { required: true, content: { "application/json": { schema: of } } },
      responses: { 200: { description: "ok", content: { "application/json": { schema: of } } } },
    },
  });
  return opened(
    createDocument(
      { "/x": takes("hostile", schema), "/y": takes("plain", { type: "string" }) },
      { components: { schemas } },
    ),
    { baseUrl: server.origin },
  );
}

/** A call of the other operation, whatever the result of the first. */
function others({ run }: Opened): Promise<ToolOutcome> {
  server.answer = (_recorded, response) =>
    void response.setHeader("content-type", "application/json").end('"fine"');
  return run("plain", { body: "x" });
}

/** The cost for this process, in milliseconds. */
async function cost(work: () => Promise<unknown>): Promise<number> {
  const spent = cpuTimer();
  await work();
  return spent();
}

test("SC01 a pattern with exponential backtracking blocks nothing", async () => {
  const api = await hostile({ type: "string", pattern: "^(a+)+$" });
  const body = `${"a".repeat(40)}!`;
  const ms = await cost(async () => {
    expect(modelView(await api.run("hostile", { body })).error.code).toMatch(
      /invalid_arguments|internal/,
    );
  });
  expect(ms).toBeLessThan(2000);
  expect(server.requests).toEqual([]);
  expect((await others(api)).status).toBe("completed");
});

test.each<[string, JsonObject, string]>([
  ["^(a+)\\1$", { pattern: "^(a+)\\1$" }, "cannot be checked in bounded time"],
  ["(?<a", { pattern: "(?<a" }, "is not a regular expression"],
  [
    "(?<b of patternProperties",
    { patternProperties: { "(?<b": {} } },
    "is not a regular expression",
  ],
])(
  "SC01 the pattern %s is not checked, and reported with its place",
  async (_, keyword, reason) => {
    const api = await hostile({ type: ["string", "object"], ...keyword });
    server.answer = (_recorded, response) => void response.writeHead(204).end();
    expect((await api.run("hostile", { body: "x" })).status).toBe("completed");
    expect(api.source.problems).toContainEqual({
      subject: "the document",
      message: expect.stringContaining(reason) as string,
      pointer: "/paths/~1x/post/requestBody/content/application~1json/schema",
      severity: "warning",
    });
  },
);

test("SC01 patterns that are checked are not a problem", async () => {
  const api = await hostile({ type: "string", pattern: "^(?:[a-z]{2}-?)+$" });
  api.source.realize();
  expect(api.source.problems).toEqual([]);
});

test("SC02 nor does one in the schema of an answer, which is returned", async () => {
  const api = await hostile({ type: "string", pattern: "^(a+)+$" });
  const answer = JSON.stringify(`${"a".repeat(40)}!`);
  server.answer = (_recorded, response) =>
    void response.setHeader("content-type", "application/json").end(answer);
  const ms = await cost(() => api.run("hostile", { body: "aa" }));
  expect(ms).toBeLessThan(2000);
  expect((await others(api)).status).toBe("completed");
});

describe("SC03 a circular schema", () => {
  const schemas: JsonObject = {
    N: {
      type: "object",
      properties: { c: { $ref: "#/components/schemas/N" }, n: { type: "number" } },
    },
    A: { type: "object", properties: { b: { $ref: "#/components/schemas/B" } } },
    B: { type: "object", properties: { a: { $ref: "#/components/schemas/A" } } },
    Self: { $ref: "#/components/schemas/Self" },
    First: { allOf: [{ $ref: "#/components/schemas/Second" }] },
    Second: { anyOf: [{ $ref: "#/components/schemas/First" }] },
  };

  test.each(["N", "A"])("by way of properties is kept as it is: %s", async (name) => {
    const api = await hostile({ $ref: `#/components/schemas/${name}` }, schemas);
    const { inputSchema, outputSchema } = api.spec("hostile");
    for (const schema of [inputSchema, outputSchema]) {
      expect(JSON.stringify(schema).length).toBeLessThan(2000);
      new Ajv2020({ strict: false }).compile(schema as object);
    }
    const deep = name === "N" ? { c: { c: { n: 1 } } } : { b: { a: {} } };
    const wrong = name === "N" ? { c: { c: { n: "one" } } } : { b: { a: 1 } };
    const wrap = (value: JsonValue): JsonObject =>
      Object.keys((inputSchema["properties"] ?? {}) as object).includes("body")
        ? { body: value }
        : (value as JsonObject);
    expect((await api.run("hostile", wrap(deep))).status).toBe("completed");
    expect(modelView(await api.run("hostile", wrap(wrong))).error.code).toBe("invalid_arguments");
  });

  test("of references only breaks its operation", async () => {
    const api = await hostile({ $ref: "#/components/schemas/Self" }, schemas);
    const { error } = modelView(await api.run("hostile", { body: 1 }));
    expect(error).toMatchObject({ code: "unavailable", retryable: false });
    expect(error.message).toContain("form a cycle");
    expect((await others(api)).status).toBe("completed");
  });

  test("of alternatives only accepts anything, and hangs nothing", async () => {
    const api = await hostile({ $ref: "#/components/schemas/First" }, schemas);
    await api.run("hostile", { body: 1 });
    expect((await others(api)).status).toBe("completed");
  });
});

test.each([3000, 20_000])("SC05 a schema of %i levels breaks its operation", async (levels) => {
  let schema: JsonObject = { type: "string" };
  for (let level = 0; level < levels; level++)
    schema = { type: "object", properties: { p: schema } };
  const api = await hostile(schema);
  const { error } = modelView(await api.run("hostile", { body: {} }));
  expect(["unavailable", "invalid_configuration"]).toContain(error.code);
  expect(error.message).not.toContain("RangeError");
  api.source.realize();
  expect(api.source.problems.some(({ message }) => /Maximum call stack/.test(message))).toBe(false);
  expect((await others(api)).status).toBe("completed");
});

test("SC06 arguments of 20,000 levels are refused, also in an argument that accepts anything", async () => {
  const api = await hostile({ type: "object", additionalProperties: true });
  const deep = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;
  for (const args of [`{"body":${deep}}`, deep]) {
    expect(modelView(await api.run("hostile", args)).error.code).toBe("invalid_arguments");
  }
  expect(server.requests).toEqual([]);
  expect((await others(api)).status).toBe("completed");
});

test("SC07 a schema of twenty thousand patterns does not delay the others", async () => {
  const properties = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, at) => [
      `p${at}`,
      { type: "string", pattern: `^a{${at % 9}}$` },
    ]),
  );
  const api = await hostile({ type: "object", properties });
  const ms = await cost(async () => void (await api.run("hostile", { p1: "a" })));
  expect(ms).toBeLessThan(10_000);
  expect((await others(api)).status).toBe("completed");
});

test("SC09 a hundred thousand problems become a few short lines", async () => {
  const api = await hostile({ type: "array", items: { type: "integer" } });
  const body = Array.from({ length: 100_000 }, () => "x");
  const { text, error } = modelView(await api.run("hostile", { body }));
  expect(error.code).toBe("invalid_arguments");
  expect(text.length).toBeLessThan(4000);
});

test("SC13 a default under __proto__ or constructor changes no prototype", async () => {
  const api = await hostile(
    JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"object","default":{"polluted":1}},"constructor":{"type":"object","properties":{"prototype":{"default":{"polluted":1}}}}}}',
    ) as JsonObject,
  );
  for (const args of [
    "{}",
    '{"__proto__":{"polluted":1}}',
    '{"constructor":{"prototype":{"polluted":1}}}',
  ]) {
    await api.run("hostile", args);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  }
  expect((await others(api)).status).toBe("completed");
});

test("SC14 a reference to another document is never fetched when arguments are checked", async () => {
  const api = await hostile({
    anyOf: [
      { $ref: `${server.origin}/schema.json` },
      { $dynamicRef: `${server.origin}/other.json` },
    ],
  });
  const { error } = modelView(await api.run("hostile", { body: 1 }));
  expect(error.code).toBe("unavailable");
  expect(server.requests).toEqual([]);
  expect((await others(api)).status).toBe("completed");
});

test("SC15 the identifiers of one schema do not affect another", async () => {
  const $id = "https://example.com/same";
  const meta = "https://json-schema.org/draft/2020-12/schema";
  const takes = (operationId: string, schema: JsonObject): JsonObject => ({
    post: {
      operationId,
      requestBody: { required: true, content: { "application/json": { schema } } },
      responses: {},
    },
  });
  const api = await opened(
    createDocument({
      "/a": takes("a", { $id, type: "string" }),
      "/b": takes("b", { $id, type: "integer" }),
      "/c": takes("c", { $ref: $id }),
      "/d": takes("d", { $id: meta, type: "boolean" }),
      "/e": takes("e", { $schema: "http://evil.example/dialect", type: "string" }),
    }),
    { baseUrl: server.origin },
  );
  expect((await api.run("a", { body: "x" })).status).toBe("completed");
  expect((await api.run("b", { body: 1 })).status).toBe("completed");
  expect(modelView(await api.run("b", { body: "x" })).error.code).toBe("invalid_arguments");
  expect(modelView(await api.run("a", { body: 1 })).error.code).toBe("invalid_arguments");
  for (const [name, body] of [
    ["d", true],
    ["e", "x"],
  ] as const) {
    expect((await api.run(name, { body })).status).toBe("completed");
  }
});

test("SC17 no text of a schema becomes code", async () => {
  const code = "globalThis.owned = true; //";
  const texts = [`"];${code}`, `\u2028${code}`, `\${${code}}`, `*/ ${code}`, `');${code}`];
  const properties = Object.fromEntries(
    texts.map((text) => [
      text,
      { enum: [text], pattern: text.replaceAll(/[()[\]{}*?+$^|\\]/g, ""), description: text },
    ]),
  );
  const api = await hostile({ type: "object", properties, required: texts.slice(0, 1) });
  await api.run("hostile", { body: {} });
  for (const text of texts) await api.run("hostile", { body: { [text]: text } });
  expect((globalThis as Record<string, unknown>)["owned"]).toBeUndefined();
  expect((await others(api)).status).toBe("completed");
});

test("SC18 nothing is coerced on its way to the API", async () => {
  const item = {
    delete: {
      operationId: "remove",
      parameters: [
        { name: "confirm", in: "query", required: true, schema: { type: "boolean" } },
        { name: "count", in: "query", schema: { type: "integer" } },
      ],
      responses: {},
    },
  };
  const api = await opened(createDocument({ "/a": item }), { baseUrl: server.origin });
  for (const args of [
    { confirm: "false" },
    { confirm: 0 },
    { confirm: true, count: "1e999" },
    { confirm: true, count: "NaN" },
    { confirm: true, count: "1" },
    { confirm: true, count: 1.5 },
  ]) {
    expect(modelView(await api.run("remove", args)).error.code).toBe("invalid_arguments");
  }
  expect(modelView(await api.run("remove", '{"confirm":true,"count":1e999}')).error.code).toBe(
    "invalid_arguments",
  );
  expect(server.requests).toEqual([]);
  expect((await api.run("remove", { confirm: false, count: 2 })).status).toBe("completed");
  expect(server.last.query).toBe("confirm=false&count=2");
});

test("SC19 a duplicate key has the same value for the check, the person and the API", async () => {
  const { executor } = await opened(
    createDocument({
      "/files/{path}": {
        delete: {
          operationId: "remove",
          parameters: [{ name: "path", in: "path", required: true, schema: { type: "string" } }],
          responses: {},
        },
      },
    }),
    { baseUrl: server.origin },
    {},
  );
  const outcome = await executor.execute({
    id: "1",
    name: "remove",
    arguments: '{"path":"ok","path":"secret"}',
  });
  if (outcome.status !== "interrupted") throw new Error("it did not ask");
  const [request] = outcome.interruption.requests;
  expect(request).toMatchObject({ permission: { target: `DELETE ${server.origin}/files/secret` } });
  expect(outcome.interruption.call.arguments).toEqual({ path: "secret" });
  await executor.resume(outcome.interruption, [{ type: "approve" }]);
  expect(server.last.path).toBe("/files/secret");
});
