import type { JsonObject } from "@toolweave/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openApiSource, type OpenApiOptions } from "../../src/index.ts";
import { RecordingServer, respond, type Recorded } from "@toolweave/test-support/recording-server";
import { call, rejection, openSource, findTool } from "../support/call-tool.ts";
import { auth, basicHeader, securitySchemes } from "./support/all-credentials.ts";

let server: RecordingServer;

beforeAll(async () => {
  server = await RecordingServer.start();
});
afterAll(() => server.close());

const ok = { "200": { description: "ok" } };

async function send(
  security: JsonObject[] | undefined,
  options: OpenApiOptions,
  args: JsonObject = {},
  more: JsonObject = {},
): Promise<Recorded> {
  const operation = {
    operationId: "x",
    responses: ok,
    ...(security === undefined ? {} : { security }),
    ...more,
  };
  await using source = await openSource(
    { "/x": { get: operation } },
    { baseUrl: server.origin, ...options },
    { components: { securitySchemes } },
  );
  await call(findTool(source, "x"), args);
  return server.last;
}

describe("a credential is sent where the document declares it", () => {
  test.each<[string, Partial<Recorded["headers"]>, string]>([
    ["header_key", { "x-key": "KEY+123" }, ""],
    ["query_key", {}, "key%26=KEY%2B123"],
    ["cookie_key", { cookie: "sid=KEY+123" }, ""],
    ["bearer", { authorization: "Bearer TOKEN" }, ""],
    ["oauth", { authorization: "Bearer TOKEN" }, ""],
    ["basic", { authorization: basicHeader }, ""],
  ])("%s", async (scheme, headers, query) => {
    const recorded = await send([{ [scheme]: [] }], { auth });
    expect(recorded.headers).toMatchObject(headers);
    expect(recorded.query).toBe(query);
    const sent = ["authorization", "x-key", "cookie"].filter(
      (name) => recorded.headers[name] !== undefined,
    );
    expect(sent).toEqual(Object.keys(headers));
  });

  test("beside the arguments of its place", async () => {
    const parameters = [
      { name: "a", in: "query", schema: {} },
      { name: "c", in: "cookie", schema: {} },
    ];
    const recorded = await send(
      [{ query_key: [], cookie_key: [] }],
      { auth },
      { a: 1, c: 2 },
      { parameters },
    );
    expect(recorded.query).toBe("a=1&key%26=KEY%2B123");
    expect(recorded.headers["cookie"]).toBe("c=2; sid=KEY+123");
  });

  test("by its scheme's name before any other", async () => {
    const recorded = await send([{ header_key: [], basic: [] }], {
      auth: {
        ...auth,
        schemes: {
          header_key: () => Promise.resolve("OWN"),
          basic: { username: "u", password: "p" },
        },
      },
    });
    expect(recorded.headers).toMatchObject({ "x-key": "OWN", authorization: "Basic dTpw" });
  });

  test("and is requested again before each request", async () => {
    let count = 0;
    await using source = await openSource(
      { "/x": { get: { operationId: "x", responses: ok } } },
      {
        baseUrl: server.origin,
        auth: { bearer: () => `t${++count}` },
      },
    );
    for (const token of ["t1", "t2"]) {
      await call(findTool(source, "x"));
      expect(server.last.headers["authorization"]).toBe(`Bearer ${token}`);
    }
  });
});

describe("of several alternatives", () => {
  test("the first complete one is used", async () => {
    const recorded = await send([{ header_key: [], bearer: [] }, { basic: [] }], {
      auth: { basic: auth.basic, bearer: "T" },
    });
    expect(recorded.headers["authorization"]).toBe(basicHeader);
    expect(recorded.headers["x-key"]).toBeUndefined();
  });

  test("one that needs nothing is used if there are no credentials for the others", async () => {
    const recorded = await send([{}, { header_key: [] }], { auth: { bearer: "T" } });
    expect(recorded.headers["authorization"]).toBeUndefined();
    const full = await send([{}, { header_key: [] }], { auth });
    expect(full.headers["x-key"]).toBe("KEY+123");
  });

  test("the available credentials are sent if no alternative is complete, or none is declared", async () => {
    expect(
      (await send([{ header_key: [], basic: [] }], { auth: { apiKey: "K" } })).headers["x-key"],
    ).toBe("K");
    expect((await send(undefined, { auth: { bearer: "T" } })).headers["authorization"]).toBe(
      "Bearer T",
    );
  });
});

describe("the host's headers", () => {
  test("are sent with every request and replace others of the same name", async () => {
    const parameters = [
      { name: "X-Version", in: "header", required: true, schema: { type: "string" } },
    ];
    const options = {
      headers: { "X-Version": "2", Authorization: "Custom 1", Accept: "text/x" },
      auth,
    };
    const recorded = await send([{ bearer: [] }], options, { "X-Version": "9" }, { parameters });
    expect(recorded.headers).toMatchObject({
      "x-version": "2",
      authorization: "Custom 1",
      accept: "text/x",
    });
  });
});

describe("a header of the host that describes the body", () => {
  test.each(["Content-Type", "content-encoding", "Content-Length", "Transfer-Encoding"])(
    "is refused, since one value cannot be right for all bodies: %s",
    async (name) => {
      await expect(openSource({}, { headers: { [name]: "x" } })).rejects.toThrow(
        `headers cannot have ${name.toLowerCase()}, which depends on the body: to set the media type of an operation, use overrides with requestMediaType`,
      );
    },
  );
});

describe("credentials stay", () => {
  const elsewhere = (url: string): JsonObject => ({
    "/x": { get: { operationId: "x", responses: ok, servers: [{ url }] } },
  });

  test("at the origin of baseUrl, whatever a single operation declares", async () => {
    await using source = await openSource(elsewhere("http://evil.example"), {
      baseUrl: server.origin,
      auth,
    });
    await call(findTool(source, "x"));
    expect(server.last.headers["authorization"]).toBe("Bearer TOKEN");
  });

  test("at the document's own origin if an operation has another one, and a refusal names the option to send them", async () => {
    await using other = await RecordingServer.start(respond(401, "text/plain", "who are you?"));
    await using host = await RecordingServer.start(
      respond(
        200,
        "application/json",
        JSON.stringify({ openapi: "3.1.0", info: {}, paths: elsewhere(other.origin) }),
      ),
    );
    const allowed = { auth: { ...auth, bearer: "T-SECRET" } };
    await using refused = openApiSource(`${host.origin}/openapi.json`, allowed);
    await refused.ready;
    // Another port is another origin, and a private one: the host must allow it.
    expect(await rejection(findTool(refused, "x"))).toMatchObject({
      code: "permission_denied",
      message: expect.stringContaining(`allowOrigins: ["${other.origin}"]`) as string,
    });
    expect(other.requests).toHaveLength(0);

    await using given = openApiSource(`${host.origin}/openapi.json`, {
      ...allowed,
      allowOrigins: [other.origin],
      credentialOrigins: [other.origin],
    });
    await given.ready;
    await call(findTool(given, "x"));
    expect(other.last.headers["authorization"]).toBe("Bearer T-SECRET");
  });

  test("at the first origin if a redirect leads to another", async () => {
    await using other = await RecordingServer.start();
    server.answer = (_recorded, response) =>
      response.writeHead(302, { location: `${other.origin}/y?key%26=KEY%2B123` }).end();
    await send([{ query_key: [], header_key: [], cookie_key: [], bearer: [] }], {
      auth,
      headers: { "X-Own": "1" },
      allowOrigins: [other.origin],
      credentialOrigins: [other.origin],
    });
    server.answer = respond(200, "application/json", "{}");
    const { headers, query } = other.last;
    expect([
      headers["authorization"],
      headers["x-key"],
      headers["cookie"],
      headers["x-own"],
    ]).toEqual(Array.from({ length: 4 }, () => undefined));
    expect(query).toBe("");
  });
});

describe("a function that has no credential for a request", () => {
  const asked: string[] = [];
  const none = ({ scheme }: { scheme: string }): undefined => {
    asked.push(scheme);
  };

  test("does not block requests for which the document requires none, such as signing in", async () => {
    asked.length = 0;
    const { headers } = await send(undefined, { auth: { bearer: none } });
    expect(headers["authorization"]).toBeUndefined();
    expect(asked).toEqual(["bearer"]);
  });

  test("does not prevent the document from loading", async () => {
    const document = { openapi: "3.1.0", info: { title: "Test", version: "1" }, paths: {} };
    server.answer = respond(200, "application/json", JSON.stringify(document));
    await using source = openApiSource(`${server.origin}/openapi.json`, { auth: { bearer: none } });
    await source.ready;
    server.answer = respond(200, "application/json", "{}");
    expect(source.tools()).toEqual([]);
  });

  test("is treated as a missing credential: the next alternative is sent, or nothing", async () => {
    const schemes = { bearer: none };
    const either = [{ bearer: [] }, { header_key: [] }];
    const second = await send(either, { auth: { schemes, apiKey: "KEY+123" } });
    expect(second.headers).toMatchObject({ "x-key": "KEY+123" });
    const both = [{ header_key: [], bearer: [] }, {}];
    const optional = await send(both, { auth: { schemes, apiKey: "KEY+123" } });
    expect(optional.headers["x-key"]).toBeUndefined();
    const required = await send([{ bearer: [] }], { auth: { schemes } });
    expect(required.headers["authorization"]).toBeUndefined();
  });
});

test.each([null, "", 7])(
  "a secret that is not a string, or empty, is auth_required, and nothing is sent: %j",
  async (secret) => {
    for (const value of [() => secret, () => Promise.resolve(secret)]) {
      await using source = await openSource(
        { "/x": { get: { operationId: "x", responses: ok } } },
        { baseUrl: server.origin, auth: { bearer: value as () => string } },
      );
      const before = server.requests.length;
      expect(await rejection(findTool(source, "x"))).toMatchObject({
        code: "auth_required",
        message: expect.stringContaining('"bearer"') as string,
      });
      expect(server.requests).toHaveLength(before);
    }
  },
);
