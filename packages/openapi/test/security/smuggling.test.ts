// Arguments that try to be more than one value: other fields, other headers, other methods, other
// paths.
import type { JsonObject } from "@toolweave/core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { OpenApiOptions } from "../../src/index.ts";
import { RecordingServer } from "@toolweave/test-support/recording-server";
import { createDocument, opened, modelView } from "../support/open-source.ts";

let server: RecordingServer;
beforeAll(async () => {
  server = await RecordingServer.start();
});
beforeEach(() => void (server.requests.length = 0));
afterAll(() => server.close());

const text = { type: "string" };

const at = (path: string, operation: JsonObject, options: OpenApiOptions = {}) =>
  opened(
    createDocument({
      [path]: {
        post: { operationId: "x", responses: { 200: { description: "ok" } }, ...operation },
      },
    }),
    { baseUrl: server.origin, ...options },
  );

const takes = (mediaType: string, schema: JsonObject, encoding: JsonObject = {}): JsonObject => ({
  requestBody: { required: true, content: { [mediaType]: { schema, encoding } } },
});

describe("a field whose keys become fields", () => {
  const schema = {
    type: "object",
    properties: { name: text, role: text, "meta[role]": text, meta: { type: "object" } },
  };

  test.each([
    ["application/x-www-form-urlencoded", "form"],
    ["application/x-www-form-urlencoded", "deepObject"],
    ["multipart/form-data", "form"],
    ["multipart/form-data", "deepObject"],
  ])("cannot set another field of %s (%s)", async (mediaType, style) => {
    const { run } = await at("/a", takes(mediaType, schema, { meta: { style, explode: true } }), {
      overrides: { x: { fixed: { role: "user", meta_role: "user" } } },
    });
    const refused = modelView(await run("x", { name: "a", meta: { role: "admin" } }));
    expect(refused.error.code).toBe("invalid_arguments");
    expect(refused.text).toMatch(/meta.*must not contain the key/);
    expect(server.requests).toEqual([]);
    expect((await run("x", { name: "a", meta: { colour: "red" } })).status).toBe("completed");
  });

  test("cannot set another parameter with brackets in its name", async () => {
    const parameters = [
      { name: "f", in: "query", style: "deepObject", schema: { type: "object" } },
      { name: "f[role]", in: "query", schema: text },
    ];
    const { run } = await at(
      "/a",
      { parameters },
      { overrides: { x: { fixed: { f_role: "user" } } } },
    );
    expect(modelView(await run("x", { f: { role: "admin" } })).error.code).toBe(
      "invalid_arguments",
    );
    expect((await run("x", { f: { size: "1" } })).status).toBe("completed");
    expect(server.last.query).toBe("f%5Bsize%5D=1&f%5Brole%5D=user");
  });
});

describe("a value that the host hides or fixes", () => {
  const whole = takes("application/json", {
    allOf: [{ type: "object", properties: { name: text, admin: { type: "boolean" } } }],
  });

  test.each<[string, OpenApiOptions]>([
    ["hides", { overrides: { x: { hidden: ["admin"] } } }],
    ["fixes", { overrides: { x: { fixed: { admin: false } } } }],
  ])("in a body that is one argument disables the tool: %s", async (_, options) => {
    const { run, source } = await at("/a", whole, options);
    const refused = await run("x", { body: { name: "a", admin: true } });
    expect(refused.status).toBe("failed");
    expect(server.requests).toEqual([]);
    expect(source.problems[0]?.message).toMatch(/admin, which is not an argument: the whole body/);
  });

  test("is never silently omitted because no argument has that name", async () => {
    const { source } = await at("/a", {}, { overrides: { x: { fixed: { tenant: "mine" } } } });
    source.realize();
    expect(source.tools()).toEqual([]);
    expect(source.problems[0]?.message).toMatch(
      /tenant, which is not an argument of the operation/,
    );
  });

  test("by method and path never applies to an operation whose operationId equals it", async () => {
    const operation = (operationId: string): JsonObject => ({ operationId, responses: {} });
    const { source } = await opened(
      createDocument({ "/a": { get: operation("read"), delete: operation("GET /a") } }),
      { baseUrl: server.origin, overrides: { "GET /a": { annotations: { readOnlyHint: true } } } },
    );
    const hints = source
      .tools()
      .map(({ spec }) => [spec.provenance.origin?.["method"], spec.annotations.readOnlyHint]);
    expect(Object.fromEntries(hints)).toEqual({ GET: true, DELETE: false });
  });

  test.each(["/%61dmin/users", "//admin/users", "/admin/users?x=1", "/admin/users#x"])(
    "by exclude applies however the document writes %s",
    async (path) => {
      const exclude = [{ paths: ["/admin/users"] }];
      const { source } = await at(path, {}, { exclude });
      expect(source.tools()).toEqual([]);
    },
  );
});

describe("a media type that is taken from the bytes", () => {
  const upload = takes(
    "multipart/form-data",
    { type: "object", properties: { file: { type: "string", format: "binary" } } },
    { file: { contentType: "image/*" } },
  );

  test("cannot add a header to a part", async () => {
    const { run } = await at("/a", upload);
    const file = "data:image/png\r\n\r\n;evil;base64,QUJD";
    expect(modelView(await run("x", { file })).error.code).toBe("invalid_arguments");
    const plain = takes("multipart/form-data", {
      type: "object",
      properties: { file: { type: "string", format: "binary" } },
    });
    const other = await at("/a", plain);
    await other.run("x", { file });
    expect(server.last.body.toString()).not.toContain("evil");
    expect(server.last.body.toString()).toContain("\r\n\r\nABC\r\n");
  });
});

describe("a method", () => {
  test.each(["X_HTTP_Method_Override", "x-http-method ", "Transfer_Encoding"])(
    "is not changed, nor a message framed, by the header %j",
    async (name) => {
      const { spec } = await at("/a", { parameters: [{ name, in: "header", schema: text }] });
      expect(spec("x").inputSchema["properties"]).toEqual({});
    },
  );

  test("is not changed by the query of a path", async () => {
    const { run, source } = await at("/a?x=1&_method=DELETE", {});
    expect((await run("x")).status).toBe("failed");
    expect(source.problems[0]?.message).toMatch(/would override its method/);
  });

  test("is not changed by a form that is passed as a text", async () => {
    const { run } = await at("/a", takes("application/x-www-form-urlencoded", text));
    expect(modelView(await run("x", { body: "a=1&_method=DELETE" })).error.code).toBe(
      "invalid_arguments",
    );
    await run("x", { body: "a=1&b=%26" });
    expect(server.last.body.toString()).toBe("a=1&b=%26");
  });
});

test.each(["%c0%ae%c0%ae", "%C0%AF", "%e0%80%ae", "%f0%80%80%af"])(
  "dots and slashes in invalid UTF-8 (%s) have no effect",
  async (id) => {
    const parameters = [
      { name: "id", in: "path", required: true, allowReserved: true, schema: text },
    ];
    const { run } = await at("/a/{id}/b", { parameters });
    expect(modelView(await run("x", { id })).error.code).toBe("invalid_arguments");
    expect(server.requests).toEqual([]);
  },
);
