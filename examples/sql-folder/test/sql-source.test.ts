import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { ToolExecutor, ToolRegistry, type JsonObject, type ToolOutcome } from "@toolweave/core";
import type { LoadedSource } from "@toolweave/core/adapter";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { sqlSource } from "../src/sql-source.ts";

let place: string;
let source: LoadedSource;

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), "sql-source-"));
  mkdirSync(join(place, "queries"));
  using shop = new DatabaseSync(join(place, "shop.db"));
  shop.exec("create table items (name text unique, price real, photo blob, sold integer)");
  source = sqlSource(join(place, "queries"), join(place, "shop.db"));
});
afterEach(async () => {
  await source.close();
  rmSync(place, { recursive: true });
});

const reads = "-- description: Read.\n-- read-only: yes\n";
const writes = "-- description: Write.\n";

/** The tools of these files, and nothing else. */
async function holding(files: Readonly<Record<string, string>>): Promise<ToolExecutor> {
  for (const [file, text] of Object.entries(files)) {
    writeFileSync(join(place, "queries", file), text);
  }
  await source.refresh();
  const registry = new ToolRegistry([source]);
  await registry.ready;
  return new ToolExecutor({ registry, policy: "autonomous" });
}

async function runQuery(text: string, args: JsonObject = {}): Promise<unknown> {
  const executor = await holding({ "query.sql": text });
  const outcome = await executor.execute({ id: "1", name: "query", arguments: args });
  return outcome.status === "completed" ? outcome.result.value : getError(outcome);
}

function getError(outcome: ToolOutcome): unknown {
  return outcome.status === "failed"
    ? { code: outcome.error.code, message: outcome.error.message }
    : outcome;
}

test("the parameters of a file are the input schema of its tool", async () => {
  const executor = await holding({
    "find-item.sql": `-- description: Find an item.\n-- parameter name: text, how it is called\n-- parameter most: integer?\n-- read-only: yes\nselect * from items where name = :name limit coalesce(:most, -1)`,
  });
  const { spec } = [...executor.toolset][0]!;
  expect(spec).toMatchObject({
    name: "find_item",
    description: "Find an item.",
    annotations: { readOnlyHint: true, access: { filesystem: "read" } },
    inputSchema: {
      type: "object",
      properties: {
        name: { type: "string", description: "how it is called" },
        most: { type: "integer" },
      },
      required: ["name"],
      additionalProperties: false,
    },
  });
});

test("rows are JSON: large integers as text, bytes as base64, NULL as null", async () => {
  const row = "select 9007199254740993 as big, 42 as small, 1.5 as part, x'00ff' as bytes, :a as a";
  const text = `-- description: Read.\n-- parameter a: boolean?\n-- read-only: yes\n${row}`;
  const shared = { big: "9007199254740993", small: 42, part: 1.5, bytes: "AP8=" };
  expect(await runQuery(text)).toEqual([{ ...shared, a: null }]);
  expect(await runQuery(text, { a: true })).toEqual([{ ...shared, a: 1 }]);
});

test("a statement without rows returns the number of changes", async () => {
  expect(await runQuery(`${writes}insert into items (name) values ('tea'), ('jam')`)).toEqual({
    changes: 2,
  });
});

test("a file that declares read-only and writes is stopped by SQLite", async () => {
  expect(await runQuery(`${reads}insert into items (name) values ('tea')`)).toEqual({
    code: "execution_failed",
    message: "query cannot be run: attempt to write a readonly database.",
  });
});

test("a violated constraint is an invalid argument", async () => {
  const insert = `-- description: Add.\n-- parameter name: text\ninsert into items (name) values (:name)`;
  await runQuery(insert, { name: "tea" });
  expect(await runQuery(insert, { name: "tea" })).toEqual({
    code: "invalid_arguments",
    message:
      "The database refuses these arguments, and nothing was changed: UNIQUE constraint failed: items.name.",
  });
});

test("a database that another process has locked is unavailable, and works again later", async () => {
  using other = new DatabaseSync(join(place, "shop.db"));
  other.exec("begin exclusive");
  expect(await runQuery(`${reads}select * from items`)).toMatchObject({ code: "unavailable" });
  other.exec("rollback");
  expect(await runQuery(`${reads}select * from items`)).toEqual([]);
});

test("a query that is cancelled in the middle of its work ends at once, and writes nothing", async () => {
  const endless = "with recursive n (i) as (select 1 union all select i + 1 from n)";
  const executor = await holding({
    "fill.sql": `${writes}insert into items (sold) ${endless} select i from n`,
    "count.sql": `${reads}select count(*) as items from items`,
  });
  const controller = new AbortController();
  const filling = executor.execute(
    { id: "1", name: "fill", arguments: {} },
    { signal: controller.signal },
  );
  // More than its cache: SQLite has begun to write into the file itself.
  const { size } = statSync(join(place, "shop.db"));
  await vi.waitFor(
    () => expect(statSync(join(place, "shop.db")).size).toBeGreaterThan(size),
    60_000,
  );
  controller.abort();
  expect(await filling).toMatchObject({ error: { code: "cancelled" } });
  const after = await executor.execute({ id: "2", name: "count", arguments: {} });
  expect(after).toMatchObject({ result: { value: [{ items: 0 }] } });
});

test("a person is asked before a file changes the database, and sees the change", async () => {
  await holding({ "add.sql": `${writes}insert into items (name) values ('tea')` });
  const executor = new ToolExecutor({ registry: new ToolRegistry([source]) });
  const outcome = await executor.execute({ id: "1", name: "add", arguments: {} });
  expect(outcome).toMatchObject({
    status: "interrupted",
    interruption: {
      requests: [
        {
          type: "approval",
          permission: { kind: "fs.write", target: join(place, "shop.db") },
        },
      ],
    },
  });
});

test.each([
  ["select 1", "Begin the file with -- description: and what it does."],
  [`${reads}select 1; select 2`, "A file holds one statement."],
  [`${reads}-- nothing`, "A file holds one statement."],
  [`${reads}select :name`, "Declare it: -- parameter name: text, …"],
  [`-- description: Read.\n-- parameter a: text\nselect ':a'`, "The statement has no :a."],
  [
    `-- description: Read.\n-- parameter a: date\nselect :a`,
    "Parameter a needs a type: text, integer, number, boolean, with ? when it may be left out.",
  ],
])("a file that cannot be a tool is a problem, and the others are tools: %j", async (text, why) => {
  const executor = await holding({ "broken.sql": text, "good.sql": `${reads}select ';' as s` });
  expect([...executor.toolset.names()]).toEqual(["good"]);
  expect(source.problems).toEqual([{ subject: "broken.sql", message: why }]);
});

test("a changed file is another tool; the others stay the same objects", async () => {
  await holding({ "a.sql": `${reads}select 1`, "b.sql": `${reads}select 2` });
  const before = source.tools();
  await source.refresh();
  expect(source.tools().map((tool, at) => tool === before[at])).toEqual([true, true]);
  await holding({ "b.sql": `${reads}select 3`, "c.sql": `${reads}select 4` });
  const after = source.tools();
  expect(after.map(({ spec }) => spec.name)).toEqual(["a", "b", "c"]);
  expect(after[0]).toBe(before[0]);
  expect(after[1]).not.toBe(before[1]);
});

test("a missing folder is reported as unavailable", async () => {
  const nowhere = sqlSource(join(place, "nowhere"), join(place, "shop.db"));
  await expect(nowhere.ready).rejects.toMatchObject({ code: "unavailable" });
  await nowhere.close();
});
