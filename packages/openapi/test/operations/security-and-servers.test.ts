import type { JsonObject } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import { openDocument } from "../../src/operations/document.ts";
import { document, onlyDetails } from "../support/open-documents.ts";

describe("security", () => {
  const securitySchemes = {
    key: { type: "apiKey", name: "X-Key", in: "header" },
    token: { $ref: "#/components/securitySchemes/bearer" },
    bearer: { type: "http", scheme: "Bearer" },
    login: { type: "oauth2", flows: { clientCredentials: { tokenUrl: "/t", scopes: {} } } },
  };

  test("keeps alternatives and combinations; an empty one means that none is needed", async () => {
    const { security } = await onlyDetails(
      "3.0.0",
      { security: [{ key: [], token: [] }, { login: ["read"] }, {}, { unknown: [] }] },
      { components: { securitySchemes } },
    );
    expect(security).toEqual([
      [
        {
          scheme: "key",
          scopes: [],
          declaration: { type: "apiKey", name: "X-Key", in: "header", raw: securitySchemes.key },
        },
        {
          scheme: "token",
          scopes: [],
          declaration: { type: "http", scheme: "bearer", raw: securitySchemes.bearer },
        },
      ],
      [
        {
          scheme: "login",
          scopes: ["read"],
          declaration: { type: "oauth2", raw: securitySchemes.login },
        },
      ],
      [],
      [{ scheme: "unknown", scopes: [] }],
    ]);
  });

  test("that is only a name is read as intended, with a warning", async () => {
    const opened = await openDocument(
      document(
        "3.0.0",
        { "/x": { get: { security: ["bearer", "key"] } } },
        { components: { securitySchemes } },
      ),
    );
    expect(opened.operations[0]?.details().security).toMatchObject([
      [{ scheme: "bearer", scopes: [], declaration: { type: "http" } }],
      [{ scheme: "key", scopes: [], declaration: { type: "apiKey" } }],
    ]);
    expect(opened.problems).toEqual(
      ["bearer", "key"].map((name, index) => ({
        subject: "GET /x",
        message: `The security requirement "${name}" is treated as {"${name}": []}.`,
        pointer: `/paths/~1x/get/security/${index}`,
        severity: "warning",
      })),
    );
  });

  test("with a broken declaration keeps the operation, with a warning", async () => {
    const opened = await openDocument(
      document(
        "3.0.0",
        { "/x": { get: { security: [{ gone: [] }] } } },
        { components: { securitySchemes: { gone: { $ref: "#/nowhere" } } } },
      ),
    );
    expect(opened.operations[0]?.details().security).toEqual([[{ scheme: "gone", scopes: [] }]]);
    expect(opened.problems).toEqual([
      {
        subject: "GET /x",
        message: 'The security scheme "gone" is omitted: $ref "#/nowhere" points to nothing.',
        pointer: "/components/securitySchemes/gone",
        severity: "warning",
      },
    ]);
  });

  test("comes from the document unless the operation has its own, even an empty one", async () => {
    const more = { security: [{ key: [] }], components: { securitySchemes } };
    const schemes = async (operation: JsonObject) =>
      (await onlyDetails("3.1.0", operation, more)).security.map((all) =>
        all.map(({ scheme }) => scheme),
      );
    expect(await schemes({})).toEqual([["key"]]);
    expect(await schemes({ security: [] })).toEqual([[]]);
    expect(await schemes({ security: [{ bearer: [] }] })).toEqual([["bearer"]]);
    expect((await onlyDetails("3.1.0", {})).security).toEqual([]);
  });

  test("of Swagger 2.0 is converted to that of OpenAPI 3", async () => {
    const { security } = await onlyDetails(
      "2.0",
      { security: [{ basic: [], oauth: ["read"] }] },
      {
        securityDefinitions: {
          basic: { type: "basic" },
          oauth: {
            type: "oauth2",
            flow: "accessCode",
            authorizationUrl: "/a",
            tokenUrl: "/t",
            scopes: { read: "R" },
          },
        },
      },
    );
    expect(security[0]?.map(({ declaration }) => declaration)).toEqual([
      { type: "http", scheme: "basic", raw: { type: "basic" } },
      {
        type: "oauth2",
        raw: {
          type: "oauth2",
          flows: {
            authorizationCode: { authorizationUrl: "/a", tokenUrl: "/t", scopes: { read: "R" } },
          },
        },
      },
    ]);
  });

  test("of OpenAPI 3.2 may name a scheme by reference", async () => {
    const { security } = await onlyDetails(
      "3.2.0",
      { security: [{ "#/components/securitySchemes/bearer": [] }] },
      { components: { securitySchemes } },
    );
    expect(security[0]?.[0]?.declaration).toMatchObject({ type: "http", scheme: "bearer" });
  });
});

async function listServers(paths: JsonObject, more: JsonObject, version = "3.0.0") {
  const opened = await openDocument(document(version, paths, more));
  return opened.operations.map((operation) => operation.details().servers);
}

describe("servers", () => {
  const more = { servers: [{ url: "https://a.example.com/v1" }, { url: "/relative" }] };

  test("are the operation's, otherwise the path item's, otherwise the document's", async () => {
    const paths = {
      "/a": { get: {} },
      "/b": {
        servers: [{ url: "https://b.example.com" }],
        get: {},
        put: { servers: [{ url: "https://c.example.com" }] },
      },
    };
    expect(await listServers(paths, more)).toEqual([
      ["https://a.example.com/v1", "/relative"],
      ["https://b.example.com"],
      ["https://c.example.com"],
    ]);
  });

  test("have their variables filled with the defaults", async () => {
    const servers = [
      {
        url: "https://{host}:{port}/{version}/{open}",
        variables: {
          host: { default: "h.example.com" },
          port: { default: 8443 },
          version: { enum: ["v2", "v1"] },
        },
      },
    ];
    expect(await listServers({ "/a": { get: {} } }, { servers })).toEqual([
      ["https://h.example.com:8443/v2/{open}"],
    ]);
  });

  test("are empty if the document has none", async () => {
    expect(await listServers({ "/a": { get: {} } }, {})).toEqual([[]]);
    expect(await listServers({ "/a": { get: {} } }, {}, "2.0")).toEqual([[]]);
  });

  test.each([
    [
      { host: "h.example.com", basePath: "/v1", schemes: ["http", "https"] },
      ["https://h.example.com/v1", "http://h.example.com/v1"],
    ],
    [{ host: "h.example.com", basePath: "/" }, ["https://h.example.com"]],
    [{ host: "h.example.com/", basePath: "/v1/" }, ["https://h.example.com/v1"]],
    [{ host: "http://h.example.com:81" }, ["http://h.example.com:81"]],
    [
      { host: "http://h.example.com/v1", basePath: "/v1", schemes: ["HTTPS"] },
      ["https://h.example.com/v1"],
    ],
    [{ host: "h.example.com/api", basePath: "v1" }, ["https://h.example.com/api/v1"]],
    [{ basePath: "http://h.example.com/v1/" }, ["http://h.example.com/v1"]],
    [{ host: " //h.example.com ", schemes: "http" }, ["http://h.example.com"]],
    [
      { host: "h.example.com:81", basePath: "v1", schemes: ["ws", "http"] },
      ["http://h.example.com:81/v1"],
    ],
    [{ basePath: "/v1", schemes: ["https"] }, ["/v1"]],
  ])("of Swagger 2.0: %j", async (more, expected) => {
    expect(await listServers({ "/a": { get: {} } }, more, "2.0")).toEqual([expected]);
  });

  test("of Swagger 2.0 whose host is more than a host are problems", async () => {
    const read = async (more: JsonObject) =>
      (await openDocument(document("2.0", {}, more))).problems.map(({ message }) => message);
    expect(await read({ host: "h.example.com:81", basePath: "/" })).toEqual([]);
    expect(await read({ host: "https://me:pw@h.example.com/" })).toEqual([
      'The document\'s `host` is "https://h.example.com/", which is not a host with or without a port alone: it is read as part of the URL. Set `baseUrl` if that is wrong.',
    ]);
    expect(await read({ basePath: "https://h.example.com/v1" })).toEqual([
      'The document\'s `basePath` is "https://h.example.com/v1", which is not a path alone: it is read as part of the URL. Set `baseUrl` if that is wrong.',
    ]);
  });

  test("of Swagger 2.0 without a host are the document's own address", async () => {
    const api = document(
      "2.0",
      { "/a": { get: {}, put: { schemes: ["https"] } } },
      { basePath: "/v1" },
    );
    const url = "http://h.example.com:81/docs/api.json";
    const fetchText = async () => ({ text: JSON.stringify(api), url });
    const opened = await openDocument(url, { fetchText });
    expect(opened.operations.map((operation) => operation.details().servers)).toEqual([
      ["http://h.example.com:81/v1"],
      ["https://h.example.com:81/v1"],
    ]);
    expect(opened.servers).toEqual(["http://h.example.com:81/v1"]);
  });
});
