import { memoryGrants, memoryPendingCalls } from "@toolweave/core/stores";
import { describe, expect, test } from "vitest";
import { consoleHandler, type ProblemDocument } from "../../src/index.ts";
import { authenticate, origin, TestProcess, tokens } from "../support/open-console.ts";
import { deferred } from "../support/deferred.ts";

const openProcess = (): TestProcess =>
  new TestProcess({ pendingCalls: memoryPendingCalls(), grants: memoryGrants() });

/** Every operation of the API, with a body where it takes one. */
const operations = (id: string, digest: string | undefined) =>
  [
    ["/api/approvals", {}],
    [`/api/approvals/${id}`, {}],
    [`/api/approvals/${id}/answers`, { json: { digest, answers: [{ type: "approve" }] } }],
    ["/api/grants", {}],
    [`/api/grants/${id}`, { method: "DELETE" }],
  ] as const;

async function withPending(): Promise<{
  process: TestProcess;
  id: string;
  digest: string | undefined;
}> {
  const process = openProcess();
  const id = await process.makeCall();
  return { process, id, digest: (await process.read(id)).digest };
}

describe("every operation", () => {
  test.each([
    ["without a token", null, {}],
    ["with a wrong token", null, { authorization: `Bearer ${"x".repeat(40)}` }],
    ["with the beginning of a token", null, { authorization: `Bearer ${tokens.ada.slice(0, -1)}` }],
    ["with a longer token", null, { authorization: `Bearer ${tokens.ada}0` }],
    ["with a token in another scheme", null, { authorization: `Basic ${tokens.ada}` }],
    ["with two tokens", null, { authorization: `Bearer ${tokens.ada}, Bearer ${tokens.bob}` }],
    ["with a token of 1 MB", null, { authorization: `Bearer ${"x".repeat(1_000_000)}` }],
    ["with a token as a cookie", null, { cookie: `token=${tokens.ada}` }],
  ])("%s is 401 and does nothing", async (_, as, headers) => {
    const { process, id, digest } = await withPending();
    for (const [path, request] of operations(id, digest)) {
      const { status, body, headers: sent } = await process.send(path, { ...request, as, headers });
      expect([path, status, body["code"]]).toEqual([path, 401, "unauthenticated"]);
      expect(sent.get("www-authenticate")).toBe("Bearer");
    }
    expect((await process.read(id)).status).toBe("pending");
    expect(process.effects).toEqual([]);
  });

  test.each([
    ["a name that resolves here (DNS rebinding)", { host: "evil.example" }],
    ["another port", { host: "agents.example.com:8443" }],
    ["a name that begins alike", { host: "agents.example.com.evil.example" }],
    ["two hosts", { host: "agents.example.com, evil.example" }],
    ["user information", { host: "x@agents.example.com" }],
    ["no host", { host: "" }],
  ])("for %s is 403", async (_, headers) => {
    const { process, id, digest } = await withPending();
    const all = [...operations(id, digest), ["/api/openapi.json", {}] as const];
    for (const [path, request] of all) {
      const { status, body } = await process.send(path, { ...request, headers });
      expect([path, status, body["code"]]).toEqual([path, 403, "host_not_allowed"]);
    }
    expect(process.effects).toEqual([]);
  });

  test.each([
    ["of another origin", { origin: "https://evil.example" }],
    ["of a sandboxed page", { origin: "null" }],
    ["of the same host over http", { origin: "http://agents.example.com" }],
    ["of another port", { origin: "https://agents.example.com:444" }],
    ["that names another site", { "sec-fetch-site": "cross-site" }],
    ["that names a sibling", { "sec-fetch-site": "same-site" }],
  ])("in a request %s is 403, without any CORS header", async (_, headers) => {
    const { process, id, digest } = await withPending();
    const all = [...operations(id, digest), ["/api/openapi.json", {}] as const];
    for (const [path, request] of all) {
      const response = await process.send(path, { ...request, headers });
      expect([path, response.status, response.body["code"]]).toEqual([
        path,
        403,
        "origin_not_allowed",
      ]);
      const names = [...response.headers.keys()];
      expect(names.filter((name) => name.startsWith("access-control"))).toEqual([]);
    }
    expect(process.effects).toEqual([]);
  });

  test("refuses a preflight, also of its own origin", async () => {
    const { process, id, digest } = await withPending();
    for (const [path] of operations(id, digest)) {
      const headers = { origin, "access-control-request-method": "POST" };
      const response = await process.send(path, { method: "OPTIONS", headers });
      expect(response.status).toBe(403);
      expect(response.headers.get("access-control-allow-origin")).toBeNull();
    }
  });

  test("has headers that keep its responses out of caches, frames and other pages", async () => {
    const { process, id, digest } = await withPending();
    for (const [path, request] of operations(id, digest)) {
      const { headers } = await process.send(path, { ...request, as: null });
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("content-security-policy")).toContain("default-src 'none'");
      expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
    }
  });
});

describe("deciding", () => {
  test.each(["reader", "agent"] as const)(
    "is refused with the token of %s, which reads",
    async (as) => {
      const { process, id, digest } = await withPending();
      expect((await process.send("/api/approvals", { as })).status).toBe(200);
      for (const [path, request] of operations(id, digest)) {
        if (!("json" in request || "method" in request)) continue;
        const { status, body, headers } = await process.send(path, { ...request, as });
        expect([status, body["code"], body["scope"]]).toEqual([
          403,
          "insufficient_scope",
          "decide",
        ]);
        expect(headers.get("www-authenticate")).toContain('scope="decide"');
      }
      expect((await process.read(id)).status).toBe("pending");
    },
  );

  test("is refused to a program even if the host gives it the scope", async () => {
    const { process, id, digest } = await withPending();
    const handler = consoleHandler({
      executor: process.executor,
      stores: { pendingCalls: process.stores.pendingCalls },
      authenticate: () => ({
        caller: { id: "ada", agent: "helper" },
        scopes: ["read", "call", "decide"],
      }),
      origins: [origin],
    });
    const response = await handler(
      new Request(`${origin}/api/approvals/${id}/answers`, {
        method: "POST",
        headers: { host: "agents.example.com", "content-type": "application/json" },
        body: JSON.stringify({ digest, answers: [{ type: "approve" }] }),
      }),
    );
    expect(response.status).toBe(403);
    expect(process.effects).toEqual([]);
  });

  test("cannot be done in the name of another person", async () => {
    const { process, id, digest } = await withPending();
    const answers = [{ type: "approve", by: "bob" }];
    const refused = await process.send(`/api/approvals/${id}/answers`, {
      json: { digest, answers },
    });
    expect([refused.status, refused.body["code"]]).toEqual([422, "invalid_body"]);
    expect((await process.answer(id)).body.answeredBy).toBe("ada");
  });

  test.each([
    ["no digest", { answers: [{ type: "approve" }] }],
    ["a digest that is no text", { digest: 1, answers: [{ type: "approve" }] }],
    ["no answers", { digest: "d" }],
    ["an empty list", { digest: "d", answers: [] }],
    [
      "101 answers",
      { digest: "d", answers: Array.from({ length: 101 }, () => ({ type: "approve" })) },
    ],
    ["an answer that is no object", { digest: "d", answers: ["approve"] }],
    ["an unknown type", { digest: "d", answers: [{ type: "yes" }] }],
    ["a type from the prototype", { digest: "d", answers: [{ type: "constructor" }] }],
    ["an unknown member", { digest: "d", answers: [{ type: "approve" }], force: true }],
    ["arguments that are a list", { digest: "d", answers: [{ type: "approve", arguments: [] }] }],
    ["an id that is a number", { digest: "d", answers: [{ type: "approve", requestId: 1 }] }],
    ["a body that is a list", [1]],
    ["a body that is null", null],
  ])("with %s is 422", async (_, json) => {
    const { process, id } = await withPending();
    const { status, body } = await process.send(`/api/approvals/${id}/answers`, { json });
    expect([status, body["code"]]).toEqual([422, "invalid_body"]);
    expect((await process.read(id)).status).toBe("pending");
  });

  test.each([
    ["text/plain", "text/plain"],
    ["a form", "application/x-www-form-urlencoded"],
    ["JSON in another charset", "application/json; charset=utf-16"],
    ["a type that begins alike", "application/json-patch+json"],
    ["two types", "application/json, text/plain"],
    ["text with JSON in a parameter", 'text/plain; x="application/json"'],
    ["JSON with an unknown parameter", 'application/json; x="; charset=utf-8"'],
  ])("with the content type of %s is 415", async (_, type) => {
    const { process, id, digest } = await withPending();
    const { status, body } = await process.send(`/api/approvals/${id}/answers`, {
      headers: { "content-type": type },
      body: JSON.stringify({ digest, answers: [{ type: "approve" }] }),
    });
    expect([status, body["code"]]).toEqual([415, "unsupported_media_type"]);
    expect(process.effects).toEqual([]);
  });

  test("with a compressed body is 415", async () => {
    const { process, id } = await withPending();
    const headers = { "content-encoding": "gzip" };
    const { status } = await process.send(`/api/approvals/${id}/answers`, { headers, json: {} });
    expect(status).toBe(415);
  });

  test.each([
    ["no JSON", "{"],
    ["an empty body", ""],
    ["bytes that are no UTF-8", new Uint8Array([0x22, 0xff, 0x22])],
  ])("with %s is 400", async (_, body) => {
    const { process, id } = await withPending();
    const headers = { "content-type": "application/json" };
    const response = await process.send(`/api/approvals/${id}/answers`, {
      method: "POST",
      headers,
      body,
    });
    expect([response.status, response.body["code"]]).toEqual([400, "invalid_json"]);
  });

  test("with a body of more than 4 MiB is 413, and the rest is not read", async () => {
    const { process, id } = await withPending();
    let pulled = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(1024 * 1024).fill(0x20));
      },
    });
    const response = await process.handler(
      new Request(`${origin}/api/approvals/${id}/answers`, {
        method: "POST",
        headers: {
          host: "agents.example.com",
          authorization: `Bearer ${tokens.ada}`,
          "content-type": "application/json",
        },
        body,
        duplex: "half",
      }),
    );
    expect(response.status).toBe(413);
    expect(pulled).toBeLessThan(10);
  });
});

test("an answer with an integer that would be rounded is 422, and the call stays pending", async () => {
  const { process, id, digest } = await withPending();
  const { status, body } = await process.send(`/api/approvals/${id}/answers`, {
    headers: { "content-type": "application/json" },
    body: `{"digest":"${digest}","answers":[{"type":"approve","arguments":{"to":"x","euros":9007199254740993}}]}`,
  });
  expect([status, body["code"]]).toEqual([422, "answers_invalid"]);
  expect((await process.read(id)).status).toBe("pending");
});

describe("an id", () => {
  test.each([
    ["that is unknown", crypto.randomUUID()],
    ["with a slash", "a%2Fb"],
    ["with a NUL", "%00"],
    ["with dots", "%2e%2e"],
    ["with a quote", "'%20OR%20'1'='1"],
    ["of the prototype", "__proto__"],
    ["with invalid escapes", "%zz"],
    ["of 10,000 characters", "a".repeat(10_000)],
  ])("%s is 404 and the same response for every caller", async (_, id) => {
    const { process } = await withPending();
    const responses = await Promise.all(
      (["ada", "reader"] as const).map((as) =>
        process.send<ProblemDocument>(`/api/approvals/${id}`, { as }),
      ),
    );
    expect(responses.map(({ status, body }) => [status, body.code])).toEqual([
      [404, "not_found"],
      [404, "not_found"],
    ]);
    expect(responses[0]?.body).toEqual(responses[1]?.body);
  });

  test("that was guessed has the same response as any other without a token", async () => {
    const { process, id } = await withPending();
    const known = await process.send(`/api/approvals/${id}`, { as: null });
    const unknown = await process.send(`/api/approvals/${crypto.randomUUID()}`, { as: null });
    const nowhere = await process.send("/api/nothing", { as: null });
    expect(unknown.body).toEqual(known.body);
    expect(nowhere.body).toEqual(known.body);
  });
});

test("a method that a path does not have is 405 with the allowed ones", async () => {
  const { process, id } = await withPending();
  const { status, headers } = await process.send(`/api/approvals/${id}/answers`);
  expect([status, headers.get("allow")]).toEqual([405, "POST"]);
  expect((await process.send("/api/approvals", { method: "PUT" })).status).toBe(405);
  expect((await process.send("/api/openapi.json", { method: "POST" })).status).toBe(405);
});

test.each([
  "limit=0",
  "limit=201",
  "limit=-1",
  "limit=1e2",
  "limit=",
  "cursor=x",
  "cursor=W10",
  `cursor=${Buffer.from('["1","x"]').toString("base64url")}`,
])("the query %s is 400", async (query) => {
  const { process } = await withPending();
  const { status, body } = await process.send(`/api/approvals?${query}`);
  expect([status, body["code"]]).toEqual([400, "invalid_query"]);
});

test("an error of the host's authentication is 500, without its message", async () => {
  const { executor, stores } = openProcess();
  const handler = consoleHandler({
    executor,
    stores: { pendingCalls: stores.pendingCalls },
    authenticate: () => {
      throw new Error("password of db-7 is hunter2");
    },
    origins: [origin],
  });
  const headers = { host: "agents.example.com" };
  const response = await handler(new Request(`${origin}/api/approvals`, { headers }));
  expect(response.status).toBe(500);
  expect(await response.text()).not.toContain("hunter2");
});

test("more than 100 requests at once are refused with 429", async () => {
  const { executor, stores } = openProcess();
  const released = deferred();
  const handler = consoleHandler({
    executor,
    stores: { pendingCalls: stores.pendingCalls },
    authenticate: async (request) => {
      await released.promise;
      return authenticate(request);
    },
    origins: [origin],
  });
  const headers = { host: "agents.example.com", authorization: `Bearer ${tokens.ada}` };
  const send = () => handler(new Request(`${origin}/api/approvals`, { headers }));
  const waiting = Array.from({ length: 100 }, send);
  const refused = await send();
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
  released.resolve();
  expect(new Set((await Promise.all(waiting)).map(({ status }) => status))).toEqual(new Set([200]));
  expect((await send()).status).toBe(200);
});

describe("options", () => {
  const { executor, stores } = openProcess();
  const { pendingCalls } = stores;
  const valid = { executor, stores: { pendingCalls }, authenticate, origins: [origin] };
  test.each([
    ["no origin", { origins: [] }],
    ["an origin with a path", { origins: [`${origin}/console`] }],
    ["an origin that is a pattern", { origins: ["*"] }],
    ["a path without a slash", { path: "console" }],
    ["a path that ends with a slash", { path: "/console/" }],
    ["no authentication", { authenticate: undefined }],
    ["no executor", { executor: {} }],
    ["no stores", { stores: {} }],
    ["another word for the owners", { owners: "All" }],
    ["an unknown name", { cors: true }],
  ])("with %s are refused", (_, change) => {
    expect(() => consoleHandler({ ...valid, ...change } as never)).toThrow(
      expect.objectContaining({ code: "invalid_configuration" }),
    );
  });

  test("mount the API below a path", async () => {
    const handler = consoleHandler({ ...valid, path: "/console" });
    const headers = { host: "agents.example.com", authorization: `Bearer ${tokens.ada}` };
    const get = (path: string) => handler(new Request(`${origin}${path}`, { headers }));
    expect((await get("/console/api/approvals")).status).toBe(200);
    expect((await get("/api/approvals")).status).toBe(404);
    expect((await get("/consoleapi/approvals")).status).toBe(404);
    const document = (await (await get("/console/api/openapi.json")).json()) as object;
    expect(document).toMatchObject({ servers: [{ url: `${origin}/console` }] });
  });
});
