import { describe, expect, test } from "vitest";
import { evaluateLinkValue } from "../../../src/exchange/follow-ups/linked-calls.ts";
import { openApi, readTexts } from "../../support/start-api.ts";
import { respond } from "@toolweave/test-support/recording-server";

const schema = { type: "object", properties: { id: { type: "integer" } } };
const json = { "application/json": { schema } };
const paths = {
  "/thing": {
    get: { operationId: "getThing", responses: { "200": { description: "ok", content: json } } },
  },
  "/items": {
    get: {
      operationId: "listItems",
      parameters: [{ name: "cursor", in: "query", schema: { type: "string" } }],
      responses: { "200": { description: "ok" } },
    },
  },
};
const warning = "The value holds integers beyond 2^53 rounded; the content has their digits: ";

describe("an integer beyond 2^53 in an answer", () => {
  test("has its digits for the model, is an integer in the value, and the host is warned", async () => {
    const body = '{"id":1234567890123456789}';
    const { call } = await openApi(paths, respond(200, "application/json", body));
    const outcome = await call("get_thing");
    expect(outcome).toMatchObject({
      status: "completed",
      result: {
        isError: false,
        value: JSON.parse(body),
        details: { warnings: [`${warning}1234567890123456789.`] },
      },
    });
    expect(readTexts(outcome)).toEqual([body]);
  });

  test("has its digits in collected pages", async () => {
    const api = await openApi(
      paths,
      ({ query }, response) => {
        const page = query === "cursor=2" ? "9007199254740995" : "9007199254740993";
        const next = query === "cursor=2" ? "" : ',"next_cursor":"2"';
        response
          .setHeader("content-type", "application/json")
          .end(`{"items":[{"id":${page}}]${next}}`);
      },
      { collectPages: { maxPages: 3 } },
    );
    const [text] = readTexts(await api.call("list_items"));
    expect(text).toBe('{"items":[{"id":9007199254740993},{"id":9007199254740995}]}');
  });

  test("has its digits in streamed items", async () => {
    const lines = '{"id":9007199254740993}\n{"id":9007199254740995}\n';
    const { call } = await openApi(paths, respond(200, "application/x-ndjson", lines));
    expect(readTexts(await call("get_thing"))).toEqual([
      '[{"id":9007199254740993},{"id":9007199254740995}]',
    ]);
  });

  test("is not proposed for another call, since the rounded value would differ", () => {
    const facts = { responseBody: JSON.parse('{"id":9007199254740993}') } as never;
    expect(evaluateLinkValue("$response.body#/id", facts)).toBeUndefined();
    expect(evaluateLinkValue("user-{$response.body#/id}", facts)).toBeUndefined();
  });
});
