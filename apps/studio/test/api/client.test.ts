import { afterEach, beforeEach, expect, test } from "vitest";
import { requestJson, withQuery } from "../../src/api/client.ts";
import { ApiError } from "../../src/api/problem.ts";
import { session } from "../../src/api/session.ts";

const originalFetch = globalThis.fetch;
let requests: { url: string; init: RequestInit }[] = [];
const removed: string[] = [];

/** Answers every request with a response. */
function answer(status: number, body: string, type = "application/json"): void {
  globalThis.fetch = (async (url: string, init: RequestInit) => {
    requests.push({ url, init });
    const hasBody = status !== 204;
    return new Response(hasBody ? body : null, { status, headers: { "content-type": type } });
  }) as typeof fetch;
}

beforeEach(() => {
  requests = [];
  removed.length = 0;
  (globalThis as { sessionStorage?: unknown }).sessionStorage = {
    removeItem: (key: string) => removed.push(key),
  };
  session.value = {
    status: "ready",
    session: { token: "t1", scopes: ["read"], expiresAt: 0, caller: { id: "person" } },
  };
});
afterEach(() => {
  globalThis.fetch = originalFetch;
  delete (globalThis as { sessionStorage?: unknown }).sessionStorage;
});

test("a request has the token of the session and no cookie", async () => {
  answer(200, '{"items":[]}');
  await expect(requestJson("/api/tools")).resolves.toEqual({ items: [] });
  expect(requests[0]?.init).toMatchObject({
    method: "GET",
    credentials: "omit",
    headers: { authorization: "Bearer t1" },
  });
});

test("text is sent as it is, so that large integers keep their digits", async () => {
  answer(200, "{}");
  await requestJson("/api/calls", { method: "POST", text: '{"id":9007199254740993}' });
  expect(requests[0]?.init.body).toBe('{"id":9007199254740993}');
});

test("a problem document becomes an error with its code and text", async () => {
  answer(409, '{"code":"approval_changed","detail":"Read it again."}', "application/problem+json");
  await expect(requestJson("/api/x")).rejects.toMatchObject({
    name: "ApiError",
    status: 409,
    code: "approval_changed",
    message: "Read it again.",
  });
});

test("an error without a problem document is described by its status", async () => {
  answer(502, "<html>bad gateway</html>", "text/html");
  await expect(requestJson("/api/x")).rejects.toMatchObject({ status: 502, code: "http_502" });
});

test("a status of 401 ends the session and removes the token", async () => {
  answer(401, '{"code":"unauthenticated","detail":"The session has ended."}');
  await expect(requestJson("/api/x")).rejects.toBeInstanceOf(ApiError);
  expect(session.value).toEqual({ status: "ended", message: "The session has ended." });
  expect(removed).toEqual(["toolweave.session"]);
});

test("a server that does not answer is an error that says so", async () => {
  globalThis.fetch = () => Promise.reject(new TypeError("fetch failed"));
  await expect(requestJson("/api/x")).rejects.toMatchObject({ status: 0, code: "unreachable" });
});

test("a response without content is undefined", async () => {
  answer(204, "");
  await expect(requestJson("/api/grants/1", { method: "DELETE" })).resolves.toBeUndefined();
});

test("a query omits what is empty, and escapes the rest", () => {
  expect(withQuery("/api/runs", { tool: "a b", failed: false, limit: 5, after: undefined })).toBe(
    "/api/runs?tool=a+b&limit=5",
  );
  expect(withQuery("/api/runs", {})).toBe("/api/runs");
});
