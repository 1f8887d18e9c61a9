import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { defineTool, ToolExecutor, ToolRegistry } from "@toolweave/core";
import { postgresPrograms } from "@toolweave/test-support/postgres-server";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";
import { postgresStore, type PostgresStore } from "../src/index.ts";
import { testKey } from "./support/describe-postgres.ts";

const url = inject("postgresUrl");
const schema = "backup";
const name = `backup_${process.pid}`;
const credentialKey = { source: "museum", scheme: "token" };
/** Values that no dump contains. */
const secrets = {
  credential: "fixture-secret-of-a-credential",
  argument: "fixture-secret-of-an-argument",
  result: "fixture-secret-of-a-result",
  outcome: "fixture-secret-of-an-outcome",
};
/** Values that are stored as they are: documented in the guide. */
const readable = { artifact: "readable-artifact", memory: "readable-memory" };

const pay = defineTool({
  name: "pay",
  description: "Pay a bill.",
  input: {
    type: "object",
    properties: { bill: { type: "string" }, password: { type: "string", format: "password" } },
  },
  annotations: { destructiveHint: true },
  execute: ({ bill }) => {
    effects.push(String(bill));
    return secrets.outcome;
  },
});
let effects: string[] = [];

describe.skipIf(url === undefined)("a backup of the database", () => {
  let admin: pg.Pool;
  const databases = new Set<string>();
  beforeAll(() => {
    admin = new pg.Pool({ connectionString: url, max: 1 });
  });
  afterAll(async () => {
    for (const database of databases) await admin.query(`DROP DATABASE ${database} WITH (FORCE)`);
    await admin.end();
  });

  async function createDatabase(database: string): Promise<string> {
    databases.add(database);
    await admin.query(`DROP DATABASE IF EXISTS ${database}`);
    await admin.query(`CREATE DATABASE ${database}`);
    return toUrl(database);
  }

  function toUrl(database: string): string {
    const at = new URL(url ?? "");
    at.pathname = database;
    return at.href;
  }

  function open(connectionString: string): PostgresStore {
    const store = postgresStore({ connectionString, schema, key: testKey, listen: false });
    onTestFinished(() => store.close());
    return store;
  }

  function run(program: string, args: readonly string[], input?: string): string {
    const path = join(postgresPrograms() ?? "", program);
    const { status, stdout, stderr } = spawnSync(path, args, {
      encoding: "utf8",
      maxBuffer: 2 ** 28,
      ...(input === undefined ? {} : { input }),
    });
    if (status !== 0) throw new Error(`${program} failed: ${stderr}`);
    return stdout;
  }

  const dump = (database: string): string => run("pg_dump", ["--inserts", toUrl(database)]);

  async function restore(text: string, database: string): Promise<PostgresStore> {
    const target = await createDatabase(database);
    run("psql", ["-q", "-v", "ON_ERROR_STOP=1", target], text);
    return open(target);
  }

  function executorOn(store: PostgresStore, policy: "autonomous" | "supervised"): ToolExecutor {
    const { pendingCalls, ledger, audit } = store;
    const registry = new ToolRegistry([pay]);
    return new ToolExecutor({ registry, key: testKey, pendingCalls, ledger, audit, policy });
  }

  const args = (bill: string) => ({ bill, password: secrets.argument });

  async function askFor(store: PostgresStore, bill: string): Promise<string> {
    const run = executorOn(store, "supervised").startRun();
    const outcome = await run.execute({ id: bill, name: "pay", arguments: args(bill) });
    if (outcome.status !== "interrupted") throw new Error(`It is ${outcome.status}.`);
    return outcome.interruption.id;
  }

  async function approve(store: PostgresStore, id: string): Promise<string> {
    const record = await store.pendingCalls.get(id);
    if (record === undefined) return "unknown";
    const outcome = await executorOn(store, "supervised").resume(record.interruption, [
      { type: "approve" },
    ]);
    return outcome.status === "failed" ? outcome.error.code : outcome.status;
  }

  async function fill(store: PostgresStore): Promise<void> {
    effects = [];
    await store.migrate();
    await store.credentials.set(credentialKey, { type: "secret", secret: secrets.credential });
    const run = executorOn(store, "autonomous").startRun({ id: "run_1", durable: true });
    const outcome = await run.execute({ id: "1", name: "pay", arguments: args("durable") });
    expect(outcome.status).toBe("completed");
    const times = { createdAt: 1, updatedAt: 1, expiresAt: 9_000_000_000_000 };
    const task = { id: "task_1", owner: "ada", runId: "run", callId: "1", tool: "pay" };
    await store.tasks.add({ ...task, ...times, status: "working" });
    await store.tasks.change("task_1", {
      ...times,
      status: "completed",
      result: {
        callId: "1",
        toolName: "pay",
        content: [{ type: "text", text: secrets.result }],
        artifacts: [],
        isError: false,
        durationMs: 1,
        timestamp: 1,
      },
    });
    await store.artifacts.put(
      {
        key: `art_${"ab".repeat(16)}`,
        owner: "ada",
        mediaType: "text/plain",
        size: readable.artifact.length,
        createdAt: 1,
        expiresAt: 9_000_000_000_000,
      },
      Buffer.from(readable.artifact),
    );
    await store.memory.set("ada", { key: "note", category: "core", content: readable.memory });
  }

  test("contains no secret of credentials, arguments, task results and outcomes", async () => {
    const store = open(await createDatabase(name));
    await fill(store);
    expect(await approve(store, await askFor(store, "used"))).toBe("completed");
    await askFor(store, "waiting");
    const text = dump(name);
    // The bytes of values are dumped as hexadecimal digits.
    const contains = (value: string) =>
      text.includes(value) || text.includes(Buffer.from(value).toString("hex"));
    expect(Object.values(readable).filter(contains)).toEqual(Object.values(readable));
    expect(Object.values(secrets).filter(contains)).toEqual([]);
  });

  test("restores used claims, tasks, credentials and outcomes in another database", async () => {
    const store = open(await createDatabase(name));
    await fill(store);
    const used = await askFor(store, "used");
    expect(await approve(store, used)).toBe("completed");
    const waiting = await askFor(store, "waiting");
    const restored = await restore(dump(name), `${name}_restored`);
    // Its stored result: nothing runs.
    expect(await approve(restored, used)).toBe("completed");
    expect(await approve(restored, waiting)).toBe("completed");
    expect(await restored.tasks.get("task_1")).toMatchObject({ status: "completed" });
    expect(await restored.credentials.get(credentialKey)).toMatchObject({
      secret: secrets.credential,
    });
    const run = executorOn(restored, "autonomous").startRun({ id: "run_1", durable: true });
    const outcome = await run.execute({ id: "1", name: "pay", arguments: args("durable") });
    expect(outcome.status).toBe("completed");
    expect(effects).toEqual(["durable", "used", "waiting"]);
  });

  test("that is older than a claim forgets it, which is a problem until a person confirms it", async () => {
    const store = open(await createDatabase(name));
    await fill(store);
    const id = await askFor(store, "twice");
    const text = dump(name);
    expect(await approve(store, id)).toBe("completed");
    const warning = (problem: string) => problem.includes("restored from a dump");
    expect((await store.problems()).filter(warning)).toEqual([]);

    const restored = await restore(text, `${name}_restored`);
    expect((await restored.problems()).filter(warning)).toHaveLength(1);
    // The guide's procedure: calls that wait are withdrawn, so that a person is asked again.
    const connection = new pg.Client({ connectionString: toUrl(`${name}_restored`) });
    await connection.connect();
    await connection.query(`DELETE FROM ${schema}.pending_calls WHERE status = 'pending'`);
    await connection.query(`DELETE FROM ${schema}.meta WHERE name IN ('database', 'system')`);
    await connection.end();
    expect(await approve(restored, id)).toBe("unknown");
    expect((await restored.problems()).filter(warning)).toEqual([]);
    expect(effects).toEqual(["durable", "twice"]);
  });
});
