import { DatabaseSync } from "node:sqlite";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { catchToolError } from "@toolweave/conformance/stores";
import { testArtifact, testInterruption, testTask } from "@toolweave/conformance/test-records";
import type { Grant } from "@toolweave/core";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { describe, expect, test } from "vitest";
import { sqliteStore } from "../src/index.ts";
import { openStore } from "./support/open-store.ts";
import { startWorker } from "./support/start-worker.ts";
import { version1 } from "./support/version-1.ts";

const grant = { id: "grant_1", tool: "delete_event" } as Grant;

/** A file of version 1 with a pending call, a finished one and a grant; it stays open. */
function olderFile(): { readonly path: string; readonly db: DatabaseSync } {
  const path = join(tempFolder(), "store.db");
  const db = version1(path);
  const add = db.prepare(
    "INSERT INTO pending_calls (id, interruption, expires_at, status) VALUES (?, ?, ?, ?)",
  );
  for (const [id, status] of [
    ["a", "pending"],
    ["b", "finished"],
  ] as const) {
    add.run(id, JSON.stringify(testInterruption(id)), testInterruption(id).expiresAt, status);
  }
  db.prepare("INSERT INTO grants (id, tool, grant_json) VALUES (?, ?, ?)").run(
    grant.id,
    grant.tool,
    JSON.stringify(grant),
  );
  db.prepare("INSERT INTO rate_reservations VALUES ('r', 'k', 1000, 1, 9e12, 0)").run();
  return { path, db };
}

const versionIn = (db: DatabaseSync): unknown =>
  db.prepare("PRAGMA user_version").get()?.["user_version"];

function currentVersion(): number {
  const path = join(tempFolder(), "store.db");
  sqliteStore(path).close();
  const db = new DatabaseSync(path);
  const version = versionIn(db);
  db.close();
  return version as number;
}

/** Everything that a new store and an updated one must have in common. */
function readShape(path: string): unknown {
  const db = new DatabaseSync(path);
  const shape = db.prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name").all();
  db.close();
  return shape;
}

describe("a file of version 1", () => {
  test("is opened, keeps its data, and accepts artifacts, tasks and credentials", async () => {
    const { path, db } = olderFile();
    db.close();
    const store = openStore(path);
    expect(await store.pendingCalls.list()).toEqual([
      { interruption: testInterruption("a"), status: "pending" },
    ]);
    expect(await store.pendingCalls.claim(testInterruption("b"))).toBe("finished");
    expect(await store.pendingCalls.claim(testInterruption("a"))).toBe("claimed");
    expect(await store.grants.list()).toEqual([grant]);
    const rate = { key: "k", amount: 1, limit: 1, windowMs: 1_000 };
    expect(await store.rateLimits.reserve([rate])).toMatchObject({ granted: false });
    const { artifact, data } = testArtifact("a", 300_000);
    await store.artifacts.put(artifact, data);
    expect(await store.artifacts.read(artifact.key, 0, Infinity)).toEqual(data);
    const key = { source: "museum", scheme: "key" };
    await store.credentials.set(key, { type: "secret", secret: "s" });
    expect(await store.credentials.get(key)).toEqual({ type: "secret", secret: "s" });
    await store.tasks.add(testTask("a"));
    expect(await store.tasks.get("a")).toEqual(testTask("a"));
  });

  test("becomes the same as a new one", () => {
    const { path, db } = olderFile();
    db.close();
    openStore(path);
    const fresh = join(tempFolder(), "store.db");
    openStore(fresh);
    expect(readShape(path)).toEqual(readShape(fresh));
  });

  test("still works for an older process that has it open", async () => {
    const { path, db } = olderFile();
    const claim = db.prepare("UPDATE pending_calls SET status = 'claimed' WHERE id = ?");
    const store = openStore(path);
    expect(claim.run("a").changes).toBe(1);
    expect(await store.pendingCalls.list()).toMatchObject([{ status: "unfinished" }]);
    db.close();
  });

  test("is updated once, by four processes at the same moment", async () => {
    const { path, db } = olderFile();
    const workers = Array.from({ length: 4 }, () => startWorker("open", path));
    for (const worker of workers) expect(await worker.next()).toBe("ready");
    for (const worker of workers) worker.tell("go");
    for (const worker of workers) expect(await worker.next()).toBe("opened");
    expect(versionIn(db)).toBe(currentVersion());
    db.close();
    expect(await openStore(path).grants.list()).toEqual([grant]);
  });

  test("is unchanged if it cannot be updated, and is updated the next time", async () => {
    const { path, db } = olderFile();
    // Another program has created a table with the same name.
    db.exec("CREATE TABLE tasks (entry TEXT)");
    expect((await catchToolError(() => sqliteStore(path))).code).toBe("store_unavailable");
    expect(versionIn(db)).toBe(1);
    const tables = db.prepare(
      "SELECT count(*) AS count FROM sqlite_schema WHERE name = 'artifacts'",
    );
    expect(tables.get()).toEqual({ count: 0 });
    db.exec("DROP TABLE tasks");
    db.close();
    expect(await openStore(path).grants.list()).toEqual([grant]);
  });
});

test.each([0, -1, "the next", 1_000])(
  "a file of version %s is refused and is unchanged",
  async (which) => {
    const version = which === "the next" ? currentVersion() + 1 : which;
    const path = join(tempFolder(), "store.db");
    sqliteStore(path).close();
    const db = new DatabaseSync(path);
    db.exec(`PRAGMA user_version = ${version}`);
    db.close();
    const before = readFileSync(path);
    expect(await catchToolError(() => sqliteStore(path))).toMatchObject({
      code: "store_unavailable",
      retryable: false,
    });
    expect(readFileSync(path)).toEqual(before);
  },
);

test("the words of memories of an earlier version are indexed again", async () => {
  const path = join(tempFolder(), "store.db");
  const first = openStore({ path });
  await first.memory.set("a", { key: "k", content: "Die Straße ist naß: ភ្នំពេញ", category: "core" });
  first.close();
  const db = new DatabaseSync(path);
  db.exec("DROP TABLE memory_words");
  db.exec(
    "CREATE VIRTUAL TABLE memory_words USING fts5 (owner, words, content = '', contentless_delete = 1)",
  );
  db.exec(`PRAGMA user_version = ${(versionIn(db) as number) - 4}`);
  db.close();
  const { memory } = openStore({ path });
  for (const text of ["strass", "straße", "ពេញ"]) {
    const found = await memory.find("a", { text, limit: 5 });
    expect([text, found.length]).toEqual([text, 1]);
  }
});
