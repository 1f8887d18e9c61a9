import type { JsonObject } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import { openApiSource, type OpenApiOptions } from "../../src/index.ts";
import { RecordingServer, respond } from "@toolweave/test-support/recording-server";
import { call, rejection, openSource, findTool } from "../support/call-tool.ts";

const ok = { "200": { description: "ok" } };

describe("servers", () => {
  const at = async (servers: JsonObject[], url: string): Promise<string | undefined> => {
    const document = JSON.stringify({
      openapi: "3.1.0",
      info: {},
      servers,
      paths: { "/a": { post: { responses: ok } } },
    });
    await using host = await RecordingServer.start(respond(200, "application/json", document));
    await using source = openApiSource(host.origin + url);
    await source.ready;
    const [permission] = (await findTool(source, "post_a").preflight?.({}, {} as never)) ?? [];
    return permission?.target.replace(host.origin, "HOST");
  };

  test.each<[JsonObject[], string]>([
    [[], "POST HOST/a"],
    [[{ url: "/" }], "POST HOST/a"],
    [[{ url: "/v1/" }], "POST HOST/v1/a"],
    [[{ url: "../v2" }], "POST HOST/v2/a"],
    [[{ url: "v3" }], "POST HOST/docs/v3/a"],
    [[{ url: "//other.example/x" }], "POST http://other.example/x/a"],
    [
      [
        {
          url: "https://{zone}.example/{v}",
          variables: { zone: { default: "eu" }, v: { default: "v4" } },
        },
      ],
      "POST https://eu.example/v4/a",
    ],
    [
      [
        { url: "javascript:alert(1)" },
        { url: "ftp://x" },
        { url: "https://user:pw@evil" },
        { url: "https://good.example" },
      ],
      "POST https://good.example/a",
    ],
  ])("%j of a document at /docs/openapi.json resolve to %s", async (servers, expected) => {
    expect(await at(servers, "/docs/openapi.json")).toBe(expected);
  });

  test.each<[string, (origin: string) => OpenApiOptions]>([
    ["without options", () => ({})],
    ["with credentialOrigins", (origin) => ({ credentialOrigins: [origin] })],
  ])(
    "that a document chose on a private host must be allowed by the host: %s",
    async (_, optionsFor) => {
      await using museum = await RecordingServer.start();
      await using source = await openSource(
        { "/a": { get: { responses: ok } } },
        optionsFor(museum.origin),
        { servers: [{ url: museum.origin }] },
      );
      expect(await rejection(findTool(source, "get_a"))).toMatchObject({
        code: "permission_denied",
        message: expect.stringContaining(`allowOrigins: ["${museum.origin}"]`) as string,
      });
      expect(museum.requests).toHaveLength(0);
    },
  );

  test.each<[JsonObject[], string]>([
    [[{ url: "" }], "POST HOST/a"],
    [
      [{ url: "http://a.example/v1" }, { url: "https://a.example/v1" }],
      "POST https://a.example/v1/a",
    ],
    [
      [{ url: "http://a.example/v1" }, { url: "https://b.example/v1" }],
      "POST http://a.example/v1/a",
    ],
    [
      [{ url: "http://a.example:8080" }, { url: "https://a.example" }],
      "POST http://a.example:8080/a",
    ],
    [
      [{ url: "https://{region}.example" }, { url: "https://b.example" }],
      "POST https://b.example/a",
    ],
  ])("%j resolve to %s", async (servers, expected) => {
    expect(await at(servers, "/docs/openapi.json")).toBe(expected);
  });
});

describe("the host's options for servers", () => {
  const zone = { default: "us", enum: ["us", "eu"] };
  const upload = "https://upload.example/2.0";
  const paths = {
    "/a": { get: { responses: ok } },
    "/ping": { servers: [{ url: "" }], get: { responses: ok } },
    "/v2": { servers: [{ url: "/v2" }], get: { responses: ok } },
    "/sibling": { servers: [{ url: "v3" }], get: { responses: ok } },
    "/file": { servers: [{ url: upload }], get: { responses: ok } },
    "/zoned": {
      servers: [{ url: "https://{zone}.example", variables: { zone } }],
      get: { responses: ok },
    },
    "/open": { servers: [{ url: "https://{name}.example" }], get: { responses: ok } },
  };

  test("baseUrl replaces the document's servers and absolute ones of operations; relative ones are resolved against it", async () => {
    await using museum = await RecordingServer.start();
    await using source = await openSource(
      paths,
      { baseUrl: `${museum.origin}/api/v2` },
      { servers: [{ url: "/api/v2" }] },
    );
    for (const tool of source.tools()) await call(tool);
    expect(museum.requests.map(({ path }) => path)).toEqual([
      "/api/v2/a",
      "/ping",
      "/v2/v2",
      "/api/v3/sibling",
      "/api/v2/file",
      "/api/v2/zoned",
      "/api/v2/open",
    ]);
  });

  test("`servers` takes precedence over baseUrl, by the URL in the document or by its template", async () => {
    await using museum = await RecordingServer.start();
    await using other = await RecordingServer.start();
    await using source = await openSource(
      paths,
      {
        baseUrl: museum.origin,
        servers: {
          [upload]: `${other.origin}/up`,
          "https://{zone}.example": `${other.origin}/zone`,
        },
      },
      { servers: [{ url: "/api/v2" }] },
    );
    for (const name of ["get_file", "get_zoned", "get_a"]) await call(findTool(source, name));
    expect(other.requests.map(({ path }) => path)).toEqual(["/up/file", "/zone/zoned"]);
    expect(museum.requests.map(({ path }) => path)).toEqual(["/a"]);
  });

  test("`serverVariables` sets variables; one that no server has, or a value that the document does not list, is a warning", async () => {
    await using museum = await RecordingServer.start();
    const { port } = new URL(museum.origin);
    const servers = [
      {
        url: "http://{host}:{port}/{version}",
        variables: { host: { default: "api.example" }, port: { default: "443" }, version: zone },
      },
    ];
    const serverVariables = { host: "127.0.0.1", port, version: "v9", regoin: "eu" };
    await using source = await openSource(
      { "/a": { get: { responses: ok } } },
      { serverVariables, allowOrigins: [museum.origin] },
      { servers },
    );
    await call(findTool(source, "get_a"));
    expect(museum.last.path).toBe("/v9/a");
    expect(source.problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('"regoin", which is not a variable') as string,
      expect.stringContaining('serverVariables.version is "v9"') as string,
    ]);
  });

  test("absent, with a variable without a value: one warning, and the call is refused", async () => {
    await using source = await openSource(
      { "/a": { get: { responses: ok } }, "/b": { get: { responses: ok } } },
      {},
      { servers: [{ url: "https://{tenant}.example/v1" }] },
    );
    const reason =
      'he document\'s server is "https://{tenant}.example/v1", whose variable "tenant" has no value: set it in `serverVariables`';
    expect(source.problems).toEqual([
      {
        subject: "servers",
        message: `T${reason}: no tool can be called. Set \`baseUrl\`.`,
        pointer: "/servers",
        severity: "warning",
      },
    ]);
    source.realize();
    expect(source.problems).toHaveLength(1);
    expect(await rejection(findTool(source, "get_a"))).toMatchObject({
      code: "unavailable",
      message: expect.stringContaining(`t${reason}`) as string,
    });
  });

  test("absent, with a document without servers: one problem at load, for all operations without their own", async () => {
    await using source = await openSource(
      {
        "/a": { get: { responses: ok } },
        "/b": { get: { responses: ok } },
        "/c": { get: { servers: [{ url: "https://c.example" }], responses: ok } },
      },
      {},
      { servers: [] },
    );
    const problems = [
      {
        subject: "servers",
        message: "The document has no server: 2 of 3 tools cannot be called. Set `baseUrl`.",
        pointer: "",
        severity: "warning",
      },
    ];
    expect(source.problems).toEqual(problems);
    source.realize();
    expect(source.problems).toEqual(problems);
  });

  test.each<[OpenApiOptions, string]>([
    [
      { servers: { "https://a.example": "/v1" } },
      'servers["https://a.example"] must be an absolute URL',
    ],
    [{ servers: [] as never }, "servers must be an object"],
    [{ serverVariables: { a: 1 as never } }, "serverVariables.a must be a string"],
    [{ credentialOrigins: ["https://a.example/x"] }, "credentialOrigins must contain origins"],
  ])("that are invalid are refused when the source is created: %j", (options, message) => {
    expect(() => openApiSource({}, options)).toThrow(message);
  });
});
