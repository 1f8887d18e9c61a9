import type { JsonObject } from "@toolweave/core";
import { describe, expect, it } from "vitest";
import { executorOver, opened } from "../support/open-source.ts";
import { rawHttp, type RawExchange } from "../support/raw-http.ts";

const tool = (name: string): object => ({ name, inputSchema: { type: "object" } });
type Answer = (exchange: RawExchange, cursor: unknown) => unknown;

/** A server whose lists have a page that names `nextCursor`; further ones are answered by `more`. */
async function paged(nextCursor: unknown, more: Answer, timeoutMs = 30_000) {
  const lists: [string, JsonObject][] = [];
  const url = await rawHttp((exchange) => {
    const { message, request, response, json } = exchange;
    const { method = "", params = {} } = message;
    if (method === "initialize") {
      const capabilities = { tools: {}, resources: {}, prompts: {} };
      return json({
        result: {
          protocolVersion: "2025-11-25",
          capabilities,
          serverInfo: { name: "p", version: "1" },
        },
      });
    }
    if (request.method === "GET" || method === "server/discover")
      return response.writeHead(405).end();
    if (!method.endsWith("/list")) return response.writeHead(202).end();
    lists.push([method, params as JsonObject]);
    if ("cursor" in params) return more(exchange, params["cursor"]);
    return json({
      result: {
        tools: [tool("a"), tool("b")],
        resources: [{ uri: "file:///a", name: "a" }],
        resourceTemplates: [{ uriTemplate: "file:///{a}", name: "a" }],
        prompts: [{ name: "a" }],
        nextCursor,
      },
    });
  });
  const source = opened({
    name: "s",
    url,
    prefix: false,
    resources: true,
    prompts: true,
    timeoutMs,
  });
  const cursors = (method: string): unknown[] =>
    lists.filter(([name]) => name === method).map(([, { cursor }]) => cursor);
  return { source, cursors };
}

const last: Answer = ({ json }) => json({ result: { tools: [tool("c")] } });
const names = ({ source }: Awaited<ReturnType<typeof paged>>): string[] =>
  source
    .tools()
    .map(({ spec }) => spec.name)
    .filter((name) => !name.includes("_"));
const problems = ({ source }: Awaited<ReturnType<typeof paged>>): unknown[] =>
  source.problems.map(({ subject, severity, message }) => [subject, severity, message]);

describe("a list whose second page", () => {
  it.each<[string, unknown, Answer, string]>([
    [
      'is refused for the cursor ""',
      "",
      ({ json }) => json({ error: { code: -32_602, message: "Invalid cursor" } }),
      "could not be read: Invalid cursor",
    ],
    [
      "is refused with -32603",
      "2",
      ({ json }) => json({ error: { code: -32_603, message: "Oh no." } }),
      "could not be read: Oh no",
    ],
    [
      "is answered with 500",
      "2",
      ({ response }) => response.writeHead(500).end("Oh no"),
      "could not be read: The server answered with the status 500",
    ],
    [
      "ends without an answer",
      "2",
      ({ stream, response }) => {
        stream();
        response.end();
      },
      "could not be read: the server ended its response before it was complete",
    ],
    [
      "repeats the first",
      "",
      ({ json }) => json({ result: { tools: [tool("a"), tool("b")], nextCursor: "" } }),
      "page 2 repeats the one before it",
    ],
    ["is named by an object", {}, last, "the nextCursor of page 1 is not a string"],
  ])("%s has the first, and one warning", async (_, cursor, more, fault) => {
    const list = await paged(cursor, more);
    await list.source.ready;
    expect(names(list)).toEqual(["a", "b"]);
    expect(problems(list)).toEqual([["tools/list", "warning", expect.stringContaining(fault)]]);
  });

  it("is not answered has the first, and a warning", async () => {
    const list = await paged("2", () => {}, 1_000);
    await list.source.ready;
    expect(names(list)).toEqual(["a", "b"]);
    expect(problems(list)).toEqual([
      ["tools/list", "warning", expect.stringContaining("did not answer in time")],
    ]);
  });

  it.each([["2"], [2], [0], [""]])("is named by %j has both", async (cursor) => {
    const list = await paged(cursor, last);
    await list.source.ready;
    expect(names(list)).toEqual(["a", "b", "c"]);
    expect(problems(list)).toEqual([]);
    expect(list.cursors("tools/list")).toEqual([undefined, cursor]);
  });

  it.each([[undefined], [null]])("does not exist (%j) has the first", async (cursor) => {
    const list = await paged(cursor, last);
    await list.source.ready;
    expect(names(list)).toEqual(["a", "b"]);
    expect(problems(list)).toEqual([]);
  });

  it("fails after a complete list has the tools of that", async () => {
    let isFailing = false;
    const list = await paged("2", (exchange, cursor) =>
      isFailing ? exchange.response.writeHead(500).end() : last(exchange, cursor),
    );
    await list.source.ready;
    isFailing = true;
    await list.source.refresh().catch(() => {});
    expect(names(list)).toEqual(["a", "b", "c"]);
    expect(list.source.problems).toHaveLength(1);
  });

  it.each([
    ["list_resources", "resources"],
    ["list_resource_templates", "resourceTemplates"],
    ["list_prompts", "prompts"],
  ])("fails has the first and a warning, also of %s", async (name, member) => {
    const list = await paged("2", ({ response, message, json }) =>
      message.method === "tools/list"
        ? json({ result: { tools: [] } })
        : response.writeHead(500).end(),
    );
    await list.source.ready;
    const outcome = await executorOver(list.source).execute({ id: "1", name, arguments: {} });
    expect(outcome).toMatchObject({
      result: {
        value: {
          [member]: [{ name: "a" }],
          warning: expect.stringContaining("page 2 could not be read"),
        },
      },
    });
    expect(problems(list)).toEqual([
      [expect.any(String), "warning", expect.stringContaining("may be incomplete: page 2 could")],
    ]);
  });
});
