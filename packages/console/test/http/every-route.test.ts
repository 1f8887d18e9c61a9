import { beforeAll, describe, expect, test } from "vitest";
import { createParts } from "../../src/api-parts.ts";
import type { Route } from "../../src/openapi/route.ts";
import { origin, TestConsole, type Sender } from "../support/test-console.ts";

interface Sent {
  readonly method: Route["method"];
  readonly path: string;
  readonly scope: Route["scope"];
}

const { executor, pendingCalls, sessions } = new TestConsole();
const parts = createParts({ executor, stores: { pendingCalls }, sessions });
const routes: readonly Sent[] = parts
  .flatMap((part) => part.routes)
  .map(({ method, path, scope }) => ({ method, path: path.replaceAll(/\{\w+\}/g, "add"), scope }));
const named = routes.map((route) => [`${route.method} ${route.path}`, route] as const);

let console: TestConsole;
let tools: string;
beforeAll(async () => {
  console = new TestConsole();
  tools = JSON.stringify((await console.send("/api/tools")).body);
});

/** Sends the request of a route, with a body where it needs one. */
function send(
  { method, path, scope }: Sent,
  headers: Readonly<Record<string, string>> = {},
  as: Sender = "session",
) {
  return console.send(path, {
    method,
    as: scope === "code" ? null : as,
    headers,
    ...(method === "POST" ? { json: {} } : {}),
  });
}

describe.each(named)("%s", (_, route) => {
  test.each([
    ["a name that resolves here (DNS rebinding)", { host: "evil.test:8138" }],
    ["localhost", { host: "localhost:8138" }],
    ["another port", { host: "127.0.0.1:8139" }],
    ["no port", { host: "127.0.0.1" }],
    ["every address", { host: "0.0.0.0:8138" }],
    ["two hosts", { host: "127.0.0.1:8138, evil.test" }],
    ["user information", { host: "evil@127.0.0.1:8138" }],
    ["no host", { host: "" }],
  ])("is refused for %s", async (__, headers) => {
    const { status, body } = await send(route, headers);
    expect([status, body["code"]]).toEqual([403, "host_not_allowed"]);
  });

  test.each([
    ["another origin", { origin: "https://evil.test" }],
    ["another port of this machine", { origin: "http://127.0.0.1:1" }],
    ["localhost", { origin: "http://localhost:8138" }],
    ["https", { origin: "https://127.0.0.1:8138" }],
    ["a sandboxed page", { origin: "null" }],
    ["another site", { "sec-fetch-site": "cross-site" }],
    ["a sibling", { "sec-fetch-site": "same-site" }],
    ["the address bar", { "sec-fetch-site": "none" }],
    ["a value that browsers do not send", { "sec-fetch-site": "same-origin, none" }],
  ])("is refused from %s, without CORS headers", async (__, sent) => {
    const { status, body, headers } = await send(route, sent);
    expect([status, body["code"]]).toEqual([403, "origin_not_allowed"]);
    const names = [...headers.keys()];
    expect(names.filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  test("refuses a preflight, also of its own origin", async () => {
    const headers = { origin, "access-control-request-method": route.method };
    const response = await console.send(route.path, { method: "OPTIONS", headers });
    expect(response.status).toBe(403);
    const names = [...response.headers.keys()];
    expect(names.filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  test.each(["PUT", "PATCH", "HEAD", "PROPFIND"])("has no method %s", async (method) => {
    for (const as of ["session", null] as const) {
      const response = await console.fetch(route.path, { method, as });
      expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, POST, DELETE"]);
    }
  });

  test("has the headers of the API", async () => {
    const { headers } = await send(route, { host: "" });
    expect(Object.fromEntries(headers)).toMatchObject({
      "cache-control": "no-store",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "same-origin",
      "referrer-policy": "no-referrer",
    });
    expect(headers.get("set-cookie")).toBeNull();
  });
});

describe.each(named.filter(([, { method }]) => method === "POST"))("%s", (_, route) => {
  test.each([
    ["text/plain", "text/plain"],
    ["a form", "application/x-www-form-urlencoded"],
    ["a form with files", "multipart/form-data; boundary=x"],
    ["JSON in another charset", "application/json; charset=utf-16"],
    ["two types", "application/json, text/plain"],
    ["none", ""],
  ])("with the content type of %s is 415", async (__, type) => {
    const { status } = await send(route, { "content-type": type });
    expect(status).toBe(415);
  });

  test("with more than 4 MiB is 413", async () => {
    const { method, path, scope } = route;
    const response = await console.send(path, {
      method,
      as: scope === "code" ? null : "session",
      headers: { "content-type": "application/json" },
      body: new Uint8Array(4_194_305).fill(0x20),
    });
    expect([response.status, response.headers.get("connection")]).toEqual([413, "close"]);
  });
});

const withToken = named.filter(([, { scope }]) => scope !== "code");

describe.each(withToken)("%s", (_, route) => {
  test.each([
    ["without a token", {}],
    ["with a code in place of a token", { authorization: `Bearer ${sessions.createCode()}` }],
    ["with the token of another process", { authorization: `Bearer ${"a".repeat(43)}` }],
    ["with a cookie", { cookie: "token=x; session=x" }],
  ])("%s is 401", async (__, headers) => {
    const response = await send(route, headers, null);
    expect([response.status, response.body["code"]]).toEqual([401, "unauthenticated"]);
  });

  test("is in reach of a program's token only with its scope, and never if it decides", async () => {
    for (const [as, scopes] of [
      ["reader", ["read"]],
      ["agent", ["read", "call"]],
    ] as const) {
      if ((scopes as readonly string[]).includes(route.scope)) continue;
      const { status, body, headers } = await send(route, {}, as);
      expect([status, body["code"], body["scope"]]).toEqual([
        403,
        "insufficient_scope",
        route.scope,
      ]);
      expect(headers.get("www-authenticate")).toContain(`scope="${route.scope}"`);
    }
  });
});

test("what answers, revokes or decides in any other way needs the scope decide", () => {
  const deciding = routes.filter(({ scope }) => scope === "decide").map(({ path }) => path);
  expect(deciding).toEqual(["/api/approvals/add/answers", "/api/grants/add"]);
});

test("refused requests have changed nothing", async () => {
  expect(console.effects).toEqual([]);
  expect(JSON.stringify((await console.send("/api/tools")).body)).toBe(tools);
});
