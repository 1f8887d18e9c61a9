import type { JsonObject, JsonValue, ToolOutput } from "@toolweave/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openApiSource } from "../../../src/index.ts";
import { RecordingServer } from "@toolweave/test-support/recording-server";
import { call, findTool, openSource } from "../../support/call-tool.ts";

const object = { type: "object", properties: { a: {} } };
const of = (...types: readonly (readonly [string, JsonValue])[]): JsonObject =>
  Object.fromEntries(types.map(([type, schema]) => [type, { schema }]));

/** The contents that documents declare for status 200. */
const contents: Readonly<Record<string, JsonObject>> = {
  json: of(["application/json", object]),
  "json-and-text": of(["application/json", object], ["text/plain", { type: "string" }]),
  "json-and-html": of(["application/json", object], ["text/html", { type: "string" }]),
  "json-and-xml": of(["application/json", object], ["application/xml", object]),
  text: of(["text/plain", { type: "string" }]),
  bytes: of(["application/octet-stream", { type: "string", format: "binary" }]),
  "any-object": of(["*/*", { anyOf: [{ $ref: "#/components/schemas/Thing" }, { type: "null" }] }]),
  "any-open": of(["*/*", {}]),
  "any-text": of(["*/*", { type: "string" }]),
  vendor: of(["application/vnd.acme.v1", { $ref: "#/components/schemas/Thing" }]),
  "vendor-list": of(["application/vnd.acme.v1", { allOf: [{ type: "array", items: {} }] }]),
  "vendor-bytes": of(["application/vnd.acme.v1", { type: "string", format: "binary" }]),
  "vendor-json": of(["application/vnd.acme.json", {}], ["application/x-amz-json-1.1", {}]),
  swashbuckle: of(["text/plain", object], ["application/json", object], ["text/json", object]),
  png: of(["image/png", { type: "string", format: "binary" }]),
};

const png = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(20, 0xfe)]);

let server: RecordingServer;
let source: Awaited<ReturnType<typeof openSource>>;

beforeAll(async () => {
  server = await RecordingServer.start();
  const paths: Record<string, JsonObject> = {
    "/nothing": { get: { operationId: "nothing", responses: { "200": { description: "ok" } } } },
  };
  for (const [name, content] of Object.entries(contents)) {
    const responses = { "200": { description: "ok", content } };
    paths[`/${name}`] = {
      get: { operationId: name, responses },
      post: { operationId: `make-${name}`, responses },
    };
  }
  source = await openSource(
    paths,
    { baseUrl: server.origin },
    { components: { schemas: { Thing: object } } },
  );
});

afterAll(async () => {
  await source.close();
  await server.close();
});

function answer(
  name: string,
  type: string,
  body: string | Buffer,
  status = 200,
  more: Record<string, string> = {},
): Promise<ToolOutput> {
  server.answer = (_, response) => {
    response.writeHead(status, { ...(type === "" ? {} : { "content-type": type }), ...more });
    response.end(body);
  };
  return call(findTool(source, name.replaceAll("-", "_")));
}

const readText = ({ content: [block] }: ToolOutput): string | undefined =>
  block?.type === "text" ? block.text : block?.type;

const types = [
  "text/html",
  "text/plain",
  "text/xml",
  "text/javascript",
  "application/javascript",
  "application/x-www-form-urlencoded",
  "application/octet-stream",
  "binary/octet-stream",
  "application/vnd.acme.v1",
  "application/pdf",
  "image/png",
  "",
];

describe("a JSON answer is JSON where JSON is declared, whatever its label", () => {
  test.each(types)("%j", async (type) => {
    for (const [name, body, value] of [
      ["json", '{"a":1}', { a: 1 }],
      ["json", " \n[1]", [1]],
      ["json", "17", 17],
      ["json-and-xml", '{"a":"ü"}', { a: "ü" }],
      ["vendor", '{"a":1}', { a: 1 }],
      ["vendor_json", '{"a":1}', { a: 1 }],
      ["any_object", '{"a":1}', { a: 1 }],
      ["any_open", '{"a":1}', { a: 1 }],
      ["nothing", '{"a":1}', { a: 1 }],
    ] as const) {
      const output = await answer(name, type, body);
      expect([name, output.value, output.isError]).toEqual([name, value, undefined]);
      expect(readText(output)).toBe(body);
    }
    expect((await answer("make_json", type, '{"a":1}', 201)).value).toEqual({ a: 1 });
  });

  test.each([
    ["vendor-json", "application/vnd.acme.json;version=2"],
    ["vendor-json", "application/x-amz-json-1.1"],
    ["vendor", "application/x-json; charset=utf-8"],
    ["vendor-list", "application/vnd.acme.v1"],
    ["swashbuckle", "text/plain; charset=utf-8"],
  ])("%s, sent as %s", async (name, type) => {
    expect((await answer(name, type, "[1]")).value).toEqual([1]);
  });

  test("with all digits in the content", async () => {
    const output = await answer("json", "text/html", '{"a":9007199254740993}');
    expect(readText(output)).toBe('{"a":9007199254740993}');
    expect(output.details).toMatchObject({ warnings: [expect.stringContaining("rounded")] });
  });
});

describe("an answer of a declared type stays what it is", () => {
  test.each<[string, string, string, string]>([
    ["text", "text/plain", "123", "123"],
    ["text", "text/plain", '{"a":1}', '{"a":1}'],
    ["text", "", "123", "123"],
    ["text", "text/csv", '{"a":1}', '{"a":1}'],
    ["json-and-text", "text/plain", '{"a":1}', '{"a":1}'],
    ["json-and-html", "text/html", "<p>1</p>", "<p>1</p>"],
    ["any-text", "text/plain", '{"a":1}', '{"a":1}'],
    ["swashbuckle", "text/plain", "123", "123"],
    ["nothing", "text/plain", "123", "123"],
    ["nothing", "text/html", "<p>1</p>", "<p>1</p>"],
    ["json", "text/plain", "OK", "OK"],
    ["json", "text/html", "OK", "OK"],
    ["bytes", "application/octet-stream", '{"a":1}', "resource"],
    ["vendor-bytes", "application/vnd.acme.v1", '{"a":1}', "resource"],
    ["vendor", "application/vnd.acme.v1", "no JSON", "resource"],
    ["nothing", "application/octet-stream", "123", "resource"],
    ["nothing", "application/octet-stream", "{no JSON", "resource"],
  ])("%s, sent as %j: %s", async (name, type, body, expected) => {
    const output = await answer(name, type, body);
    expect([readText(output), output.value, output.isError]).toEqual([
      expected,
      undefined,
      undefined,
    ]);
  });

  test("also if it is a file to be saved, and nothing is declared", async () => {
    const disposition = { "content-disposition": "Attachment; x=1" };
    const output = await answer("nothing", "application/octet-stream", "{}", 200, disposition);
    expect(output.value).toBeUndefined();
  });
});

test("a page instead of JSON is an error, and a beginning that is no page is not called one", async () => {
  for (const name of ["json", "json_and_text"]) {
    const output = await answer(name, "text/html", "<h1>Sign in</h1>");
    expect(output.error?.message).toContain('is an HTML page instead of JSON. It says: "Sign in"');
  }
  const cut = await answer("json", "application/json", '{"a":');
  expect(cut.error?.message).toContain("is not valid JSON (it ends too early");
});

test("a picture that is labelled as JSON is the picture, with a warning", async () => {
  for (const name of ["png", "json", "nothing"]) {
    const output = await answer(name, "application/json", png);
    expect(output.content).toEqual([
      { type: "image", mimeType: "image/png", data: png.toString("base64") },
    ]);
    expect(output.details).toMatchObject({
      warnings: ["The answer is labelled application/json, but it is image/png."],
    });
  }
});

describe("several JSON values in a row are a list", () => {
  test.each<[string, string, JsonValue, string]>([
    ["application/json", '{"a":1}\r\n{"b":"}"}\n', [{ a: 1 }, { b: "}" }], '[{"a":1},\n{"b":"}"}]'],
    [
      "application/json",
      '{"a":1}{"b":2}[3]',
      [{ a: 1 }, { b: 2 }, [3]],
      '[{"a":1},\n{"b":2},\n[3]]',
    ],
    ["application/json", '1\n"a b"\ntrue\n', [1, "a b", true], '[1,\n"a b",\ntrue]'],
    ["application/json", '\u001e{"a":1}\n\u001e2\n', [{ a: 1 }, 2], '[{"a":1},\n2]'],
    ["text/plain", '{"a":1}\n{"a":2}', [{ a: 1 }, { a: 2 }], '[{"a":1},\n{"a":2}]'],
  ])("%s: %j", async (type, body, value, content) => {
    const output = await answer("json", type, body);
    expect([output.value, readText(output)]).toEqual([value, content]);
  });

  test.each([
    '{"a":1},{"b":2}',
    '{"a":1} 2',
    "1 2",
    '1 {"a":1}',
    '{"a":1}\n{"b":',
    "[1]]",
    '{"a":1}x',
  ])("%j is invalid", async (body) => {
    expect((await answer("json", "application/json", body)).error?.message).toContain(
      "is not valid JSON",
    );
  });
});

describe("the body of a failure is read", () => {
  test.each([...types, "application/json; charset=latin1"])("sent as %j", async (type) => {
    const output = await answer("json", type, '{"error":"größe fehlt"}', 400);
    expect(output.error?.message).toBe(
      'GET /json answered 400 Bad Request: {"error":"größe fehlt"}',
    );
    expect(output.value).toEqual({ error: "größe fehlt" });
  });

  test("as text, unless it is a file", async () => {
    for (const type of ["application/octet-stream", "application/vnd.acme.v1"]) {
      const output = await answer("json", type, "the size is missing", 400);
      expect(output.error?.message).toContain("400 Bad Request: the size is missing");
    }
    const picture = await answer("json", "application/octet-stream", png, 400);
    expect(picture.error?.message).toBe("GET /json answered 400 Bad Request");
  });
});

test("UTF-8 is read as UTF-8 in JSON, text and the parts of an answer, whatever the charset is called", async () => {
  const text = "What’s Müller";
  for (const charset of ["ISO-8859-1", "windows-1252", "us-ascii", '"latin1"']) {
    const json = `{"t":"${text}"}`;
    for (const type of ["application/json", "application/vnd.x+json", "text/plain"]) {
      expect((await answer("json", `${type};charset=${charset}`, json)).value).toEqual({ t: text });
    }
    const part = `content-type: application/json; charset=${charset}\r\n\r\n${json}`;
    const parts = `--b\r\n${part}\r\n--b--`;
    const output = await answer("nothing", "multipart/mixed; boundary=b", parts);
    expect(output.value).toEqual([{ mediaType: "application/json", value: { t: text } }]);
  }
  const latin = Buffer.from('{"t":"Müller"}', "latin1");
  const output = await answer("json", "application/json;charset=ISO-8859-1", latin);
  expect([output.value, (output.details as JsonObject)["warnings"]]).toEqual([
    { t: "Müller" },
    undefined,
  ]);
});

test("a document is read as UTF-8, whatever the charset is called", async () => {
  const document = {
    openapi: "3.1.0",
    info: { title: "x", version: "1" },
    paths: { "/x": { get: { operationId: "x", summary: "Für’s Museum", responses: {} } } },
  };
  server.answer = (_, response) => {
    response.setHeader("content-type", "application/json; charset=iso-8859-1");
    response.end(JSON.stringify(document));
  };
  await using loaded = openApiSource(`${server.origin}/openapi.json`);
  await loaded.ready;
  expect(findTool(loaded, "x").spec.description).toContain("Für’s Museum");
});
