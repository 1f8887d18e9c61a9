import type { JsonObject } from "@toolweave/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OpenApiOptions } from "../../src/index.ts";
import { RecordingServer } from "@toolweave/test-support/recording-server";
import { call, rejection, openSource, findTool } from "../support/call-tool.ts";

let server: RecordingServer;
beforeAll(async () => {
  server = await RecordingServer.start();
});
afterAll(() => server.close());

const components = {
  securitySchemes: {
    query: { type: "apiKey", in: "query", name: "api_key" },
    cookie: { type: "apiKey", in: "cookie", name: "sid" },
  },
};

const object = { type: "object" };

async function tool(
  parameters: readonly JsonObject[],
  options: OpenApiOptions = {},
): Promise<ReturnType<typeof findTool>> {
  const source = await openSource(
    {
      "/x": {
        get: {
          operationId: "x",
          parameters,
          responses: {},
          security: [{ query: [], cookie: [] }],
        },
      },
    },
    { baseUrl: server.origin, auth: { apiKey: "SECRET" }, ...options },
    { components } as unknown as JsonObject,
  );
  return findTool(source, "x");
}

describe("an object whose keys become separate names", () => {
  const limit = { in: "query", name: "limit", schema: { type: "integer" } };
  const filter = { in: "query", name: "filter", schema: object };
  const prefs = { in: "cookie", name: "prefs", schema: object };
  const whole = {
    in: "querystring",
    name: "all",
    content: { "application/x-www-form-urlencoded": { schema: object } },
  };

  test.each([
    "_method",
    "_METHOD",
    "_method[]",
    ".method",
    "api_key",
    "api.key",
    " api key",
    "api[key",
    "api_key[0]",
    "api_key\u0000",
    "limit",
    "LIMIT[x]",
  ])("must not have the key %j in the query", async (key) => {
    const error = await rejection(await tool([limit, filter]), { filter: { [key]: "x" } });
    expect(error).toMatchObject({
      code: "invalid_arguments",
      message: expect.stringContaining(`"filter" must not contain the key`) as string,
    });
  });

  test("names the key unchanged in the error", async () => {
    const error = await rejection(await tool([filter]), { filter: { _method: "DELETE" } });
    expect((error as Error).message).toContain('"_method"');
  });

  test.each(["_method=DELETE&a", "%5Fmethod", "api_key=mine"])(
    "cannot add one with reserved characters: %s",
    async (key) => {
      const reserved = await tool([{ ...filter, allowReserved: true }]);
      const error = await rejection(reserved, { filter: { [key]: "x" } });
      expect(error).toMatchObject({ code: "invalid_arguments" });
    },
  );

  test("must not have them as the complete query", async () => {
    expect(await rejection(await tool([whole]), { all: { _method: "DELETE" } })).toMatchObject({
      code: "invalid_arguments",
    });
    const text = { ...whole, allowReserved: true, content: { "text/plain": {} } };
    expect(await rejection(await tool([text]), { all: "_method=DELETE" })).toMatchObject({
      code: "invalid_arguments",
    });
  });

  test.each(["sid", "SID", "session"])(
    "must not have a credential's or the host's cookie: %s",
    async (key) => {
      const given = await tool([prefs], { headers: { Cookie: "session=host; b=2" } });
      expect(await rejection(given, { prefs: { [key]: "x" } })).toMatchObject({
        code: "invalid_arguments",
        message: expect.stringContaining(key) as string,
      });
    },
  );

  test("may have every other key, its own included, and any key after its name", async () => {
    await call(await tool([limit, filter]), { filter: { filter: "1", a: 2, method: "x" } });
    expect(server.last.query).toBe("filter=1&a=2&method=x&api_key=SECRET");
    const deep = await tool([{ ...filter, style: "deepObject", explode: true }]);
    await call(deep, { filter: { _method: "x" } });
    expect(server.last.query).toBe("filter%5B_method%5D=x&api_key=SECRET");
  });
});

test("cookies are not an argument as a header, nor under the name of one that the host sends", async () => {
  const schema = { type: "string" };
  const given = await tool(
    [
      { in: "header", name: "Cookie", schema },
      { in: "cookie", name: "session", schema },
      { in: "cookie", name: "theme", schema },
    ],
    { headers: { cookie: "session=host" } },
  );
  expect(Object.keys(given.spec.inputSchema["properties"] as object)).toEqual(["theme"]);
});
