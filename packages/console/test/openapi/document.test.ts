import SwaggerParser from "@apidevtools/swagger-parser";
import { ToolExecutor, ToolRegistry, type ToolOutcome } from "@toolweave/core";
import { memoryGrants, memoryPendingCalls } from "@toolweave/core/stores";
import { openApiSource } from "@toolweave/openapi";
import { describe, expect, onTestFinished, test } from "vitest";
import { ConsoleSessions, listenConsole } from "../../src/index.ts";
import { createParts } from "../../src/api-parts.ts";
import { createDocument } from "../../src/openapi/document.ts";
import type { ApiPart } from "../../src/openapi/route.ts";
import { authenticate, origin, TestProcess, tokens } from "../support/open-console.ts";

const openProcess = (): TestProcess =>
  new TestProcess(
    { pendingCalls: memoryPendingCalls(), grants: memoryGrants() },
    { eventBacklog: 50 },
  );

const openParts = (): readonly ApiPart[] => createParts({ ...openProcess(), sessions });

const sessions = new ConsoleSessions({ caller: { id: "ada" } });

interface Operation {
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
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
        ...routes.map(
          ({ method, path, scope }) => `${method} ${path} ${scope === "code" ? undefined : scope}`,
        ),
        "GET /api/openapi.json undefined",
      ].sort(),
    );
  });

  test("has schemas of different names in all parts, and no reference without a schema", () => {
    const names = openParts().flatMap(({ schemas }) => Object.keys(schemas));
    expect(new Set(names).size).toBe(names.length);
    const document = createDocument(origin, openParts());
    const { schemas } = document["components"] as { readonly schemas: object };
    const references = JSON.stringify(document).matchAll(/#\/components\/schemas\/(\w+)/g);
    for (const [, name] of references) expect(Object.keys(schemas)).toContain(name);
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
      sessions,
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
      "cancel_call",
      "cancel_task",
      "check_call",
      "download_artifact",
      "end_session",
      "explain_call",
      "find_tools",
      "get_approval",
      "get_artifact",
      "get_call",
      "get_document",
      "get_lock_difference",
      "get_memory",
      "get_policy",
      "get_provider_view",
      "get_run",
      "get_span",
      "get_status",
      "get_task",
      "get_tool",
      "list_approvals",
      "list_audit",
      "list_grants",
      "list_memory",
      "list_memory_owners",
      "list_problems",
      "list_runs",
      "list_sources",
      "list_tasks",
      "list_tools",
      "read_events",
      "revoke_grant",
      "search_artifact",
      "start_call",
      "start_session",
      "try_rule",
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
    const value = async (name: string, args?: object): Promise<unknown> => {
      const outcome = await call(name, args);
      expect([name, outcome.error?.message]).toEqual([name, undefined]);
      return outcome.result?.value;
    };
    expect(await value("get_status")).toMatchObject({ tools: { total: 1 }, waiting: 0 });
    expect(await value("list_sources")).toMatchObject({ items: [{ id: "host" }] });
    expect(await value("list_problems")).toEqual({ items: [] });
    expect(await value("list_tools", { query: "PAY" })).toMatchObject({
      items: [{ name: "pay" }],
    });
    expect(await value("get_tool", { name: "pay" })).toMatchObject({ spec: { name: "pay" } });
    for (const provider of ["openai", "anthropic", "gemini", "bedrock", "mcp"]) {
      const args = { name: "pay", provider };
      expect(await value("get_provider_view", args)).toMatchObject({ provider, omitted: false });
    }
    expect(await value("find_tools", { q: "pay" })).toMatchObject({ items: [{ name: "pay" }] });
    const args = { to: "mira", euros: 49 };
    expect(await value("check_call", { name: "pay", arguments: args })).toMatchObject({
      problems: [],
      arguments: args,
    });
    const started = await value("start_call", { name: "pay", arguments: args });
    const { callId } = started as { readonly callId: string };
    const getStatus = async () =>
      ((await value("get_call", { id: callId })) as { readonly status: string }).status;
    await expect.poll(getStatus).toBe("interrupted");
    const cancelled = await call("cancel_call", { id: callId, body: {} });
    expect(JSON.stringify(cancelled.result?.content)).toContain("call_waiting");
    const events = await call("read_events", { follow: false, tool: ["pay"] });
    expect(events.ok).toBe(true);
    expect(JSON.stringify(events.result?.content)).toContain("tool.requested");
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
