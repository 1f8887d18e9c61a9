import type { JsonObject, ToolOutput } from "@toolweave/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OpenApiSource } from "../../../src/index.ts";
import { RecordingServer, respond } from "@toolweave/test-support/recording-server";
import { call, rejection, openSource, findTool } from "../../support/call-tool.ts";

let server: RecordingServer;
let source: OpenApiSource;

beforeAll(async () => {
  server = await RecordingServer.start();
  const json = {
    "200": { description: "ok", content: { "application/json": { schema: { type: "object" } } } },
  };
  source = await openSource(
    {
      "/thing": {
        get: { operationId: "getThing", responses: json },
        post: { operationId: "makeThing", responses: json },
        head: { operationId: "peek", responses: { "200": { description: "ok" } } },
      },
      "/any": { get: { operationId: "any", responses: { "200": { description: "ok" } } } },
    },
    { baseUrl: server.origin },
  );
});

afterAll(async () => {
  await source.close();
  await server.close();
});

function answering(name: string, ...answer: Parameters<typeof respond>): Promise<ToolOutput> {
  server.answer = respond(...answer);
  return call(findTool(source, name));
}

const readText = ({ content: [block] }: ToolOutput): string =>
  block?.type === "text" ? block.text : "";

describe("a success", () => {
  test("of JSON is the value and its text", async () => {
    const output = await answering(
      "get_thing",
      200,
      "application/json; charset=utf-8",
      '{"a":"é"}',
    );
    expect(output).toMatchObject({
      value: { a: "é" },
      content: [{ type: "text", text: '{"a":"é"}' }],
    });
    expect(output.isError).toBeUndefined();
    expect(server.last.headers["accept"]).toBe("application/json, */*;q=0.1");
  });

  test.each(["application/problem+json", "application/vnd.api+json"])(
    "of %s is JSON too",
    async (type) => {
      expect((await answering("get_thing", 200, type, "[1]")).value).toEqual([1]);
    },
  );

  test.each(["text/plain", ""])("of JSON that is sent as %j is JSON, too", async (type) => {
    expect((await answering("get_thing", 200, type, '{"a":1}')).value).toEqual({ a: 1 });
  });

  test.each(["text/plain", "text/csv", "application/xml", "application/yaml", "image/svg+xml"])(
    "of %s is text",
    async (type) => {
      const output = await answering("any", 200, type, "1,2");
      expect(output.content).toEqual([{ type: "text", text: "1,2" }]);
      expect(output.value).toBeUndefined();
    },
  );

  test.each([
    ["image/png", "image"],
    ["audio/mpeg", "audio"],
  ])("of %s is an intact %s block", async (mimeType, type) => {
    const bytes = Buffer.from(Uint8Array.from({ length: 256 }, (_, index) => index));
    const output = await answering("any", 200, mimeType, bytes);
    expect(output.content).toEqual([{ type, mimeType, data: bytes.toString("base64") }]);
  });

  test("of other bytes is an embedded resource with its address", async () => {
    const bytes = Buffer.from([0, 255, 254]);
    const output = await answering("any", 200, "application/pdf", bytes);
    expect(output.content).toEqual([
      {
        type: "resource",
        resource: {
          uri: `${server.origin}/any`,
          mimeType: "application/pdf",
          blob: bytes.toString("base64"),
        },
      },
    ]);
  });

  test("of unknown bytes is a resource, not garbled text", async () => {
    const output = await answering("any", 200, "", Buffer.from([0xff, 0xfe, 0xfd, 0x80, 0x81]));
    expect(output.content[0]?.type).toBe("resource");
  });

  test.each([204, 205, 304])("of %i has a short text", async (status) => {
    const output = await answering("get_thing", status, "", "");
    expect(readText(output)).toMatch(new RegExp(`^${status} `));
    expect(output.isError).toBeUndefined();
  });

  test("without a body names the location of the new resource", async () => {
    server.answer = (_recorded, response) =>
      response.writeHead(201, { location: "/things/7" }).end();
    expect(readText(await call(findTool(source, "make_thing")))).toBe(
      "201 Created, location: /things/7",
    );
  });

  test("keeps status and useful headers for the host", async () => {
    server.answer = (_recorded, response) =>
      response
        .writeHead(200, { "content-type": "application/json", etag: '"1"', "set-cookie": "a=b" })
        .end("{}");
    const { details } = await call(findTool(source, "get_thing"));
    expect(details).toEqual({
      status: 200,
      headers: { "content-type": "application/json", etag: '"1"' },
    });
  });
});

describe("an answer that does not match its media type", () => {
  test("is an error if it is not JSON", async () => {
    const output = await answering("get_thing", 200, "application/json", '{"a":');
    expect(output).toMatchObject({ isError: true, error: { code: "upstream", status: 200 } });
    expect(readText(output)).toBe(
      '200 OK, but the answer is not valid JSON (it ends too early, at position 5 (line 1, column 6)). It begins: {"a":',
    );
  });

  test("is an error if it is a page instead of JSON, and warns against repeating a write", async () => {
    const output = await answering("make_thing", 200, "text/html", "<h1>Sign in</h1>");
    expect(output.isError).toBe(true);
    expect(readText(output)).toMatch(/is an HTML page instead of JSON\..* It says: "Sign in"$/);
    expect(output.error).toMatchObject({ body: "<h1>Sign in</h1>" });
    expect(readText(output)).toContain("check before repeating it");
    expect((await answering("any", 200, "text/html", "<h1>Hi</h1>")).isError).toBeUndefined();
  });
});

describe("a failure", () => {
  test("reports status and body, to the model and to the host", async () => {
    const output = await answering(
      "get_thing",
      404,
      "application/json",
      '{"error":"no such thing"}',
    );
    expect(output).toMatchObject({
      isError: true,
      content: [{ type: "text", text: '404 Not Found: {"error":"no such thing"}' }],
      value: { error: "no such thing" },
      error: { code: "upstream", status: 404, body: { error: "no such thing" }, retryable: false },
      details: { status: 404 },
    });
    expect(output.error?.message).toBe(
      'GET /thing answered 404 Not Found: {"error":"no such thing"}',
    );
  });

  test("with an infinite body is truncated", async () => {
    const output = await answering("get_thing", 500, "text/html", "x".repeat(100_000));
    expect(readText(output).length).toBeLessThan(2200);
    expect(readText(output)).toContain("(100000 characters)");
  });

  test("with a page contains the page's text; the host has the page", async () => {
    const page =
      "<html>\n<head><title>Museum: closed &amp; under repair</title></head><body>soon</body></html>";
    const output = await answering("get_thing", 502, "text/html", page);
    expect(readText(output)).toBe(
      '502 Bad Gateway: an HTML page that says "Museum: closed & under repair"\nThe API failed: try again later, or with other arguments.',
    );
    expect(output.error).toMatchObject({
      code: "upstream",
      status: 502,
      retryable: true,
      body: page,
      message: `GET /thing answered ${readText(output)}`,
    });
    expect(output.value).toBeUndefined();
  });

  test("with a page that has another type contains the page's text", async () => {
    const page = "<!DOCTYPE html><title>Blocked</title>";
    for (const type of ["", "text/plain", "application/json"]) {
      expect(readText(await answering("get_thing", 403, type, page))).toBe(
        '403 Forbidden: an HTML page that says "Blocked"',
      );
    }
  });

  test("with a page that repeats the status contains it once", async () => {
    const page = "<html><head><title>502 Bad Gateway</title></head><h1>502 Bad Gateway</h1></html>";
    expect(readText(await answering("get_thing", 502, "text/html", page))).toBe(
      "502 Bad Gateway: an HTML page\nThe API failed: try again later, or with other arguments.",
    );
  });

  test.each([
    ["JSON", '{"error":"<html>"}'],
    ["text", "no such thing, 1 < 2"],
  ])("of %s that is sent as HTML keeps its type", async (_, body) => {
    expect(readText(await answering("get_thing", 404, "text/html", body))).toBe(
      `404 Not Found: ${body}`,
    );
  });

  test("of bytes reports only the status", async () => {
    expect(readText(await answering("get_thing", 500, "application/pdf", "%PDF"))).toBe(
      "500 Internal Server Error\nThe API failed: try again later, or with other arguments.",
    );
  });

  test.each([408, 429, 502, 503, 504])(
    "of %i is retryable, after the requested time",
    async (status) => {
      server.answer = (_recorded, response) =>
        response.writeHead(status, { "retry-after": "3" }).end();
      const output = await call(findTool(source, "get_thing"));
      expect(output.error).toMatchObject({
        code: "upstream",
        status,
        retryable: true,
        retryAfterMs: 3000,
      });
    },
  );

  test.each([400, 409, 422, 500, 501])("of %i is not retryable", async (status) => {
    expect((await answering("get_thing", status, "", "")).error?.retryable).toBe(false);
  });
});

describe("a call that cannot be made", () => {
  test("fails if a value has characters that cannot be sent", async () => {
    await using own = await openSource(
      {
        "/": {
          get: {
            operationId: "x",
            parameters: [{ name: "q", in: "query", schema: {} }],
            responses: {},
          },
        },
      },
      { baseUrl: server.origin },
    );
    expect(await rejection(findTool(own, "x"), { q: "\ud800" })).toMatchObject({
      code: "invalid_arguments",
      message: expect.stringContaining("surrogate") as string,
    });
  });

  test("fails with the HTTP client's own error", async () => {
    const closed = await RecordingServer.start();
    const { origin } = closed;
    await closed.close();
    await using gone = await openSource(
      { "/": { get: { operationId: "x", responses: {} } } },
      { baseUrl: origin },
    );
    expect(await rejection(findTool(gone, "x"))).toMatchObject({ code: "unavailable" });
  });

  test("ends when it is cancelled", async () => {
    const controller = new AbortController();
    server.answer = () => controller.abort();
    expect(await rejection(findTool(source, "get_thing"), {}, controller.signal)).toMatchObject({
      code: "cancelled",
    });
  });

  test("ends when its source is closed, and later ones do not begin", async () => {
    const own = await openSource(
      { "/": { get: { operationId: "x", responses: {} } } },
      { baseUrl: server.origin },
    );
    const tool = findTool(own, "x");
    server.answer = () => void own.close();
    expect(await rejection(tool)).toMatchObject({ code: "cancelled" });
    const before = server.requests.length;
    expect(await rejection(tool)).toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("closed") as string,
    });
    expect(server.requests).toHaveLength(before);
  });

  test("names baseUrl if the document has no reachable server", async () => {
    await using homeless = await openSource(
      { "/": { get: { operationId: "x", responses: {} } } },
      {},
      { servers: [{ url: "/v1" }] } as JsonObject,
    );
    expect(await rejection(findTool(homeless, "x"))).toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(/"\/v1".*`baseUrl`/) as string,
    });
  });
});
