import SwaggerParser from "@apidevtools/swagger-parser";
import { ToolExecutor, ToolRegistry, type ToolOutcome } from "@toolweave/core";
import { memoryGrants, memoryPendingCalls } from "@toolweave/core/stores";
import { openApiSource } from "@toolweave/openapi";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, onTestFinished, test } from "vitest";
import { listenConsole } from "../../src/index.ts";
import { createParts } from "../../src/api-parts.ts";
import { createDocument } from "../../src/openapi/document.ts";
import type { ApiPart } from "../../src/openapi/route.ts";
import { authenticate, origin, TestProcess, tokens } from "../support/open-console.ts";

const openProcess = (): TestProcess =>
  new TestProcess({ pendingCalls: memoryPendingCalls(), grants: memoryGrants() });

const openParts = (): readonly ApiPart[] => createParts(openProcess());

interface Operation {
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: object }>> }>
  >;
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

describe("the document", () => {
  test("is valid OpenAPI 3.1", async () => {
    const document = createDocument(origin, openParts());
    await expect(SwaggerParser.validate(structuredClone(document) as never)).resolves.toBeDefined();
  });

  test("has the operations of the API with their scopes, and no others", () => {
    const routes = openParts().flatMap((part) => part.routes);
    const paths = createDocument(origin, openParts())["paths"] as unknown as Paths;
    const documented = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(
        ([method, { security }]) => `${method.toUpperCase()} ${path} ${security[0]?.["bearer"]}`,
      ),
    );
    expect(documented.sort()).toEqual(
      [
        ...routes.map(({ method, path, scope }) => `${method} ${path} ${scope}`),
        "GET /api/openapi.json undefined",
      ].sort(),
    );
  });

  test("describes every response that the API gives", async () => {
    const document = createDocument(origin, openParts()) as unknown as { readonly paths: Paths };
    const ajv = new Ajv2020({ strict: false });
    ajv.addSchema(document, "api");
    const check = (path: string, method: string, status: number, body: unknown): void => {
      const { content } = document.paths[path]?.[method]?.responses[String(status)] ?? {};
      const [[, media] = []] = Object.entries(content ?? {});
      if (media === undefined) throw new Error(`${method} ${path} does not describe ${status}.`);
      const schema = JSON.parse(
        JSON.stringify(media.schema).replaceAll('"#/components', '"api#/components'),
      ) as object;
      const validate = ajv.compile(schema);
      validate(body);
      expect([path, status, validate.errors]).toEqual([path, status, null]);
    };
    const process = openProcess();
    const [id, other] = [await process.makeCall(), await process.makeCall()];
    const answers = "/api/approvals/{id}/answers";
    const list = await process.send("/api/approvals?limit=1");
    check("/api/approvals", "get", list.status, list.body);
    const read = await process.send(`/api/approvals/${id}`);
    check("/api/approvals/{id}", "get", read.status, read.body);
    const unauthenticated = await process.send("/api/approvals", { as: null });
    check("/api/approvals", "get", 401, unauthenticated.body);
    const forbidden = await process.send(`/api/approvals/${id}/answers`, {
      as: "reader",
      json: {},
    });
    check(answers, "post", 403, forbidden.body);
    const invalid = await process.send(`/api/approvals/${id}/answers`, { json: {} });
    check(answers, "post", 422, invalid.body);
    const changed = await process.send(`/api/approvals/${id}/answers`, {
      json: { digest: "x", answers: [{ type: "approve" }] },
    });
    check(answers, "post", 409, changed.body);
    const granted = await process.answer(id, [{ type: "approve", grant: "always" }]);
    check(answers, "post", granted.status, granted.body);
    const rejected = await process.answer(other, [{ type: "reject" }]);
    check(answers, "post", rejected.status, rejected.body);
    const grants = await process.send("/api/grants");
    check("/api/grants", "get", grants.status, grants.body);
    const missing = await process.send("/api/grants/x", { method: "DELETE" });
    check("/api/grants/{id}", "delete", missing.status, missing.body);
  });
});

describe("loaded by Toolweave itself, with a token that reads", () => {
  async function load(): Promise<{
    process: TestProcess;
    executor: ToolExecutor;
    call: (name: string, args?: object) => Promise<ToolOutcome>;
  }> {
    const process = openProcess();
    const listener = await listenConsole({
      executor: process.executor,
      stores: { pendingCalls: process.stores.pendingCalls },
      authenticate,
    });
    const source = openApiSource(`${listener.url}/api/openapi.json`, {
      auth: { bearer: tokens.agent },
    });
    const registry = new ToolRegistry([source]);
    onTestFinished(async () => {
      await registry.close();
      await listener.close(0);
    });
    await registry.load();
    const executor = new ToolExecutor({ registry, policy: "autonomous" });
    const call = (name: string, args: object = {}): Promise<ToolOutcome> =>
      executor.execute({ id: crypto.randomUUID(), name, arguments: { ...args } });
    return { process, executor, call };
  }

  test("has no problem, and a tool for each operation", async () => {
    const { executor } = await load();
    expect(executor.registry.problems).toEqual([]);
    expect(
      executor.registry
        .toolset()
        .specs()
        .map(({ name }) => name)
        .sort(),
    ).toEqual([
      "answer_approval",
      "get_approval",
      "get_document",
      "list_approvals",
      "list_grants",
      "revoke_grant",
    ]);
  });

  test("its read operations are called, and their results match the described schemas", async () => {
    const { process, call } = await load();
    const id = await process.makeCall();
    const listed = await call("list_approvals", { limit: 10 });
    expect(listed).toMatchObject({ ok: true, result: { value: { approvals: [{ id }] } } });
    const read = await call("get_approval", { id });
    expect(read.result?.value).toEqual(await process.read(id));
    await process.answer(id, [{ type: "approve", grant: "always" }]);
    const grants = await call("list_grants");
    expect(grants).toMatchObject({ ok: true, result: { value: { grants: [{ tool: "pay" }] } } });
    expect((await call("get_document")).ok).toBe(true);
    expect((await call("get_approval", { id: "unknown" })).error?.code).toBe("upstream");
  });

  test("an agent cannot decide about its own call, nor revoke a grant", async () => {
    const { process, call } = await load();
    const id = await process.makeCall();
    const { digest } = await process.read(id);
    const decided = await call("answer_approval", { id, digest, answers: [{ type: "approve" }] });
    expect(decided.ok).toBe(false);
    expect(JSON.stringify(decided.result?.content)).toContain("insufficient_scope");
    const revoked = await call("revoke_grant", { id: "x" });
    expect(JSON.stringify(revoked.result?.content)).toContain("insufficient_scope");
    expect((await process.read(id)).status).toBe("pending");
    expect(process.effects).toEqual([]);
  });
});
