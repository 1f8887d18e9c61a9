import { memoryPendingCalls } from "@toolweave/core/stores";
import { describe, expect, test } from "vitest";
import { consoleHandler } from "../../src/index.ts";
import { failure } from "../support/failure.ts";
import { authenticate } from "../support/open-console.ts";
import { origin, pageFiles, TestConsole } from "../support/test-console.ts";

const screens = [
  "/",
  "/sources",
  "/problems",
  "/tools",
  "/tools/add",
  "/tools/add?arguments=%7B%7D",
  "/runs",
  "/runs/run_1",
  "/approvals",
  "/approvals/1",
  "/grants",
  "/tasks",
  "/tasks/task_1",
  "/artifacts/art_1",
  "/memory",
  "/memory/mem_1",
  "/policy",
  "/audit",
  "/lock",
  "/help",
];

test.each(screens)("%s is the document of the page, without a token", async (path) => {
  const console = new TestConsole();
  const response = await console.fetch(path, { as: null, headers: { "sec-fetch-site": "none" } });
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(response.headers.get("cache-control")).toBe("no-cache");
  expect(await response.text()).toBe("<!doctype html><title>Studio</title>");
});

test("a file with a hash in its name is kept by browsers for a year", async () => {
  const response = await new TestConsole().fetch("/assets/page-1a2b.js", { as: null });
  expect(response.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  expect(response.headers.get("content-length")).toBe("10");
  expect(await response.text()).toBe("export {};");
});

test("every file has the headers of the page", async () => {
  const console = new TestConsole();
  for (const path of ["/", "/assets/page-1a2b.js"]) {
    const { headers } = await console.fetch(path, { as: null });
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-security-policy":
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
      "cross-origin-embedder-policy": "require-corp",
      "permissions-policy": expect.stringContaining("camera=()"),
    });
    expect(headers.get("set-cookie")).toBeNull();
  }
});

test.each([
  "/assets",
  "/assets/",
  "/assets/page-1a2b.js/",
  "/assets/other.js",
  "/assets/%70age-1a2b.js",
  "//assets/page-1a2b.js",
  "/tools/",
  "/tools/a/b",
  "/tools/%2e%2e%2f/x",
  "/index.html%00",
  "/../etc/passwd",
  "/favicon.ico",
  "/package.json",
])("%s is no file, and the response is that of any unknown path", async (path) => {
  const console = new TestConsole();
  const { status, body } = await console.send(path, { as: null });
  const unknown = await console.send("/unknown", { as: null });
  expect([status, body]).toEqual([401, unknown.body]);
});

test.each(["POST", "DELETE", "PUT"])("a file cannot be requested with %s", async (method) => {
  const response = await new TestConsole().send("/", { as: null, method });
  expect(response.status).toBe(405);
});

test.each([
  ["a link of another site", { "sec-fetch-site": "cross-site" }],
  ["a page of another port", { "sec-fetch-site": "same-site" }],
  ["a rebound name", { host: "evil.test:8138" }],
  ["the origin of another page", { origin: "http://127.0.0.1:1" }],
])("the page cannot be opened by %s", async (_, headers) => {
  const { status } = await new TestConsole().send("/", { as: null, headers });
  expect(status).toBe(403);
});

test("without files there is no page", async () => {
  const { executor, pendingCalls } = new TestConsole();
  const stores = { pendingCalls };
  const handler = consoleHandler({ executor, stores, authenticate, origins: [origin] });
  const response = await handler(
    new Request(`${origin}/`, { headers: { host: "127.0.0.1:8138" } }),
  );
  expect(response.status).toBe(401);
});

test("the page is mounted below the path of the API", async () => {
  const { executor, pendingCalls } = new TestConsole();
  const handler = consoleHandler({
    executor,
    stores: { pendingCalls },
    authenticate,
    files: pageFiles,
    origins: [origin],
    path: "/console",
  });
  const get = async (path: string): Promise<number> =>
    (await handler(new Request(`${origin}${path}`, { headers: { host: "127.0.0.1:8138" } })))
      .status;
  expect(await get("/console/")).toBe(200);
  expect(await get("/console/tools/add")).toBe(200);
  expect(await get("/")).toBe(401);
});

describe("files", () => {
  const [, html] = [...pageFiles][0] ?? [];
  test.each([
    ["that are no map", {}],
    ["without a document", new Map([["/a.js", html]])],
    ["with a relative path", new Map([["index.html", html]])],
    [
      "in place of the API",
      new Map([
        ["/index.html", html],
        ["/api/status", html],
      ]),
    ],
    [
      "in place of the session",
      new Map([
        ["/index.html", html],
        ["/session", html],
      ]),
    ],
    ["without bytes", new Map([["/index.html", { mediaType: "text/html", immutable: false }]])],
  ])("%s are refused", (_, files) => {
    const stores = { pendingCalls: memoryPendingCalls() };
    const { executor } = new TestConsole();
    const options = { executor, stores, authenticate, origins: [origin], files };
    expect(failure(() => consoleHandler(options as never)).code).toBe("invalid_configuration");
  });
});
