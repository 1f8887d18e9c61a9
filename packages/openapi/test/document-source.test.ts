// A document changes while its tools are in use: equal tools stay, and the difference is one
// change.
import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ToolExecutor, type Interruption, type JsonObject } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import { openApiSource } from "../src/index.ts";
import { folder } from "./support/open-documents.ts";
import { api, before, file, get, loaded, pet, served, tool } from "./support/refresh-source.ts";

describe("a refreshed document", () => {
  test("with the same content changes nothing", async () => {
    const it = await file();
    const tools = it.source.tools();
    it.write(`${JSON.stringify(before, null, 2)}\n`);
    await it.source.refresh();
    expect(it.source.tools()).toBe(tools);
    expect(it.diffs).toEqual([]);
  });

  test("follows symbolic links to their current targets, and not out of its folder", async () => {
    const place = folder({
      "api.json": api({ "/b": get("b", { $ref: "now/b.json" }) }),
      "v1/b.json": { type: "string" },
      "v2/b.json": { type: "integer" },
    });
    const outside = folder({ "b.json": { type: "boolean" } });
    const link = (to: string): void => {
      rmSync(join(place, "now"), { force: true });
      symlinkSync(to, join(place, "now"));
    };
    link("v1");
    const it = await loaded(join(place, "api.json"));
    const type = (): unknown => JSON.stringify(tool(it, "b")?.argumentsSchema);
    expect(type()).toContain('"string"');
    link("v2");
    await it.source.refresh();
    expect(type()).toContain('"integer"');
    link(outside);
    await it.source.refresh();
    it.source.realize();
    expect(it.source.tools()).toEqual([]);
    expect(it.source.problems[0]?.message).toMatch(/lies outside the document's folder/);
  });

  test("is one diff, and unchanged operations keep their tools and cached data", async () => {
    const it = await file();
    const a = tool(it, "a");
    const schema = a.spec.inputSchema;
    const b = tool(it, "b");
    it.write(api({ "/a": get("a"), "/b": get("b", { type: "integer" }), "/d": get("d") }));
    await it.source.refresh();
    expect(it.diffs).toEqual([{ added: ["d"], removed: ["c"], changed: ["b"], version: 2 }]);
    expect(tool(it, "a")).toBe(a);
    expect(a.spec.inputSchema).toBe(schema);
    expect(tool(it, "b")).not.toBe(b);
    expect(tool(it, "b").spec.inputSchema).toMatchObject({
      properties: { q: { type: "integer" } },
    });
    expect(JSON.stringify(b.spec.inputSchema)).toContain("owner");
  });

  test.for<[string, JsonObject, readonly string[]]>([
    [
      "a schema that others refer to",
      {
        components: {
          schemas: {
            ...(before["components"] as { schemas: JsonObject }).schemas,
            Owner: { type: "string" },
          },
        },
      },
      ["b"],
    ],
    ["the servers", { servers: [{ url: "https://evil.example" }] }, ["a", "b", "c"]],
    ["the security requirements", { security: [{ key: [] }] }, ["a", "b", "c"]],
    [
      "a part that no operation depends on",
      { info: { title: "Other", version: "2" }, tags: [{ name: "x" }] },
      [],
    ],
  ])("changes the operations that depend on %s", async ([, more, changed]) => {
    const it = await file();
    it.write({ ...before, ...more });
    await it.source.refresh();
    expect(it.diffs.map((diff) => diff.changed)).toEqual(changed.length === 0 ? [] : [changed]);
  });

  test("changes operations whose security scheme has changed, and nothing else", async () => {
    const scheme = { type: "http", scheme: "bearer" };
    const guarded = { get: { ...(get("a")["get"] as JsonObject), security: [{ key: [] }] } };
    const document = api({ "/a": guarded, "/c": get("c") });
    const it = await file();
    it.write({ ...document, components: { securitySchemes: { key: scheme } } });
    await it.source.refresh();
    it.write({
      ...document,
      components: { securitySchemes: { key: { ...scheme, scheme: "basic" } } },
    });
    await it.source.refresh();
    expect(it.diffs.at(-1)).toMatchObject({ added: [], removed: [], changed: ["a"] });
  });

  test.for<[string, (path: JsonObject) => JsonObject, JsonObject]>([
    ["its server", (path) => path, { servers: [{ url: "https://evil.example" }] }],
    ["its credentials", (path) => path, { security: [{ other: [] }] }],
    [
      "the place of an argument",
      (path) => ({
        post: {
          ...(path["post"] as JsonObject),
          parameters: [{ name: "q", in: "header", schema: { type: "string" } }],
        },
      }),
      {},
    ],
  ])("resets the approvals of an operation that changed %s", async ([, change, more]) => {
    const { get: operation } = get("a") as { get: JsonObject };
    const it = await file();
    it.write(api({ "/a": { post: operation } }));
    await it.source.refresh();
    const executor = new ToolExecutor({ registry: it.registry, policy: "supervised" });
    const call = { name: "a", arguments: { q: "x" } };
    const pending = await executor.execute({ id: "1", ...call });
    it.write(api({ "/a": change({ post: operation }) }, {}, more));
    await it.source.refresh();
    const resumed = await executor.resume(
      (pending as { interruption: Interruption }).interruption,
      [{ type: "approve" }],
    );
    expect(resumed).toMatchObject({ status: "failed", error: { code: "approval_invalid" } });
  });

  test("that is broken keeps the tools, is reported, and the report ends with the next good one", async () => {
    const it = await file();
    const tools = it.source.tools();
    it.write("{ broken");
    await expect(it.source.refresh()).rejects.toMatchObject({ code: "invalid_arguments" });
    expect(it.source.tools()).toBe(tools);
    expect(it.source.problems).toMatchObject([
      {
        subject: "test",
        severity: "warning",
        message: expect.stringMatching(/could not be reloaded.*not valid/) as string,
      },
    ]);
    it.write(before);
    await it.source.refresh();
    expect(it.source.tools()).toBe(tools);
    expect(it.source.problems).toEqual([]);
    expect(it.diffs).toEqual([]);
  });

  test("keeps the problems of unchanged operations, including broken ones", async () => {
    const broken = { get: { parameters: [7], responses: {} } };
    const guessed = get("guessed");
    const document = api({ "/broken": broken, "/{id}": guessed, "/gone/{id}": get("gone") });
    const it = await file();
    it.write(document);
    await it.source.refresh();
    it.source.realize();
    expect(it.source.problems).toHaveLength(3);
    it.write({ ...document, paths: { "/broken": broken, "/{id}": guessed, "/new": get("n") } });
    await it.source.refresh();
    it.source.realize();
    expect(it.source.tools().map(({ spec }) => spec.name)).toEqual(["guessed", "n"]);
    expect(it.source.problems.map(({ subject }) => subject).toSorted()).toEqual([
      "GET /broken",
      "GET /{id}",
    ]);
  });

  test("that is repaired makes a tool of a broken operation", async () => {
    const it = await file();
    it.write(api({ "/a": { get: { operationId: "a", parameters: [7] } } }));
    await it.source.refresh();
    it.source.realize();
    expect(it.source.tools()).toEqual([]);
    it.write(api({ "/a": get("a") }));
    await it.source.refresh();
    it.source.realize();
    expect(it.source.tools()).toHaveLength(1);
    expect(it.source.problems).toEqual([]);
  });

  test("loads once for all simultaneous requests, and never twice at once", async () => {
    const it = await file();
    it.write(api({ "/a": get("a") }));
    const asked = [it.source.refresh(), it.source.refresh(), it.source.refresh()];
    expect(new Set(asked).size).toBe(1);
    await Promise.all(asked);
    expect(it.diffs).toHaveLength(1);
  });

  test("of several files reads only the opened files again", async () => {
    const root = api({ "/a": { $ref: "a.json" }, "/b": get("b", { $ref: "b.json" }) });
    const place = folder({ "api.json": root, "a.json": get("a"), "b.json": pet });
    const it = await loaded(join(place, "api.json"));
    void tool(it, "a").spec.inputSchema;
    writeFileSync(join(place, "b.json"), `{"type":"integer"}`);
    await it.source.refresh();
    expect(it.diffs).toEqual([]);
    expect(JSON.stringify(tool(it, "b").spec.inputSchema)).toContain(`"integer"`);
    writeFileSync(join(place, "a.json"), JSON.stringify(get("a", { type: "boolean" })));
    await it.source.refresh();
    expect(it.diffs).toMatchObject([{ changed: ["a"] }]);
    rmSync(join(place, "b.json"));
    await it.source.refresh();
    expect(it.diffs).toMatchObject([{ changed: ["a"] }, { changed: ["b"] }]);
  });

  test("that is an object stays the same, and cannot be watched", async () => {
    const source = openApiSource.fromDocument(before);
    await source.ready;
    await source.refresh();
    expect(source.tools()).toHaveLength(3);
    expect(() => openApiSource.fromDocument(before, { watch: true })).toThrow(/watch requires/);
    expect(() => openApiSource("./api.json", { watch: 0 })).toThrow(/watch is 0/);
  });

  test("is not loaded by a closed source", async () => {
    const it = await file();
    await it.source.close();
    await expect(it.source.refresh()).rejects.toMatchObject({ code: "unavailable" });
    expect(it.source.tools()).toEqual([]);
  });
});

describe("a document on the web", () => {
  test("is requested with its ETag, and a 304 answer costs nothing", async () => {
    let etag = '"1"';
    let document = before;
    const { url, seen } = await served((request) =>
      request.headers["if-none-match"] === etag
        ? { status: 304 }
        : { headers: { etag }, body: document },
    );
    const it = await loaded(url);
    const tools = it.source.tools();
    await it.source.refresh();
    expect(seen.map(({ headers }) => headers["if-none-match"])).toEqual([undefined, '"1"']);
    expect(it.source.tools()).toBe(tools);
    etag = '"2"';
    document = api({ "/a": get("a") });
    await it.source.refresh();
    await it.source.refresh();
    expect(seen.map(({ headers }) => headers["if-none-match"])).toEqual([
      undefined,
      '"1"',
      '"1"',
      '"2"',
    ]);
    expect(it.diffs).toMatchObject([{ added: [], removed: ["b", "c"], changed: [] }]);
  });

  test("without ETag is requested with its date, and compared", async () => {
    const { url, seen } = await served(() => ({
      headers: { "last-modified": "Fri, 20 Nov 2026 10:00:00 GMT" },
      body: before,
    }));
    const it = await loaded(url);
    for (let count = 0; count < 3; count++) await it.source.refresh();
    expect(seen.at(-1)?.headers["if-modified-since"]).toBe("Fri, 20 Nov 2026 10:00:00 GMT");
    expect(it.diffs).toEqual([]);
  });

  test("keeps its tools while the server or a referenced file is unavailable", async () => {
    let away = "";
    const root = api({ "/b": get("b", { $ref: "pet.json" }) });
    const { url } = await served(({ url: path = "" }) =>
      path === away ? { status: 503 } : { body: path === "/pet.json" ? pet : root },
    );
    const it = await loaded(url);
    for (away of ["/api.json", "/pet.json"]) {
      await expect(it.source.refresh()).rejects.toMatchObject({ code: "unavailable" });
      expect(it.source.problems).toMatchObject([{ severity: "warning" }]);
    }
    away = "";
    await it.source.refresh();
    expect(it.source.problems).toEqual([]);
    expect(it.diffs).toEqual([]);
  });
});
