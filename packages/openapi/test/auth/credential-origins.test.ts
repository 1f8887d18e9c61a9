import type { JsonObject } from "@toolweave/core";
import type { HttpClient, HttpClientOptions, HttpRequest, HttpResponse } from "@toolweave/http";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { openApiSource, type OpenApiOptions } from "../../src/index.ts";
import { call, findTool } from "../support/call-tool.ts";

// Origins other than loopback cannot be reached in a test: the planned requests are checked
// instead.
const sent: HttpRequest[] = [];
let answer: { status: number; text: string };

vi.mock("@toolweave/http", async (original) => ({
  ...(await original<object>()),
  httpClient: (_options: HttpClientOptions): Partial<HttpClient> => ({
    request: (request) => {
      sent.push(request);
      const { status, text } = answer;
      return Promise.resolve({
        status,
        statusText: "",
        method: request.method,
        url: String(request.url),
        headers: {},
        body: Buffer.from(text),
        mediaType: "application/json",
        text: () => text,
      } satisfies HttpResponse);
    },
    close: () => Promise.resolve(),
  }),
}));

beforeEach(() => {
  sent.length = 0;
  answer = { status: 200, text: "{}" };
});

const document = {
  openapi: "3.1.0",
  info: { title: "Test", version: "1" },
  servers: [{ url: "https://api.example/v1" }],
  components: { securitySchemes: { key: { type: "apiKey", in: "query", name: "key" } } },
  security: [{ key: [] }],
  paths: {
    "/x": { get: { operationId: "x", responses: {} } },
    "/y": { get: { operationId: "y", responses: {}, servers: [{ url: "https://evil.example" }] } },
    "/z": { servers: [{ url: "http://api.example" }], get: { operationId: "z", responses: {} } },
  },
} as unknown as JsonObject;

const secrets: OpenApiOptions = { auth: { apiKey: "SECRET" }, headers: { "X-Token": "SECRET" } };

/** Whether each operation's request has the credentials. */
async function whoGets(options: OpenApiOptions, url?: string): Promise<string[]> {
  answer = { status: 200, text: JSON.stringify(document) };
  await using source = openApiSource(url ?? document, { ...secrets, ...options });
  await source.ready;
  answer = { status: 200, text: "{}" };
  sent.length = 0;
  for (const name of ["x", "y", "z"]) await call(findTool(source, name));
  return sent.map((request) => {
    const text = JSON.stringify([request.url, request.headers]);
    return `${new URL(request.url).origin} ${text.split("SECRET").length - 1}`;
  });
}

describe("credentials are sent", () => {
  test("to the servers of a document that the host passed, and not to the server of a single operation", async () => {
    expect(await whoGets({})).toEqual([
      "https://api.example 2",
      "https://evil.example 0",
      "http://api.example 0",
    ]);
  });

  test("to the origin of the document, not to servers that it chose", async () => {
    expect(await whoGets({}, "https://docs.example/openapi.json")).toEqual([
      "https://api.example 0",
      "https://evil.example 0",
      "http://api.example 0",
    ]);
    expect(await whoGets({}, "https://api.example/openapi.json")).toEqual([
      "https://api.example 2",
      "https://evil.example 0",
      "http://api.example 0",
    ]);
  });

  test("to origins that the host allowed", async () => {
    expect(
      await whoGets(
        { credentialOrigins: ["https://api.example"] },
        "https://docs.example/openapi.json",
      ),
    ).toEqual(["https://api.example 2", "https://evil.example 0", "http://api.example 0"]);
  });

  test("not to origins that may only be reached", async () => {
    expect(
      await whoGets({ allowOrigins: ["https://api.example"] }, "https://docs.example/openapi.json"),
    ).toEqual(["https://api.example 0", "https://evil.example 0", "http://api.example 0"]);
  });

  test("to the servers with which the host replaces the document's", async () => {
    const servers = { "https://evil.example": "https://mine.example" };
    expect(await whoGets({ servers }, "https://docs.example/openapi.json")).toContain(
      "https://mine.example 2",
    );
  });

  test("to baseUrl, the destination of every request", async () => {
    expect(
      await whoGets({ baseUrl: "https://mine.example" }, "https://docs.example/openapi.json"),
    ).toEqual(Array.from({ length: 3 }, () => "https://mine.example 2"));
  });

  test("to no other origin, and a refusal names the option to set", async () => {
    await using source = openApiSource(document, secrets);
    await source.ready;
    answer = { status: 401, text: '"no"' };
    const { error } = await call(findTool(source, "y"));
    expect(error).toMatchObject({
      code: "auth_required",
      message: expect.stringContaining('credentialOrigins: ["https://evil.example"]') as string,
    });
    expect(error?.message).not.toContain("SECRET");
  });

  test("across origins in no redirect: the client knows their query parameters", async () => {
    await using source = openApiSource(document, secrets);
    await source.ready;
    await call(findTool(source, "x"));
    expect(sent[0]?.credentials).toEqual(["key", "x-token"]);
  });

  test.each(["Accept-Language", "User-Agent", "Accept"])(
    "across origins in no redirect, in a header that is usually forwarded: %s",
    async (name) => {
      const components = { securitySchemes: { key: { type: "apiKey", in: "header", name } } };
      await using source = openApiSource({ ...document, components }, secrets);
      await source.ready;
      await call(findTool(source, "x"));
      expect(sent[0]?.headers?.[name.toLowerCase()]).toBe("SECRET");
      expect(sent[0]?.credentials).toContain(name.toLowerCase());
    },
  );
});
