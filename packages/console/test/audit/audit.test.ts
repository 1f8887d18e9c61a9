import { join } from "node:path";
import { defineTool, ToolExecutor, ToolRegistry, type Tool } from "@toolweave/core";
import type { AuditReader } from "@toolweave/core/stores";
import { auditFile, readAudit } from "@toolweave/stores";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { expect, test } from "vitest";
import type { AuditList } from "../../src/index.ts";
import { CheckedConsole, secret } from "../support/checked-console.ts";

const tool = (name: string, more: object = {}): Tool =>
  defineTool({ name, description: name, input: { type: "object" }, execute: () => "ok", ...more });

const tools = [tool("read"), tool("pay", { needsApproval: true })];

function makeFile(): string {
  const folder = tempFolder();
  return join(folder, "audit.jsonl");
}

const readerFor = (path: string): AuditReader => ({
  read: (options) => readAudit(path, options),
});

test("decisions that another process has recorded are listed, newest first, by page", async () => {
  const path = makeFile();
  // It knows no secrets: what it records may contain some.
  const gateway = new ToolExecutor({ registry: new ToolRegistry(tools), audit: auditFile(path) });
  const asked = await gateway.execute({ id: `call ${secret}`, name: "pay", arguments: {} });
  if (asked.status !== "interrupted") throw new Error(`It is ${asked.status}.`);
  await gateway.resume(asked.interruption, [{ type: "approve", by: "ada" }]);
  for (let index = 0; index < 3; index++) {
    await gateway.execute({ id: `${index}`, name: "read", arguments: { index } });
  }
  await gateway.drain();
  const console = new CheckedConsole(tools, {}, { audit: readerFor(path) });
  const list = async (query = ""): Promise<AuditList> =>
    (await console.send<AuditList>(`/api/audit${query}`)).body;
  const { items, nextCursor } = await list();
  expect(items.map(({ tool, decision, callId, by }) => [tool, decision, callId, by])).toEqual([
    ["read", "allowed", "2", undefined],
    ["read", "allowed", "1", undefined],
    ["read", "allowed", "0", undefined],
    ["pay", "approved", "call [redacted]", "ada"],
    ["pay", "asked", "call [redacted]", undefined],
  ]);
  expect(nextCursor).toBeUndefined();
  expect(items[0]?.entry).toMatchObject({ tool: "read", specHash: expect.any(String) as string });
  expect(items[0]?.hash).not.toBe(items[1]?.hash);
  const first = await list("?limit=2");
  const second = await list(`?limit=2&cursor=${first.nextCursor}`);
  const third = await list(`?limit=2&cursor=${second.nextCursor}`);
  expect([...first.items, ...second.items, ...third.items]).toEqual(items);
  expect(third.nextCursor).toBeUndefined();
});

test("decisions have the caller and the reason, and are found by either of the two people", async () => {
  const path = makeFile();
  const gateway = new ToolExecutor({
    registry: new ToolRegistry(tools),
    policy: {
      rules: [{ effect: "deny", tools: "read", callers: { id: "eve" }, reason: "Not hers." }],
    },
    audit: auditFile(path),
  });
  const callers = [{ id: "ada", agent: "desk" }, { id: "bob" }, { id: "eve" }];
  for (let at = 0; at < 600; at++) {
    const caller = callers[at % 2] as (typeof callers)[number];
    await gateway.execute({ id: `${at}`, name: "read", arguments: {} }, { caller });
  }
  await gateway.execute({ id: "e", name: "read", arguments: {} }, { caller: { id: "eve" } });
  const asked = await gateway.execute(
    { id: "p", name: "pay", arguments: {} },
    { caller: { id: "bob" } },
  );
  if (asked.status !== "interrupted") throw new Error(`It is ${asked.status}.`);
  await gateway.resume(asked.interruption, [{ type: "approve", by: "grace" }]);
  const console = new CheckedConsole(tools, {}, { audit: readerFor(path) });
  const list = async (query: string): Promise<AuditList> =>
    (await console.send<AuditList>(`/api/audit?${query}`)).body;
  expect((await list("who=eve")).items).toMatchObject([
    { caller: "eve", decision: "denied", reason: "Not hers." },
  ]);
  expect((await list("who=grace")).items).toMatchObject([{ caller: "bob", by: "grace" }]);
  expect((await list("who=mallory")).items).toEqual([]);
  const pages: string[] = [];
  for (let cursor: string | undefined = ""; cursor !== undefined;) {
    const next: AuditList = await list(
      `who=ada&limit=70${cursor === "" ? "" : `&cursor=${cursor}`}`,
    );
    pages.push(...next.items.map(({ callId, agent }) => `${callId} ${agent}`));
    cursor = next.nextCursor;
  }
  expect(pages).toEqual(Array.from({ length: 300 }, (_, at) => `${598 - 2 * at} desk`));
});

test.each(["limit=0", "limit=201", "cursor=x"])("with %s is 400", async (query) => {
  const console = new CheckedConsole(tools, {}, { audit: readerFor(makeFile()) });
  expect((await console.send(`/api/audit?${query}`)).status).toBe(400);
});

test("an audit that cannot be read is 503", async () => {
  const folder = tempFolder();
  const console = new CheckedConsole(tools, {}, { audit: readerFor(folder) });
  const { status, text } = await console.send("/api/audit");
  expect(status).toBe(503);
  expect(text).not.toContain(folder);
});

test("without an audit the operation says how to add one", async () => {
  const { status, body } = await new CheckedConsole(tools).send("/api/audit");
  expect([status, body["code"]]).toEqual([404, "not_available"]);
});
