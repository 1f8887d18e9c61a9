import type { JsonObject, JsonValue } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import {
  findLinkedCalls,
  evaluateLinkValue,
  type ExchangeFacts,
} from "../../../src/exchange/follow-ups/linked-calls.ts";
import { openApi, readTexts } from "../../support/start-api.ts";

const facts: ExchangeFacts = {
  url: "https://api.test/users/7?deep=true",
  method: "GET",
  status: 201,
  requestBody: { user: { uuid: "u-1" } },
  responseBody: { status: { "a/b": [1, "two"] }, count: 3 },
  parameter: (location, name) =>
    new Map<string, JsonValue>([
      ["path.id", 7],
      ["query.deep", true],
    ]).get(`${location}.${name}`),
  header: (name) => (name === "location" ? "https://api.test/things/9" : undefined),
};

describe("a runtime expression (OpenAPI 3.2, section 4.20.4)", () => {
  test.each<[JsonValue, JsonValue | undefined]>([
    ["$url", "https://api.test/users/7?deep=true"],
    ["$method", "GET"],
    ["$statusCode", 201],
    ["$request.path.id", 7],
    ["$request.query.deep", true],
    ["$request.body#/user/uuid", "u-1"],
    ["$response.body#/status/a~1b/1", "two"],
    ["$response.body#/status/a%7E1b/0", 1],
    ["$response.body#/count", 3],
    ["$response.body", facts.responseBody as JsonValue],
    ["$response.header.Location", "https://api.test/things/9"],
    ["user-{$request.path.id}-of-{$response.body#/count}", "user-7-of-3"],
    ["plain", "plain"],
    [5, 5],
    ["$response.body#/none", undefined],
    ["$response.body#/status/constructor", undefined],
    ["$request.query.none", undefined],
    ["$response.query.deep", undefined],
    ["{$response.body#/status}", undefined],
    ["$unknown", undefined],
  ])("%j is %j", (said, value) => {
    expect(evaluateLinkValue(said, facts)).toEqual(value);
  });
});

test("links are searched up to a limit if a document declares very many", () => {
  let looked = 0;
  const links = new Map(Array.from({ length: 10_000 }, (_, index) => [`l${index}`, {}]));
  const find = (): undefined => void (looked += 1);
  expect(findLinkedCalls(links, facts, find)).toEqual([]);
  expect(looked).toBe(100);
});

const id = { name: "id", in: "path", required: true, schema: { type: "integer" } };
const reply = (links: JsonObject): JsonObject => ({ "201": { description: "made", links } });

const paths = (links: JsonObject): JsonObject => ({
  "/users": {
    post: {
      operationId: "createUser",
      requestBody: {
        content: {
          "application/json": {
            schema: { type: "object", properties: { name: { type: "string" } } },
          },
        },
      },
      responses: reply(links),
    },
  },
  "/users/{id}": {
    parameters: [id],
    get: { operationId: "getUser", responses: { "200": { description: "ok" } } },
    patch: {
      operationId: "renameUser",
      requestBody: {
        content: {
          "application/json": {
            schema: { type: "object", properties: { name: { type: "string" } } },
          },
        },
      },
      responses: { "200": { description: "ok" } },
    },
  },
});

async function readLinks(links: JsonObject, prefix?: string): Promise<unknown> {
  const { call } = await openApi(
    paths(links),
    (_request, response) =>
      response.writeHead(201, { "content-type": "application/json" }).end('{"id":7}'),
    prefix === undefined ? {} : { prefix },
  );
  const name = prefix === undefined ? "create_user" : `${prefix}__create_user`;
  const outcome = await call(name, { name: "Ada" });
  if (outcome.status !== "completed") throw new Error(JSON.stringify(outcome));
  return (outcome.result.details as JsonObject)["links"];
}

describe("a link of an answer (OpenAPI 3.2, section 4.20)", () => {
  const parameters = { id: "$response.body#/id" };
  const expected = [{ link: "Get", tool: "get_user", arguments: { id: 7 } }];

  test.each<[string, JsonObject]>([
    ["an operationId", { operationId: "getUser", parameters }],
    ["an operationRef", { operationRef: "#/paths/~1users~1{id}/get", parameters }],
    ["a qualified parameter", { operationId: "getUser", parameters: { "path.id": 7 } }],
  ])("by %s is a call of that tool", async (_how, link) => {
    expect(await readLinks({ Get: link })).toEqual(expected);
  });

  test("has the name of the tool in the source", async () => {
    expect(await readLinks({ Get: { operationId: "getUser", parameters } }, "crm")).toEqual([
      { ...expected[0], tool: "crm__get_user" },
    ]);
  });

  test("may set a body", async () => {
    const link = {
      operationId: "renameUser",
      parameters,
      requestBody: { name: "Grace", other: 1 },
    };
    expect(await readLinks({ Rename: link })).toEqual([
      { link: "Rename", tool: "rename_user", arguments: { id: 7, name: "Grace" } },
    ]);
  });

  test.each<[string, JsonObject]>([
    ["no operation", { operationId: "missing" }],
    ["no argument", { operationId: "getUser", parameters: { other: 1 } }],
    ["nothing", { operationId: "getUser", parameters: { id: "$response.body#/none" } }],
    ["elsewhere", { operationRef: "https://evil.test/openapi.json#/paths/~1x/get" }],
  ])("to %s is not proposed", async (_what, link) => {
    expect(await readLinks({ Get: link })).toBeUndefined();
  });
});

test("a link next to the operation itself is its next page", async () => {
  const list = {
    operationId: "listItems",
    parameters: [{ name: "before_key", in: "query", schema: { type: "string" } }],
    responses: {
      "200": {
        description: "ok",
        links: {
          next: { operationId: "listItems", parameters: { before_key: "$response.body#/oldest" } },
        },
      },
    },
  };
  const { call } = await openApi({ "/items": { get: list } }, (_request, response) =>
    response.setHeader("content-type", "application/json").end('{"items":[1],"oldest":"k1"}'),
  );
  const outcome = await call("list_items");
  expect(readTexts(outcome)[1]).toBe(
    '[more: call list_items again with "before_key": "k1", the rest as it was]',
  );
});
