import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { dirname, join } from "node:path";
import { catchToolError, FakeClock } from "@toolweave/conformance/stores";
import { testArtifact, testInterruption, testTask } from "@toolweave/conformance/test-records";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { describe, expect, test, vi } from "vitest";
import { auditFile, sqliteStore } from "../src/index.ts";
import { SqliteFile } from "../src/sqlite-file.ts";
import { SqlitePendingCalls } from "../src/sqlite-pending-calls.ts";
import { openStore } from "./support/open-store.ts";
import { startWorker } from "./support/start-worker.ts";

const rate = { key: "tool:search", amount: 1, limit: 10, windowMs: 1_000 };

// Processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

/** Every request to a store, each as a caller would make it. */
function everything(store: ReturnType<typeof openStore>): readonly (() => unknown)[] {
  const { pendingCalls, grants, rateLimits, artifacts, tasks } = store;
  const { artifact, data } = testArtifact("a", 10);
  return [
    () => pendingCalls.add(testInterruption("new")),
    () => pendingCalls.claim(testInterruption("a")),
    () => pendingCalls.finish("a"),
    () => pendingCalls.get("a"),
    () => pendingCalls.list(),
    () => pendingCalls.now!(),
    () => grants.add({ id: "g" } as never),
    () => grants.list(),
    () => grants.revoke("g"),
    () => rateLimits.reserve([rate]),
    () => artifacts.put(artifact, data),
    () => artifacts.head(artifact.key),
    () => artifacts.read(artifact.key, 0, 10),
    () => artifacts.delete(artifact.key),
    () => tasks.add(testTask("a")),
    () => tasks.change("a", { status: "completed", updatedAt: 1, expiresAt: 9_000_000_000_000 }),
    () => tasks.get("a"),
    () => tasks.list("unknown"),
  ];
}

describe("EX09: a store that no longer exists", () => {
  test("a deleted folder: every request fails, and the error has the next step", async () => {
    const path = join(tempFolder(), "gone", "store.db");
    const store = openStore(path);
    await store.pendingCalls.add(testInterruption("a"));
    rmSync(dirname(path), { recursive: true });
    for (const work of everything(store)) {
      expect(await catchToolError(work)).toMatchObject({
        code: "store_unavailable",
        retryable: true,
        message: `${path} was deleted or replaced while it was open: bring the file back, or restart to continue with a new one.`,
      });
    }
    expect(existsSync(dirname(path))).toBe(false);
  });

  test("a file that another file has replaced is detected", async () => {
    const folder = tempFolder();
    const path = join(folder, "store.db");
    const store = openStore(path);
    await store.pendingCalls.add(testInterruption("a"));
    renameSync(path, join(folder, "moved.db"));
    writeFileSync(path, "");
    expect((await catchToolError(() => store.pendingCalls.list())).code).toBe("store_unavailable");
    renameSync(join(folder, "moved.db"), path);
    expect(await store.pendingCalls.list()).toHaveLength(1);
  });

  test("after close everything fails", async () => {
    const store = openStore(":memory:");
    store.close();
    for (const work of everything(store)) {
      expect(await catchToolError(work)).toMatchObject({
        code: "store_unavailable",
        retryable: false,
      });
    }
  });
});

describe("EX09: a store that cannot be written", () => {
  test.runIf(process.platform === "linux")("a folder that cannot be created is refused", () => {
    // Node.js's recursive mkdir never ends there.
    const path = "/proc/x/y/store.db";
    for (const open of [() => sqliteStore(path), () => auditFile(path)]) {
      expect(open).toThrow(expect.objectContaining({ code: "store_unavailable" }));
    }
  });

  test("missing folders are created for this user alone", () => {
    const folder = tempFolder();
    sqliteStore(join(folder, "a", "b", "store.db")).close();
    if (process.platform === "win32") return;
    for (const made of ["a", "a/b"]) {
      expect(statSync(join(folder, made)).mode & 0o777).toBe(0o700);
    }
  });

  test("without a path nothing is opened", () => {
    for (const path of [undefined, null, "", 7]) {
      expect(() => sqliteStore(path as never)).toThrow(
        'sqliteStore needs a path: sqliteStore("approvals.sqlite").',
      );
    }
  });

  test.skipIf(process.platform === "win32")("a read-only file is refused at once", async () => {
    const folder = tempFolder();
    const path = join(folder, "store.db");
    sqliteStore(path).close();
    const before = readFileSync(path);
    chmodSync(folder, 0o755);
    // Root may write everywhere, so the worker is another user then.
    if (process.getuid?.() === 0) chownSync(path, 65_534, 65_534);
    chmodSync(path, 0o400);
    const error = JSON.parse(String(await startWorker("openAsReader", path).next()));
    expect(error).toMatchObject({ code: "store_unavailable", audience: "host" });
    expect(error.message).toMatch(/store\.db cannot be (?:written|opened): .*write access/);
    expect(readFileSync(path)).toEqual(before);
  });

  test("a full disk: resolved requests are stored, failed ones are not, and it works again with space", async () => {
    const path = join(tempFolder(), "store.db");
    const file = new SqliteFile(path);
    const calls = new SqlitePendingCalls(file, {
      leaseMs: 30_000,
      clock: undefined,
      maxPerOwner: 2_500,
    });
    const limitPages = (pages: number): unknown =>
      file.prepare(`PRAGMA max_page_count = ${pages}`).get();
    limitPages(20);
    const added: string[] = [];
    let error: unknown;
    for (let id = 0; error === undefined; id++) {
      const call = { ...testInterruption(`call-${id}`), runId: "x".repeat(2_000) };
      error = await calls.add(call).then(
        () => void added.push(call.id),
        (reason: unknown) => reason,
      );
    }
    expect(error).toMatchObject({
      code: "store_unavailable",
      retryable: true,
      message: `${path} has no more space on its disk: free some, then call again.`,
    });
    const ids = (await calls.list()).map(({ interruption }) => interruption.id);
    expect(ids).toEqual(added);
    // An update needs no space: pending calls can still be answered.
    expect(await calls.claim(testInterruption("call-0"))).toBe("claimed");
    limitPages(1_000);
    await calls.add(testInterruption("late"));
    file.close();
    expect(await openStore(path).pendingCalls.list()).toHaveLength(added.length + 1);
  });

  test("a lease that cannot be renewed lapses, and nothing throws", async () => {
    const path = join(tempFolder(), "store.db");
    const clock = new FakeClock();
    const owner = openStore({ path, clock });
    const other = openStore({ path, clock });
    await owner.pendingCalls.add(testInterruption("a"));
    await owner.pendingCalls.claim(testInterruption("a"));
    const db = new DatabaseSync(path);
    db.exec("BEGIN IMMEDIATE");
    clock.advance(30_000);
    expect(await other.pendingCalls.get("a")).toMatchObject({ status: "unfinished" });
    db.close();
    clock.advance(10_000);
    expect(await other.pendingCalls.get("a")).toMatchObject({ status: "claimed" });
  });

  test.each([
    ["a path under a file", (folder: string) => join(folder, "file", "store.db")],
    ["a folder", (folder: string) => folder],
  ])("%s cannot be used for a store", async (_, pathIn) => {
    const folder = tempFolder();
    writeFileSync(join(folder, "file"), "");
    const error = await catchToolError(() => sqliteStore(pathIn(folder)));
    expect(error.code).toBe("store_unavailable");
    expect(error.message).toContain(pathIn(folder));
    expect(error.message).not.toMatch(/SQLITE|E[A-Z]{4}/);
  });
});

test("EX10: a lock of another process is awaited for 5 seconds while this process continues, then it is store_unavailable", async () => {
  const path = join(tempFolder(), "store.db");
  const { pendingCalls } = openStore(path);
  await pendingCalls.add(testInterruption("a"));
  const worker = startWorker("lock", path);
  expect(await worker.next()).toBe("locked");
  let turns = 0;
  const ticker = setInterval(() => turns++, 50);
  const [error] = await Promise.all([
    catchToolError(() => pendingCalls.claim(testInterruption("a"))),
    catchToolError(() => pendingCalls.add(testInterruption("b"))),
  ]);
  clearInterval(ticker);
  expect(error).toMatchObject({
    code: "store_unavailable",
    retryable: true,
    message: `${path} is locked by another process: end what holds it, then call again.`,
  });
  expect(turns).toBeGreaterThan(30);
  // Readers do not wait for writers.
  expect(await pendingCalls.list()).toHaveLength(1);
  worker.tell("continue");
  expect(await worker.next()).toBe("free");
  expect(await pendingCalls.claim(testInterruption("a"))).toBe("claimed");
});

test("EX10: a write that waits for a lock continues when the lock is released", async () => {
  const path = join(tempFolder(), "store.db");
  const { pendingCalls } = openStore(path);
  const worker = startWorker("lock", path);
  expect(await worker.next()).toBe("locked");
  const added = pendingCalls.add(testInterruption("a"));
  worker.tell("continue");
  await added;
  expect(await pendingCalls.list()).toHaveLength(1);
});

describe("a file that is not a store of this version", () => {
  test.each([
    ["is not a database", (path: string) => writeFileSync(path, "Dear diary,\n".repeat(1_000))],
    [
      "belongs to another program",
      (path: string) => {
        const db = new DatabaseSync(path);
        db.exec("CREATE TABLE diary (entry TEXT); PRAGMA user_version = 1");
        db.close();
      },
    ],
  ])("one that %s is refused and is unchanged", async (_, make) => {
    const path = join(tempFolder(), "store.db");
    make(path);
    chmodSync(path, 0o600);
    const before = readFileSync(path);
    const error = await catchToolError(() => sqliteStore(path));
    expect(error).toMatchObject({ code: "store_unavailable", retryable: false });
    expect(error.message).toContain(path);
    expect(error.message).toContain("name another path");
    expect(readFileSync(path)).toEqual(before);
    expect(existsSync(`${path}-wal`)).toBe(false);
  });

  test("one of a newer version is refused, with the request to update", async () => {
    const path = join(tempFolder(), "store.db");
    sqliteStore(path).close();
    const db = new DatabaseSync(path);
    const current = db.prepare("PRAGMA user_version").get()?.["user_version"] as number;
    db.exec(`PRAGMA user_version = ${current + 1}`);
    db.close();
    const error = await catchToolError(() => sqliteStore(path));
    expect(error).toMatchObject({ code: "store_unavailable", retryable: false });
    expect(error.message).toBe(
      `${path} was written by a newer @toolweave/stores (its version is ${current + 1}, this one reads ${current}): update the package.`,
    );
  });

  test("a damaged file is reported with its path and without a raw error", async () => {
    const folder = tempFolder();
    const [path, damaged] = [join(folder, "store.db"), join(folder, "damaged.db")];
    const store = sqliteStore(path);
    for (let id = 0; id < 50; id++) await store.pendingCalls.add(testInterruption(`call-${id}`));
    store.close();
    copyFileSync(path, damaged);
    const bytes = readFileSync(damaged);
    bytes.fill(0xff, 4096 * 1);
    writeFileSync(damaged, bytes);
    const error = await catchToolError(async () => openStore(damaged).pendingCalls.list());
    expect(error).toMatchObject({ code: "store_unavailable", retryable: false });
    expect(error.message).toBe(
      `${damaged} is damaged: move it away with its -wal and -shm, or restore a backup.`,
    );
  });
});

describe("an invalid option:", () => {
  test.each([
    ["no path", {}],
    ["an empty path", ""],
    ["a misspelled option", { path: ":memory:", leaseMS: 1 }],
    ["a lease of 0", { path: ":memory:", leaseMs: 0 }],
    ["a lease that is not a number", { path: ":memory:", leaseMs: Number.NaN }],
    ["a lease longer than any timer", { path: ":memory:", leaseMs: 2 ** 31 }],
  ])("%s is internal", async (_, options) => {
    expect((await catchToolError(() => sqliteStore(options as never))).code).toBe(
      "invalid_configuration",
    );
  });

  test("a path is used literally, whatever it looks like", async () => {
    const folder = tempFolder();
    mkdirSync(join(folder, "file:"));
    const path = join(folder, "file:", "store.db?mode=memory");
    await openStore(path).pendingCalls.add(testInterruption("a"));
    expect(existsSync(path)).toBe(true);
  });
});

test("AP15 a call that was swapped for another one is not found by that one's id", async () => {
  const path = join(tempFolder(), "store.db");
  const { pendingCalls } = openStore(path);
  await pendingCalls.add(testInterruption("shown"));
  await pendingCalls.add(testInterruption("other"));
  const db = new DatabaseSync(path);
  db.prepare("UPDATE pending_calls SET interruption = ? WHERE id = ?").run(
    JSON.stringify(testInterruption("other")),
    "shown",
  );
  db.close();
  expect(await pendingCalls.get("shown")).toBeUndefined();
  expect((await pendingCalls.list()).map((record) => record.interruption.id)).toEqual(["other"]);
  expect(await pendingCalls.claim(testInterruption("shown"))).toBe("unknown");
});

test("a store of this version can be opened and read while another process writes", async () => {
  const path = join(tempFolder(), "store.db");
  await openStore(path).pendingCalls.add(testInterruption("a"));
  const writer = new DatabaseSync(path);
  writer.exec("BEGIN IMMEDIATE");
  const { pendingCalls } = openStore(path);
  expect(await pendingCalls.list()).toHaveLength(1);
  writer.exec("ROLLBACK");
  writer.close();
});
