import { ToolExecutor, ToolRegistry, type JsonObject, type JsonValue } from "@toolweave/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openApiSource } from "../../src/index.ts";
import { RecordingServer } from "@toolweave/test-support/recording-server";
import { findTool } from "../support/call-tool.ts";

let server: RecordingServer;

beforeAll(async () => {
  server = await RecordingServer.start();
});

afterAll(() => server.close());

interface Form {
  readonly openapi?: string;
  readonly property: JsonValue;
  readonly encoding?: JsonObject;
  readonly schemas?: JsonObject;
  readonly others?: JsonObject;
}

function createDocument({ openapi = "3.1.0", property, encoding, schemas, others }: Form): object {
  const schema = { type: "object", properties: { file: property, note: { type: "string" } } };
  const form = { schema, ...(encoding === undefined ? {} : { encoding: { file: encoding } }) };
  const content = { ...others, "multipart/form-data": form };
  return {
    openapi,
    info: { title: "Files", version: "1" },
    paths: { "/x": { post: { operationId: "send", requestBody: { required: true, content } } } },
    components: { schemas: { ...files, ...schemas } },
  };
}

const binary = { type: "string", format: "binary" };
const nothing = { type: "null" };
const files: JsonObject = {
  File: binary,
  Optional: { anyOf: [binary, nothing] },
  Media: { type: "string", contentMediaType: "image/png" },
  Anything: {},
};

async function openTool(document: object) {
  const source = openApiSource.fromDocument(document, { baseUrl: server.origin });
  const registry = new ToolRegistry([source]);
  await registry.ready;
  const executor = new ToolExecutor({ registry, policy: "autonomous" });
  return { source, executor, tool: findTool(source, "send") };
}

/** The parts of the last body: head and content. */
function lastParts(): string[] {
  const text = server.last.body.toString("latin1");
  const [, boundary = ""] = /boundary=(.*)$/.exec(server.last.headers["content-type"] ?? "") ?? [];
  return text
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => part.slice(2, -2));
}

function filePart(content = "hi", type = "application/octet-stream", name = "file"): string {
  return [
    `Content-Disposition: form-data; name="${name}"; filename="${name}"`,
    `Content-Type: ${type}`,
    "",
    content,
  ].join("\r\n");
}

const ref = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

/** Schemas of one file. */
const single: readonly (Form & { readonly type?: string })[] = [
  { property: binary },
  { property: { ...binary, type: ["string", "null"] } },
  { property: { anyOf: [binary, nothing], title: "File", description: "A picture." } },
  { property: { oneOf: [binary, nothing] } },
  { property: { oneOf: [nothing, { allOf: [ref("File")] }] } },
  { property: ref("Optional") },
  { property: { ...ref("Optional"), description: "A picture." } },
  { property: { anyOf: [ref("File"), nothing] } },
  { property: { allOf: [ref("File")], description: "A picture." } },
  { property: { allOf: [ref("File"), {}] } },
  { property: { allOf: [{ type: "string" }, { format: "binary" }] } },
  { property: { type: "string", allOf: [{ format: "binary" }] } },
  { property: { ...ref("File"), maxLength: 100 } },
  { property: { anyOf: [{ anyOf: [ref("File"), nothing] }, nothing] } },
  { property: { anyOf: [binary, { ...binary, maxLength: 9 }] } },
  { property: ref("Anything") },
  { property: { anyOf: [{}, nothing] } },
  {
    property: { anyOf: [{ type: "string", contentMediaType: "image/png" }, nothing] },
    type: "image/png",
  },
  { property: { anyOf: [ref("Media"), nothing] }, type: "image/png" },
  { property: { allOf: [ref("Media")], description: "A picture." }, type: "image/png" },
  {
    property: { anyOf: [binary, nothing] },
    encoding: { contentType: "image/gif" },
    type: "image/gif",
  },
  {
    property: { anyOf: [{ type: "string" }, nothing] },
    encoding: { contentType: "image/gif" },
    type: "image/gif",
  },
  { property: { anyOf: [binary, nothing] }, encoding: { style: "form" } },
  { openapi: "3.0.3", property: ref("File"), encoding: { style: "form" } },
  { openapi: "3.2.0", property: { anyOf: [ref("File"), nothing] } },
  { openapi: "3.0.3", property: { ...binary, nullable: true } },
  { openapi: "3.0.3", property: { allOf: [ref("File")], nullable: true } },
  { openapi: "3.0.3", property: { allOf: [ref("File")], description: "A picture." } },
  { openapi: "3.0.3", property: { ...ref("File"), nullable: true } },
  { openapi: "3.0.3", property: { oneOf: [ref("File")], nullable: true } },
  { openapi: "3.0.3", property: { anyOf: [ref("File"), { nullable: true }] } },
];

describe("a file in multipart is a file", () => {
  for (const { type = "application/octet-stream", ...form } of single) {
    test(`declared as ${JSON.stringify(form)}`, async () => {
      const { executor, source, tool } = await openTool(createDocument(form));
      const execute = (file: JsonValue) =>
        executor.execute({ id: "call_1", name: "send", arguments: { file } });

      expect(await execute("aGk=")).toMatchObject({ status: "completed" });
      expect(lastParts()).toEqual([filePart("hi", type)]);

      const sent = server.requests.length;
      const refused = await execute("not base64!");
      expect(JSON.stringify(refused)).toContain(" must be base64, or the key of an artifact");
      expect(server.requests).toHaveLength(sent);

      const about = JSON.stringify((tool.spec.inputSchema["properties"] as JsonObject)["file"]);
      expect(about).toContain("base64, or the key of an artifact");
      expect(about.includes("A picture.")).toBe(JSON.stringify(form).includes("A picture."));
      expect(source.problems).toEqual([]);
    });
  }

  test("that is optional accepts null, and is not sent", async () => {
    const { executor } = await openTool(
      createDocument({ property: { anyOf: [ref("File"), nothing] } }),
    );
    const outcome = await executor.execute({
      id: "call_1",
      name: "send",
      arguments: { file: null, note: "n" },
    });
    expect(outcome).toMatchObject({ status: "completed" });
    expect(lastParts()).toEqual(['Content-Disposition: form-data; name="note"\r\n\r\nn']);
  });
});

const list = { type: "array", items: binary };
const lists: readonly Form[] = [
  { property: list },
  { property: { type: "array", items: { anyOf: [binary, nothing] } } },
  { property: { type: "array", items: { allOf: [ref("File")] } } },
  { property: { type: "array", items: ref("Optional") } },
  { property: { anyOf: [list, nothing] } },
  { property: { anyOf: [ref("Files"), nothing] }, schemas: { Files: list } },
  { property: { allOf: [ref("Files")], description: "Pictures." }, schemas: { Files: list } },
  { property: { oneOf: [binary, list] } },
  { property: { oneOf: [list, binary, nothing] } },
  { property: { anyOf: [ref("File"), { type: "array", items: ref("File") }] } },
  { openapi: "3.0.3", property: list, encoding: { style: "form", explode: true } },
  { openapi: "3.0.3", property: { ...list, nullable: true } },
  { openapi: "3.0.3", property: { type: "array", items: { ...ref("File"), nullable: true } } },
];

describe("a list of files in multipart is a file in each part", () => {
  for (const form of lists) {
    test(`declared as ${JSON.stringify(form)}`, async () => {
      const { executor, tool } = await openTool(createDocument(form));
      const execute = (file: JsonValue) =>
        executor.execute({ id: "call_1", name: "send", arguments: { file } });
      expect(await execute(["aGk=", "aG8="])).toMatchObject({ status: "completed" });
      expect(lastParts()).toEqual([filePart("hi"), filePart("ho")]);
      expect(JSON.stringify(await execute(["not base64!"]))).toContain(
        " must be base64, or the key of an artifact",
      );
      expect(JSON.stringify(tool.spec.inputSchema)).toContain("base64, or the key of an artifact");
    });
  }
});

test("one file or a list of files is sent as it is passed", async () => {
  const { executor } = await openTool(createDocument({ property: { oneOf: [binary, list] } }));
  await executor.execute({ id: "call_1", name: "send", arguments: { file: "aGk=" } });
  expect(lastParts()).toEqual([filePart("hi")]);
});

describe("a map of files in multipart is a file in each part", () => {
  const maps: readonly JsonObject[] = [
    { type: "object", additionalProperties: binary },
    { type: "object", additionalProperties: ref("Optional") },
    { type: "object", properties: { note: { type: "string" } }, additionalProperties: list },
    { allOf: [{ type: "object", additionalProperties: ref("File") }] },
    ref("Map"),
    { type: "object", patternProperties: { "^f": binary } },
  ];
  for (const schema of maps) {
    test(`declared as ${JSON.stringify(schema)}`, async () => {
      const document = createDocument({
        property: {},
        schemas: { Map: { type: "object", additionalProperties: binary } },
      });
      const paths = (document as { paths: JsonObject }).paths;
      const body = { required: true, content: { "multipart/form-data": { schema } } };
      const { executor, tool } = await openTool({
        ...document,
        paths: { ...paths, "/x": { post: { operationId: "send", requestBody: body } } },
      });
      const outcome = await executor.execute({
        id: "call_1",
        name: "send",
        arguments: { body: { file: JSON.stringify(schema).includes("array") ? ["aGk="] : "aGk=" } },
      });
      expect(outcome).toMatchObject({ status: "completed" });
      expect(lastParts()).toEqual([filePart()]);
      expect(JSON.stringify(tool.spec.inputSchema)).toContain("base64, or the key of an artifact");
    });
  }
});

describe("a file that may also be something else", () => {
  test("is a file for text where the others are not text", async () => {
    const other = { type: "object", properties: { id: { type: "string" } } };
    const { executor } = await openTool(createDocument({ property: { oneOf: [binary, other] } }));
    await executor.execute({ id: "call_1", name: "send", arguments: { file: "aGk=" } });
    expect(lastParts()).toEqual([filePart()]);
    await executor.execute({ id: "call_2", name: "send", arguments: { file: { id: "a" } } });
    expect(lastParts()).toEqual([
      'Content-Disposition: form-data; name="file"\r\nContent-Type: application/json\r\n\r\n{"id":"a"}',
    ]);
  });

  test("is a text unless it is a data URL or the key of an artifact", async () => {
    const url = { type: "string", format: "uri" };
    const { executor } = await openTool(createDocument({ property: { oneOf: [binary, url] } }));
    const execute = (file: string) =>
      executor.execute({ id: "call_1", name: "send", arguments: { file } });
    await execute("https://example.com/a");
    expect(lastParts()).toEqual([
      'Content-Disposition: form-data; name="file"\r\n\r\nhttps://example.com/a',
    ]);
    await execute("data:image/png;base64,aGk=");
    expect(lastParts()).toEqual([filePart("hi", "image/png")]);
  });
});

describe("an optional file is offered beside", () => {
  for (const mediaType of ["application/json", "application/x-www-form-urlencoded"]) {
    test(`a body of ${mediaType}`, async () => {
      const others = {
        [mediaType]: { schema: { type: "object", properties: { note: { type: "string" } } } },
      };
      const { executor } = await openTool(
        createDocument({ property: { anyOf: [ref("File"), nothing] }, others }),
      );
      const outcome = await executor.execute({
        id: "call_1",
        name: "send",
        arguments: { file: "aGk=" },
      });
      expect(outcome).toMatchObject({ status: "completed" });
      expect(lastParts()).toEqual([filePart()]);
    });
  }
});

describe("an optional value of encoded bytes in multipart", () => {
  for (const property of [
    { anyOf: [{ type: "string", contentEncoding: "base64" }, nothing] },
    { allOf: [{ type: "string", contentEncoding: "base64" }] },
  ]) {
    test(`has the type of bytes: ${JSON.stringify(property)}`, async () => {
      const { executor } = await openTool(createDocument({ property }));
      await executor.execute({ id: "call_1", name: "send", arguments: { file: "aGk=" } });
      expect(lastParts()).toEqual([
        'Content-Disposition: form-data; name="file"\r\nContent-Type: application/octet-stream\r\n\r\naGk=',
      ]);
    });
  }
});

describe("a file of Swagger 2.0 is sent as multipart", () => {
  const parameters: readonly JsonObject[] = [
    { type: "file" },
    { type: "file", "x-nullable": true },
    { type: "string", format: "binary" },
    { type: "array", items: { type: "file" } },
    { type: "array", items: { type: "string", format: "binary" }, collectionFormat: "multi" },
  ];
  for (const parameter of parameters) {
    test(`declared as ${JSON.stringify(parameter)}`, async () => {
      const { executor } = await openTool({
        swagger: "2.0",
        info: { title: "Files", version: "1" },
        paths: {
          "/x": {
            post: {
              operationId: "send",
              parameters: [{ in: "formData", name: "file", required: true, ...parameter }],
              responses: {},
            },
          },
        },
      });
      const file = parameter["type"] === "array" ? ["aGk="] : "aGk=";
      await executor.execute({ id: "call_1", name: "send", arguments: { file } });
      expect(lastParts()).toEqual([filePart()]);
    });
  }
});
