import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { filter, prefix, ToolRegistry, type JsonObject } from "@toolweave/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openApiSource, type OpenApiOptions } from "../src/index.ts";
import { museumDocument, startMuseum } from "./support/museum.ts";
import { RecordingServer, respond } from "@toolweave/test-support/recording-server";
import { call, openSource, findTool } from "./support/call-tool.ts";

let museum: RecordingServer;

beforeAll(async () => {
  museum = await startMuseum();
});
afterAll(() => museum.close());

const names = [
  "list_events",
  "create_event",
  "get_event",
  "delete_event",
  "set_poster",
  "get_poster",
];
const ok = { "200": { description: "ok" } };

describe("a document", () => {
  test("becomes tools wherever it comes from", async () => {
    const text = JSON.stringify(museumDocument);
    const path = join(tmpdir(), `museum-${process.pid}.json`);
    await writeFile(path, text);
    const url = `${museum.origin}/openapi.json`;
    const all = [
      openApiSource(url),
      openApiSource(new URL(url)),
      openApiSource(path),
      openApiSource(pathToFileURL(path)),
      openApiSource(text),
      openApiSource(museumDocument),
      openApiSource.fromUrl(url),
      openApiSource.fromFile(path),
      openApiSource.fromString(text),
      openApiSource.fromDocument(museumDocument),
    ];
    expect(all.flatMap((source) => source.tools())).toEqual([]);
    for (const source of all) {
      await source.ready;
      expect(source.tools().map(({ spec }) => spec.name)).toEqual(names);
      await source.close();
    }
    expect(all.map(({ id }) => id)).toEqual([
      url,
      url,
      path,
      pathToFileURL(path).href,
      "openapi",
      "openapi",
      url,
      path,
      "openapi",
      "openapi",
    ]);
  });

  test("is named after its address without possible secrets", () => {
    const source = openApiSource("https://user:pass@127.0.0.1:1/openapi.json?token=SECRET");
    expect(source.id).toBe("https://127.0.0.1:1/openapi.json");
    return source.close();
  });

  test("is fetched with the credentials of its origin", async () => {
    await using server = await RecordingServer.start(
      respond(200, "application/json", JSON.stringify(museumDocument)),
    );
    await using source = openApiSource(`${server.origin}/openapi.json`, {
      auth: { bearer: () => "T" },
      headers: { "X-Tenant": "1" },
    });
    await source.ready;
    expect(server.last.headers).toMatchObject({ authorization: "Bearer T", "x-tenant": "1" });

    await using other = openApiSource(`${server.origin}/openapi.json`, {
      auth: { bearer: "T" },
      baseUrl: museum.origin,
    });
    await other.ready;
    expect(server.last.headers["authorization"]).toBeUndefined();
  });

  test.each<[string, number, string, object]>([
    [
      "that does not exist",
      404,
      "",
      {
        code: "unavailable",
        message: /Cannot load http.*: it answered 404 Not Found\. Check the address\./,
      },
    ],
    ["that needs credentials", 401, "", { code: "auth_required", message: /`auth`/ }],
    ["that is a page", 200, "<html>", { code: "invalid_arguments", message: /HTML/ }],
    [
      "that is not a document",
      200,
      '{"a":1}',
      { code: "invalid_arguments", message: /neither an `openapi` nor a `swagger` field/ },
    ],
  ])(
    "%s rejects ready with the problem, its place and the next step",
    async (_name, status, body, expected) => {
      await using server = await RecordingServer.start(respond(status, "text/plain", body));
      const source = openApiSource(`${server.origin}/openapi.json`);
      const { code, message } = expected as { code: string; message: RegExp };
      await expect(source.ready).rejects.toMatchObject({
        code,
        message: expect.stringMatching(message) as string,
      });
      expect(source.tools()).toEqual([]);
    },
  );

  test("that fails is a problem of its registry and affects no other source", async () => {
    const failing = openApiSource("/no/such/file.json");
    const registry = new ToolRegistry([
      failing,
      openApiSource(museumDocument, { baseUrl: "http://127.0.0.1:1" }),
    ]);
    await registry.ready;
    expect(registry.size).toBe(names.length);
    expect(registry.problems).toMatchObject([
      { source: "/no/such/file.json", message: expect.stringContaining("no such file") as string },
    ]);
    await registry.close();
  });
});

describe("an input that is no document", () => {
  test.each([
    [undefined, "the document is undefined"],
    [null, "the document is null"],
    [7, "the document is 7"],
    ["", "the document is an empty text"],
    [
      "ftp://example.com/api.json",
      "ftp://example.com/api.json has a protocol that cannot be loaded",
    ],
  ])("is refused at once, with what can be passed: %j", (input, what) => {
    expect(() => openApiSource(input as never)).toThrow(
      `openApiSource: ${what}. Pass a URL (http, https or file), a path, the text of a document, or a parsed document.`,
    );
  });

  test.each(["127.0.0.1:8080/api.json", "localhost:8080/x", "api.example.com/openapi.json"])(
    "but looks like the address of a server is reported with its URL: %s",
    async (input) => {
      await expect(openApiSource(input).ready).rejects.toThrow(
        `there is no such file. Check the address. The document of a server has a URL, such as http://${input}.`,
      );
    },
  );
});

describe("options", () => {
  test("choose operations before any reference is followed", async () => {
    await using source = await openSource(
      {
        "/a": {
          get: { tags: ["x"], responses: ok },
          post: { $ref: "#/missing", parameters: [], responses: ok },
        },
      },
      {
        filter: ({ method, path, tags }) => method === "GET" && path === "/a" && tags.includes("x"),
      },
    );
    expect(source.tools().map(({ spec }) => spec.name)).toEqual(["get_a"]);
  });

  test("that throw reject ready with a ToolError", async () => {
    const source = openApiSource(museumDocument, {
      filter: () => {
        throw new Error("no such tag");
      },
    });
    await expect(source.ready).rejects.toMatchObject({
      name: "ToolError",
      code: "internal",
      message: "Cannot create tools from openapi: no such tag",
    });
  });

  test("can put a prefix before every name", async () => {
    await using source = await openSource({ "/a": { get: { responses: ok } } }, { prefix: "zoo" });
    expect(findTool(source, "zoo__get_a").spec.provenance.origin).toMatchObject({ path: "/a" });
  });

  test.each<[OpenApiOptions, RegExp]>([
    [{ prefix: "1 x" }, /prefix "1 x"/],
    [{ timeoutMs: -1 }, /timeoutMs is -1/],
    [{ baseUrl: "api.example.com" }, /baseUrl must be an absolute URL/],
    [{ baseUrl: "ftp://x" }, /baseUrl/],
    [{ baseUrl: "https://me:SECRET@x" }, /baseUrl/],
    [{ allowOrigins: ["localhost"] }, /allowOrigins must contain origins/],
    [{ allowOrigins: ["https://api.example/v1"] }, /allowOrigins must contain origins/],
    [{ allowOrigins: "https://api.example" as never }, /allowOrigins must be a list/],
    [{ allowReferences: "shared" as never }, /allowReferences must be a list/],
    [{ id: "" }, /id must be a non-empty string/],
    [{ filter: "pets" as never }, /filter must be a function/],
    [{ certificateAuthorities: 7 as never }, /certificateAuthorities must be a string/],
    [{ headers: ["SECRET"] as never }, /headers must be an object/],
    [{ headers: { "x-tenant": undefined } as never }, /headers\["x-tenant"\] is not a string/],
    [{ auth: { bearer: "" } }, /auth\.bearer is empty/],
    [{ auth: { apiKey: 7 } as never }, /auth\.apiKey must be one of: a string/],
    [
      { auth: { bearer: { username: "a", password: "SECRET" } } as never },
      /auth\.bearer must be a string/,
    ],
    [{ id: "museum", auth: { store: {} as never } }, /auth\.store must be a CredentialStore/],
  ])("that are invalid are refused at once: %j", (options, message) => {
    expect(() => openApiSource(museumDocument, options)).toThrow(
      expect.objectContaining({
        code: "invalid_configuration",
        audience: "host",
        message: expect.stringMatching(message) as string,
      }) as Error,
    );
    expect(() => openApiSource(museumDocument, options)).not.toThrow(/SECRET/);
  });

  test("set the base of every path", async () => {
    await using source = await openSource(
      { "/a": { get: { responses: ok, servers: [{ url: "https://elsewhere.example" }] } } },
      { baseUrl: `${museum.origin}/base/` },
    );
    await call(findTool(source, "get_a"));
    expect(museum.last.path).toBe("/base/a");
  });
});

describe("a source", () => {
  test("is lazy: nothing is resolved for a list", async () => {
    await using source = await openSource({
      "/a": {
        get: {
          get parameters(): never {
            throw new Error("looked at");
          },
          responses: ok,
        } as unknown as JsonObject,
      },
    });
    expect(source.tools().map(({ spec }) => [spec.name, spec.title, spec.description])).toEqual([
      ["get_a", undefined, "GET /a"],
    ]);
  });

  test("works behind combinators", async () => {
    await using source = await openSource(
      { "/a": { get: { responses: ok }, post: { responses: ok } } },
      { baseUrl: museum.origin },
    );
    const combined = filter(
      prefix(source, "zoo"),
      ({ spec }) => spec.annotations.readOnlyHint === true,
    );
    const [tool] = combined.tools();
    expect(tool?.spec.name).toBe("zoo__get_a");
    expect((await call(tool as NonNullable<typeof tool>)).isError).toBe(true);
  });

  test("keeps its tools and their fingerprints while nothing changes, and no two loads share one", async () => {
    await using one = openApiSource(museumDocument);
    await using two = openApiSource(museumDocument);
    await Promise.all([one.ready, two.ready]);
    expect(one.tools()).toBe(one.tools());
    expect(one.tools()[0]?.fingerprint).toBe(one.tools()[0]?.fingerprint);
    const prints = [...one.tools(), ...two.tools()].map(({ fingerprint }) => fingerprint);
    expect(new Set(prints).size).toBe(2 * names.length);
  });

  test("becomes ready, and all listeners are notified, even if one throws", async () => {
    await using source = openApiSource(museumDocument);
    let received = 0;
    source.onChange(() => {
      throw new Error("a listener of the host's");
    });
    source.onChange(() => received++);
    await source.ready;
    expect(received).toBe(1);
    expect(source.tools()).toHaveLength(names.length);
  });

  test("that is closed while it loads has no tools", async () => {
    await using server = await RecordingServer.start(() => void source.close());
    const source = openApiSource(`${server.origin}/openapi.json`);
    await expect(source.ready).rejects.toMatchObject({ code: "cancelled" });
    await source.close();
    expect(source.tools()).toEqual([]);
  });
});

test.each([
  [
    "a misspelled option",
    { baseURL: "http://h" },
    /unknown option "baseURL"\. Did you mean baseUrl\?/,
  ],
  ["a credential of another name", { auth: { token: "x" } }, /auth: unknown option "token"/],
  ["a credential without its kind", { auth: "x" }, /auth takes an object/],
])("%s is refused, and the text has a correction", (_, options, message) => {
  expect(() => openApiSource({}, options as never)).toThrow(message);
});
