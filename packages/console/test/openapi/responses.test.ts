import { Ajv2020 } from "ajv/dist/2020.js";
import { beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "@toolweave/core";
import type { Approval, CallStarted, CallState, EventView } from "../../src/index.ts";
import { origin, TestConsole } from "../support/test-console.ts";

interface Response {
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}
interface Document {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<Record<string, { readonly responses: Readonly<Record<string, Response>> }>>
    >
  >;
  readonly components: { readonly schemas: Readonly<Record<string, JsonObject>> };
}

/** The document in which no object has members that are not described. */
function closed(value: unknown, isWhole = true): unknown {
  if (Array.isArray(value)) return value.map((item) => closed(item));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, member]) => [
    key,
    // The parts of `allOf` describe one object together.
    key === "allOf" ? (member as object[]).map((part) => closed(part, false)) : closed(member),
  ]);
  const { properties, type } = value as { readonly properties?: unknown; readonly type?: unknown };
  const isClosed = isWhole && type === "object" && typeof properties === "object";
  return Object.fromEntries([...(isClosed ? [["additionalProperties", false]] : []), ...entries]);
}

let document: Document;
let ajv: Ajv2020;
beforeAll(async () => {
  document = (await new TestConsole().send<Document>("/api/openapi.json", { as: null })).body;
  ajv = new Ajv2020({ strict: false });
  ajv.addSchema(closed(document) as object, "api");
});

/** Expects that the document describes a response, its body, and no member less. */
function expectDescribed(path: string, method: string, status: number, body: unknown): void {
  const response = document.paths[path]?.[method]?.responses[String(status)];
  if (response === undefined) throw new Error(`${method} ${path} does not describe ${status}.`);
  const [type] = Object.keys(response.content ?? {});
  if (type === undefined) return expect(body).toBeUndefined();
  const pointer = ["paths", path, method, "responses", String(status), "content", type, "schema"]
    .map((part) => part.replaceAll("~", "~0").replaceAll("/", "~1"))
    .map(encodeURIComponent)
    .join("/");
  const validate = ajv.compile({ $ref: `api#/${pointer}` });
  validate(body);
  expect([path, status, validate.errors]).toEqual([path, status, null]);
}

/** Sends a request, and expects that its response is described. */
async function send<Body>(
  console: TestConsole,
  path: string,
  values: Readonly<Record<string, string>> = {},
  {
    query = "",
    ...request
  }: NonNullable<Parameters<TestConsole["send"]>[1]> & { readonly query?: string } = {},
): Promise<{ readonly status: number; readonly body: Body }> {
  const actual = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "x");
  const response = await console.send<Body>(`${actual}${query}`, request);
  const method = request.method ?? (request.json === undefined ? "GET" : "POST");
  expectDescribed(path, method.toLowerCase(), response.status, response.body);
  return response;
}

describe("every response is described, with all its members", () => {
  test("of the state, the tools and the search", async () => {
    const console = new TestConsole();
    for (const path of ["/api/status", "/api/sources", "/api/problems", "/api/tools"]) {
      expect((await send(console, path)).status).toBe(200);
    }
    const tag = (await console.fetch("/api/tools")).headers.get("etag") ?? "";
    const headers = { "if-none-match": tag };
    expect((await send(console, "/api/tools", {}, { headers })).status).toBe(304);
    await send(console, "/api/tools", {}, { query: "?limit=2&query=a" });
    expect((await send(console, "/api/tools", {}, { query: "?limit=0" })).status).toBe(400);
    for (const name of console.registry.toolset().names()) {
      expect((await send(console, "/api/tools/{name}", { name })).status).toBe(200);
      for (const provider of ["openai", "anthropic", "gemini", "bedrock", "mcp"]) {
        const path = "/api/tools/{name}/as/{provider}";
        expect((await send(console, path, { name, provider })).status).toBe(200);
      }
    }
    expect((await send(console, "/api/tools/{name}", { name: "none" })).status).toBe(404);
    await send(console, "/api/search", {}, { query: "?q=pay" });
    expect((await send(console, "/api/search")).status).toBe(400);
    expect((await send(console, "/api/events", {}, { query: "?after=x" })).status).toBe(400);
  });

  test("of checks and calls", async () => {
    const console = new TestConsole();
    const check = "/api/tools/{name}/check";
    for (const args of [{ to: "mira", pin: "1" }, { to: 1 }, "{", {}]) {
      const json = { arguments: args };
      expect((await send(console, check, { name: "pay" }, { json })).status).toBe(200);
    }
    expect((await send(console, check, { name: "pay" }, { json: {} })).status).toBe(422);
    const call = "/api/calls/{id}";
    for (const json of [
      { name: "add", arguments: { a: 1, b: 2 } },
      { name: "add", arguments: {} },
      { name: "leak", arguments: {}, asTask: true },
      { name: "pay", arguments: { to: "mira" } },
      { name: "shop", arguments: {} },
    ]) {
      const started = await send<CallStarted>(console, "/api/calls", {}, { json });
      expect(started.status).toBe(202);
      const id = started.body.callId;
      await console.ended(id);
      const { body } = await send<CallState>(console, call, { id });
      await send(console, `${call}/cancel`, { id }, { json: {} });
      if (body.approvalId === undefined) continue;
      const path = "/api/approvals/{id}/answers";
      const approval = await send<Approval>(console, "/api/approvals/{id}", {
        id: body.approvalId,
      });
      const grant = json.name === "pay" ? { grant: "always" } : {};
      const answers = [{ type: "approve", ...grant }];
      const answer = { json: { digest: approval.body.digest, answers } };
      expect((await send(console, path, { id: body.approvalId }, answer)).status).toBe(200);
      await send(console, call, { id });
    }
    const json = { arguments: { to: "mira" } };
    await send(console, check, { name: "pay" }, { json });
    expect((await send(console, "/api/grants")).status).toBe(200);
    expect((await send(console, call, { id: "none" })).status).toBe(404);
    const conflict = { name: "add", arguments: {}, id: "mine" };
    await send(console, "/api/calls", {}, { json: conflict });
    const other = { json: { ...conflict, timeoutMs: 5 } };
    expect((await send(console, "/api/calls", {}, other)).status).toBe(409);
  });

  test("of approvals and grants", async () => {
    const console = new TestConsole();
    const answers = "/api/approvals/{id}/answers";
    const wait = async () => {
      const call = { id: crypto.randomUUID(), name: "pay", arguments: { to: "mira" } };
      return (await console.executor.execute(call)).interruption?.id ?? "";
    };
    const [id, other] = [await wait(), await wait()];
    await send(console, "/api/approvals", {}, { query: "?limit=1" });
    await send(console, "/api/approvals", {}, { as: null });
    const { digest } = (await send<Approval>(console, "/api/approvals/{id}", { id })).body;
    expect((await send(console, answers, { id }, { as: "reader", json: {} })).status).toBe(403);
    expect((await send(console, answers, { id }, { json: {} })).status).toBe(422);
    const changed = { digest: "x", answers: [{ type: "approve" }] };
    expect((await send(console, answers, { id }, { json: changed })).status).toBe(409);
    const granted = { digest, answers: [{ type: "approve", grant: "always" }] };
    expect((await send(console, answers, { id }, { json: granted })).status).toBe(200);
    const read = await send<Approval>(console, "/api/approvals/{id}", { id: other });
    const rejected = { digest: read.body.digest, answers: [{ type: "reject" }] };
    expect((await send(console, answers, { id: other }, { json: rejected })).status).toBe(200);
    const { body } = await send<{ grants: { id: string }[] }>(console, "/api/grants");
    const grant = "/api/grants/{id}";
    const revoke = { method: "DELETE" };
    expect((await send(console, grant, { id: body.grants[0]?.id ?? "" }, revoke)).status).toBe(204);
    expect((await send(console, grant, { id: "x" }, revoke)).status).toBe(404);
  });

  test("of sessions", async () => {
    const console = new TestConsole();
    const json = { code: console.sessions.createCode() };
    expect((await send(console, "/session", {}, { as: null, json })).status).toBe(201);
    expect((await send(console, "/session", {}, { as: null, json })).status).toBe(403);
    expect((await send(console, "/session", {}, { as: null, json: {} })).status).toBe(422);
    const method = "DELETE";
    expect((await send(console, "/session", {}, { as: "agent", method })).status).toBe(404);
    expect((await send(console, "/session", {}, { method })).status).toBe(204);
    expect((await send(console, "/session", {}, { method })).status).toBe(401);
  });

  test("of every problem with the request itself", async () => {
    const console = new TestConsole();
    const statuses: number[] = [];
    for (const [path, operations] of Object.entries(document.paths)) {
      for (const method of Object.keys(operations)) {
        const isPost = method === "post";
        const request = { method: method.toUpperCase(), ...(isPost ? { json: {} } : {}) };
        const foreign = { ...request, headers: { host: "evil.test" } };
        statuses.push((await send(console, path, {}, foreign)).status);
        if (!isPost) continue;
        const form = { ...request, headers: { "content-type": "text/plain" } };
        statuses.push((await send(console, path, {}, form)).status);
      }
    }
    expect(new Set(statuses)).toEqual(new Set([403, 415]));
  });
});

test("every event is described", async () => {
  const console = new TestConsole([], { eventPayloads: true });
  await console.registry.remove("leak");
  await console.executor.execute({ id: "1", name: "shop", arguments: {} });
  const text = await (await console.fetch("/api/events?follow=false")).text();
  const events = [...text.matchAll(/^data: (.+)$/gm)].map(
    ([, data = ""]) => JSON.parse(data) as EventView,
  );
  expect(new Set(events.map(({ type }) => type)).size).toBeGreaterThan(3);
  const validate = new Ajv2020({ strict: false }).compile(
    document.components.schemas["Event"] ?? {},
  );
  for (const event of events) {
    validate(event);
    expect(validate.errors).toBeNull();
  }
});

test("the document has the address of the server", () => {
  expect(document).toMatchObject({ openapi: "3.1.0", servers: [{ url: origin }] });
});
