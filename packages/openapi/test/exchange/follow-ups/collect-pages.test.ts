import { describe, expect, test } from "vitest";
import type { OpenApiOptions } from "../../../src/index.ts";
import { openApiSource } from "../../../src/index.ts";
import type { Answer } from "@toolweave/test-support/recording-server";
import { openApi, readTexts, type CalledApi } from "../../support/start-api.ts";

const cursor = { name: "cursor", in: "query", schema: { type: "string" } };
const size = { name: "size", in: "query", schema: { type: "integer" } };
const responses = { "200": { description: "ok" } };
const paths = {
  "/items": {
    get: { operationId: "listItems", parameters: [cursor, size], responses },
    post: { operationId: "searchItems", parameters: [cursor], responses },
  },
};

/** Five items, two on a page. */
const pages: Answer = ({ query }, response) => {
  const from = Number(new URLSearchParams(query).get("cursor") ?? 0);
  const items = [0, 1, 2, 3, 4].slice(from, from + 2).map((id) => ({ id }));
  const next = from + 2 < 5 ? { next_cursor: `${from + 2}` } : {};
  response.setHeader("content-type", "application/json").end(JSON.stringify({ items, ...next }));
};

const api = (
  collectPages?: OpenApiOptions["collectPages"],
  answer = pages,
  settings: Parameters<typeof openApi>[3] = {},
): Promise<CalledApi> =>
  openApi(paths, answer, collectPages === undefined ? {} : { collectPages }, settings);

const getIds = (outcome: unknown): unknown =>
  (outcome as { result: { value: { items: { id: number }[] } } }).result.value.items.map(
    ({ id }) => id,
  );

describe("a page of a list", () => {
  test("names the arguments for the next one, and no others are needed", async () => {
    const { call } = await api();
    const first = await call("list_items", { size: 2 });
    expect(readTexts(first).slice(1)).toEqual([
      '[more: call list_items again with "cursor": "2", the rest as it was]',
    ]);
    expect(first).toMatchObject({
      result: { details: { next: { tool: "list_items", arguments: { size: 2, cursor: "2" } } } },
    });
    const last = await call("list_items", { size: 2, cursor: "4" });
    expect(readTexts(last)).toHaveLength(1);
    expect(JSON.stringify(last)).not.toContain('"next"');
  });
});

describe("pages that are collected", () => {
  test("are a result even if the items nest too deep to be serialized", async () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const answer: Answer = (_, response) => {
      response
        .setHeader("content-type", "application/json")
        .end(`{"items":[{"id":1,"deep":${deep}}],"next_cursor":"2"}`);
    };
    const { call } = await api({ maxPages: 2 }, answer);
    expect(await call("list_items", { size: 2, cursor: "2" })).toMatchObject({
      status: "completed",
    });
    const outcome = await call("list_items", { size: 2 });
    expect(outcome).toMatchObject({ status: "completed", result: { isError: false } });
    expect(readTexts(outcome)[0]).toBe("[the items are nested too deep to be serialized]");
  });

  test("are one list, to the last", async () => {
    const { call, server } = await api({ maxPages: 10 });
    const outcome = await call("list_items", { size: 2 });
    expect(getIds(outcome)).toEqual([0, 1, 2, 3, 4]);
    expect(outcome).toMatchObject({
      result: { isError: false, details: { status: 200, pages: 3 } },
    });
    expect(readTexts(outcome).slice(1)).toEqual(["[3 pages, 5 items]"]);
    expect(server.requests.map(({ query }) => query)).toEqual([
      "size=2",
      "cursor=2&size=2",
      "cursor=4&size=2",
    ]);
  });

  test.each([
    ["pages", { maxPages: 2 }],
    ["items", { maxPages: 10, maxItems: 3 }],
  ])("end at the limit of %s, and name the next page", async (_what, bound) => {
    const { call, server } = await api(bound);
    const outcome = await call("list_items");
    expect(getIds(outcome)).toEqual([0, 1, 2, 3]);
    expect(server.requests).toHaveLength(2);
    expect(readTexts(outcome).slice(1)).toEqual([
      "[2 pages, 4 items]",
      '[more: call list_items again with {"cursor":"4"}]',
    ]);
    expect(outcome).toMatchObject({
      result: { details: { pages: 2, next: { tool: "list_items", arguments: { cursor: "4" } } } },
    });
  });

  test("never include the first again", async () => {
    const { call, server } = await api({ maxPages: 50 }, ({ query }, response) => {
      const next = query === "cursor=a" ? "b" : "a";
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ items: [{ id: next }], next_cursor: next }));
    });
    expect(getIds(await call("list_items", { cursor: "a" }))).toEqual(["b", "a"]);
    expect(server.requests).toHaveLength(2);
  });

  test("may be as long as an answer can be", async () => {
    const page = JSON.stringify(Array.from({ length: 300_000 }, () => 1));
    const { call } = await api({ maxPages: 2 }, ({ query }, response) => {
      response.setHeader("content-type", "application/json");
      response.end(`{"items":${page},"next_cursor":"${query === "" ? "b" : "c"}"}`);
    });
    expect(readTexts(await call("list_items"))).toContain("[2 pages, 600000 items]");
  });

  test("end if the API repeats a page", async () => {
    const { call, server } = await api({ maxPages: 50 }, ({ query }, response) => {
      const next = query === "cursor=a" ? "b" : "a";
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ items: [{ id: 1 }], next_cursor: next }));
    });
    const outcome = await call("list_items");
    expect(server.requests).toHaveLength(3);
    expect(readTexts(outcome).slice(1)).toEqual([
      "[3 pages, 3 items; the API's next page was already read]",
    ]);
  });

  test("of which one fails are an error with the received items, and with the next page", async () => {
    const { call } = await api({ maxPages: 10 }, (recorded, response) => {
      if (recorded.query === "cursor=2") response.writeHead(503).end();
      else pages(recorded, response);
    });
    const outcome = await call("list_items");
    expect(getIds(outcome)).toEqual([0, 1]);
    expect(outcome).toMatchObject({
      error: { code: "upstream", status: 503 },
      result: { isError: true, details: { next: { arguments: { cursor: "2" } } } },
    });
    expect(readTexts(outcome)[1]).toContain("1 page, 2 items; page 2 could not be read:");
  });

  test("are calls under the same limits", async () => {
    const { executor } = await api({ maxPages: 10 });
    const run = executor.startRun({ limits: { calls: 2 } });
    const outcome = await run.execute({ id: "1", name: "list_items", arguments: {} });
    expect(outcome).toMatchObject({ error: { code: "limit_exceeded" }, result: { isError: true } });
    expect(getIds(outcome)).toEqual([0, 1, 2, 3]);
  });

  test("are read by read-only tools only", async () => {
    const { call, server } = await api({ maxPages: 10 });
    await call("search_items");
    expect(server.requests).toHaveLength(1);
  });

  test.each([{ maxPages: 0 }, { maxPages: 1.5 }, { maxPages: 2, maxItems: 0 }, {}])(
    "cannot have the limit %j",
    (collectPages) => {
      expect(() =>
        openApiSource.fromDocument({}, { collectPages: collectPages as { maxPages: number } }),
      ).toThrow(/collectPages/);
    },
  );
});
