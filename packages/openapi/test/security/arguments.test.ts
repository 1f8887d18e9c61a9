import type { JsonObject, JsonValue } from "@toolweave/core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { RecordingServer } from "@toolweave/test-support/recording-server";
import { createDocument, opened, modelView } from "../support/open-source.ts";

let server: RecordingServer;
beforeAll(async () => {
  server = await RecordingServer.start();
});
beforeEach(() => void (server.requests.length = 0));
afterAll(() => server.close());

const parameter = (name: string, place: string, more: JsonObject = {}): JsonObject => ({
  name,
  in: place,
  ...(place === "path" ? { required: true } : {}),
  schema: { type: "string" },
  ...more,
});
const get = (...parameters: JsonObject[]): JsonObject => ({
  get: { operationId: "x", parameters, responses: { 200: { description: "ok" } } },
});
const at = (path: string, item: JsonObject, more: JsonObject = {}) =>
  opened(createDocument({ [path]: item }, more), { baseUrl: `${server.origin}/v1` });

describe("SR16 a value in a path", () => {
  // Values that some servers decode into dots are refused, encoded or not.
  test.each(["..", ".", "", "%2e%2e", ".%2E", "%252e%252e", "../admin", "..%2fadmin", "..\\admin"])(
    "that is %j is refused, before a person is asked",
    async (id) => {
      const { run } = await at("/things/{id}/parts", get(parameter("id", "path")));
      const { error, text } = modelView(await run("x", { id }));
      expect(error).toMatchObject({ code: "invalid_arguments", audience: "model" });
      expect(text).toContain("id");
      expect(server.requests).toEqual([]);
    },
  );

  test.each([
    ["a/b?x=1#y", "a%2Fb%3Fx%3D1%23y"],
    ["a;b=c", "a%3Bb%3Dc"],
    ["ä 😀", "%C3%A4%20%F0%9F%98%80"],
  ])("stays one segment: %j", async (id, sent) => {
    const { run } = await at("/things/{id}/parts", get(parameter("id", "path")));
    expect((await run("x", { id })).status).toBe("completed");
    expect(server.last.path).toBe(`/v1/things/${sent}/parts`);
    expect(server.last.query).toBe("");
  });
});

describe("SR14 a line break", () => {
  const evil = "a\r\nX-Evil: 1\r\n\r\nGET /admin HTTP/1.1";

  test.each(["path", "query", "header"])(
    "in an argument for the %s is refused before anything is sent",
    async (place) => {
      const path = place === "path" ? "/things/{v}" : "/things";
      const { run } = await at(path, get(parameter("v", place)));
      const { error, text } = modelView(await run("x", { v: evil }));
      expect(error).toMatchObject({ code: "invalid_arguments", audience: "model" });
      expect(text).toContain("v");
      expect(server.requests).toEqual([]);
    },
  );

  test("in a cookie, or of one character in the query, arrives unchanged", async () => {
    const { run } = await at("/things", get(parameter("c", "cookie"), parameter("q", "query")));
    expect((await run("x", { c: evil, q: "a\nX-Evil: 1" })).status).toBe("completed");
    expect(server.requests).toHaveLength(1);
    const { headers, query } = server.last;
    expect(headers["x-evil"]).toBeUndefined();
    expect(decodeURIComponent(headers["cookie"] ?? "")).toBe(`c=${evil}`);
    expect(new URLSearchParams(query).get("q")).toBe("a\nX-Evil: 1");
  });

  test("in a multipart form's file name or field begins no part", async () => {
    const schema = { type: "object", properties: { note: { type: "string" } } };
    const { run } = await at("/things", {
      post: {
        operationId: "x",
        requestBody: { required: true, content: { "multipart/form-data": { schema } } },
        responses: {},
      },
    });
    const note = '--x\r\nContent-Disposition: form-data; name="admin"\r\n\r\n1';
    expect((await run("x", { note })).status).toBe("completed");
    const form = await new Response(new Uint8Array(server.last.body), {
      headers: { "content-type": server.last.headers["content-type"] ?? "" },
    }).formData();
    expect([...form.keys()]).toEqual(["note"]);
    expect(form.get("note")).toBe(note);
  });
});

describe("OA15 parameters and properties of one name", () => {
  const body = {
    required: true,
    content: {
      "application/json": { schema: { type: "object", properties: { id: { type: "string" } } } },
    },
  };
  const places = ["path", "query", "header", "cookie"].map((place) => parameter("id", place));

  test("are all available, each under a unique name, the same ones in any order", async () => {
    for (const parameters of [places, places.toReversed()]) {
      const item = { put: { operationId: "x", parameters, requestBody: body, responses: {} } };
      const { spec, run } = await at("/things/{id}", item);
      const { properties } = spec("x").inputSchema as { properties: JsonObject };
      expect(Object.keys(properties).sort()).toEqual([
        "body",
        "cookie_id",
        "header_id",
        "id",
        "query_id",
      ]);
      const sent = { id: "P", query_id: "Q", header_id: "H", cookie_id: "C", body: { id: "B" } };
      expect((await run("x", sent)).status).toBe("completed");
      const { path, query, headers, body: bytes } = server.last;
      expect([path, query, headers["id"], headers["cookie"], String(bytes)]).toEqual([
        "/v1/things/P",
        "id=Q",
        "H",
        "id=C",
        '{"id":"B"}',
      ]);
    }
  });

  test("that look like the new names stay distinct, too", async () => {
    const parameters = [
      ...places.slice(0, 2),
      parameter("query_id", "query"),
      parameter("body", "query"),
    ];
    const item = { put: { operationId: "x", parameters, requestBody: body, responses: {} } };
    const { spec, run } = await at("/things/{id}", item);
    const names = Object.keys((spec("x").inputSchema as { properties: JsonObject }).properties);
    expect(names).toHaveLength(5);
    const sent = Object.fromEntries(
      names.map((name): [string, JsonValue] => [
        name,
        name.endsWith("body") && name !== "body" ? { id: "B" } : name,
      ]),
    );
    expect((await run("x", sent)).status).toBe("completed");
    const { path, query, body: bytes } = server.last;
    expect(path).toBe("/v1/things/id");
    expect([...new URLSearchParams(query).keys()].sort()).toEqual(["body", "id", "query_id"]);
    expect(String(bytes)).toBe('{"id":"B"}');
  });
});

describe("OA16 a method override", () => {
  test.each(["X-HTTP-Method-Override", "x-http-method", "X-Method-Override"])(
    "as the header %s is not an argument, and cannot be sent",
    async (name) => {
      const { spec, run } = await at("/a", get(parameter(name, "header"), parameter("q", "query")));
      expect(Object.keys(spec("x").inputSchema["properties"] as object)).toEqual(["q"]);
      const outcome = await run("x", { q: "1", [name]: "DELETE" });
      expect(modelView(outcome).error.code).toBe("invalid_arguments");
      expect(server.requests).toEqual([]);
    },
  );

  test("as _method in a query, a form or a key of an object is not an argument either", async () => {
    const open = { type: "object", additionalProperties: { type: "string" } };
    const { spec, run } = await at(
      "/a",
      get(parameter("_method", "query"), parameter("more", "query", { schema: open })),
    );
    expect(Object.keys(spec("x").inputSchema["properties"] as object)).toEqual(["more"]);
    expect(modelView(await run("x", { more: { _method: "DELETE" } })).error.code).toBe(
      "invalid_arguments",
    );
    expect(server.requests).toEqual([]);
  });

  test("a GET counts as a read by its method; the host can declare that it is not", async () => {
    const { spec } = await at("/a", get());
    expect(spec("x").annotations).toMatchObject({ readOnlyHint: true });
    const { executor } = await opened(
      createDocument({ "/a": get() }),
      { baseUrl: server.origin },
      { policy: ["autonomous", { rules: [{ effect: "ask", tools: "x" }] }] },
    );
    const outcome = await executor.execute({ id: "1", name: "x", arguments: {} });
    expect(outcome.status).toBe("interrupted");
  });
});

describe("OA17 values that the model may not choose", () => {
  test("credentials, the host's values and readOnly properties are not arguments, and are refused", async () => {
    const schema = {
      type: "object",
      required: ["name"],
      properties: {
        id: { type: "string", readOnly: true },
        name: { type: "string" },
        password: { type: "string", writeOnly: true },
      },
    };
    const content = { "application/json": { schema } };
    const item = {
      post: {
        operationId: "x",
        parameters: [
          parameter("api_key", "query", { required: true }),
          parameter("X-Tenant", "header", { required: true }),
          parameter("Authorization", "header"),
        ],
        requestBody: { required: true, content },
        responses: { 200: { description: "ok", content } },
      },
    };
    const { spec, run } = await opened(
      createDocument(
        { "/a": item },
        {
          components: {
            securitySchemes: { key: { type: "apiKey", in: "query", name: "api_key" } },
          },
          security: [{ key: [] }],
        },
      ),
      { baseUrl: server.origin, auth: { apiKey: "s3cret" }, headers: { "X-Tenant": "ours" } },
    );
    const { inputSchema, outputSchema } = spec("x");
    expect(Object.keys(inputSchema["properties"] as object)).toEqual(["name", "password"]);
    expect(JSON.stringify(inputSchema["required"])).toBe('["name"]');
    expect(JSON.stringify(outputSchema)).not.toContain("password");
    for (const name of ["api_key", "X-Tenant", "Authorization"]) {
      const { error } = modelView(await run("x", { name: "n", [name]: "mine" }));
      expect(error.code).toBe("invalid_arguments");
    }
    expect(server.requests).toEqual([]);
    server.answer = (_recorded, response) =>
      void response.setHeader("content-type", "application/json").end('{"id":"1","name":"n"}');
    expect((await run("x", { name: "n", password: "p" })).status).toBe("completed");
    expect(server.last.query).toBe("api_key=s3cret");
    expect(server.last.headers["x-tenant"]).toBe("ours");
    expect(String(server.last.body)).toBe('{"name":"n","password":"p"}');
  });
});

test("SE11 a model that requests the host's credential by another name gets nothing", async () => {
  const { run } = await opened(createDocument({ "/a": get(parameter("url", "query")) }), {
    baseUrl: server.origin,
    auth: { bearer: "s3cret-token" },
  });
  for (const url of ["${auth.bearer}", "{{bearer}}", "https://evil.example/?k=$TOKEN"]) {
    const outcome = await run("x", { url });
    expect(outcome.status).toBe("completed");
    expect(new URLSearchParams(server.last.query).get("url")).toBe(url);
    expect(JSON.stringify(outcome)).not.toContain("s3cret-token");
  }
});
