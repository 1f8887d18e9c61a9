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
