import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { catchToolError, FakeClock } from "@toolweave/conformance/stores";
import { testArtifact } from "@toolweave/conformance/test-records";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { expect, test } from "vitest";
import { SqliteArtifacts } from "../src/sqlite-artifacts.ts";
import { SqliteFile } from "../src/sqlite-file.ts";
import { openStore } from "./support/open-store.ts";

const MiB = 1_048_576;

/** A store in a file, and a second connection to the file, like another program's. */
function place(options: { readonly clock?: FakeClock; readonly leaseMs?: number } = {}) {
  const path = join(tempFolder(), "store.db");
  const store = openStore({ path, ...options });
  const db = new DatabaseSync(path);
  const count = (table: string): number =>
    db.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.["count"] as number;
  const used = (): number =>
    db.prepare("SELECT artifacts AS used FROM space").get()?.["used"] as number;
  return { path, store, db, count, used };
}

test("an artifact is not visible before its last byte is written", async () => {
  const { path, store, count } = place();
  const other = openStore(path);
  const { artifact, data } = testArtifact("large", 5 * MiB);
  const seen: boolean[] = [];
  const state = { done: false };
  const put = Promise.resolve(store.artifacts.put(artifact, data)).then(() => (state.done = true));
  while (!state.done) {
    const half = count("artifact_chunks") > 0 && count("artifact_chunks") < 20;
    if (half) seen.push((await other.artifacts.head(artifact.key)) !== undefined);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await put;
  expect(seen.length).toBeGreaterThan(0);
  expect(seen).not.toContain(true);
  expect(await other.artifacts.head(artifact.key)).toEqual(artifact);
});

test("an artifact that a crash has cut off counts and stays while its writer may live, and is removed then", async () => {
  const clock = new FakeClock();
  const { path, store, count, used } = place({ clock });
  const { artifact, data } = testArtifact("large", 5 * MiB);
  const putting = catchToolError(() => store.artifacts.put(artifact, data));
  await new Promise((resolve) => setImmediate(resolve));
  store.close();
  expect((await putting).code).toBe("store_unavailable");
  expect(count("artifact_chunks")).toBeGreaterThan(0);
  const next = openStore({ path, clock });
  expect(await next.artifacts.read(artifact.key, 0, 10)).toBeUndefined();
  const [b, c] = ["b", "c"].map((word) => testArtifact(word, 10));
  clock.advance(29_999);
  await next.artifacts.put(b!.artifact, b!.data);
  expect(used()).toBeGreaterThan(5 * MiB);
  clock.advance(1);
  await next.artifacts.put(c!.artifact, c!.data);
  expect(used()).toBeLessThan(1_000);
  expect(count("artifact_chunks")).toBe(2);
});

test("a writer that was delayed for longer than its lease fails, and leaves nothing", async () => {
  const clock = new FakeClock();
  const { path, store, count } = place({ clock });
  const other = openStore({ path, clock });
  const { artifact, data } = testArtifact("large", 5 * MiB);
  const putting = catchToolError(() => store.artifacts.put(artifact, data));
  clock.skip(30_000);
  const small = testArtifact("small", 10);
  await other.artifacts.put(small.artifact, small.data);
  const error = await putting;
  expect(error).toMatchObject({ code: "store_unavailable", retryable: true });
  expect(count("artifact_chunks")).toBe(1);
});

test("deleted and expired artifacts leave no bytes behind, and their space is used again", async () => {
  const clock = new FakeClock();
  const { store, db, count, used } = place({ clock });
  const pages = (): number => db.prepare("PRAGMA page_count").get()?.["page_count"] as number;
  for (const word of ["a", "b"]) {
    const { artifact, data } = testArtifact(word, 2 * MiB, { expiresAt: clock.now() + 1_000 });
    await store.artifacts.put(artifact, data);
  }
  await store.artifacts.delete(testArtifact("a", 0).artifact.key);
  expect(count("artifact_chunks")).toBe(8);
  const before = pages();
  clock.advance(1_000);
  const { artifact, data } = testArtifact("c", 3 * MiB);
  await store.artifacts.put(artifact, data);
  expect(count("artifact_chunks")).toBe(12);
  expect(used()).toBeLessThan(3 * MiB + 1_000);
  expect(pages()).toBeLessThanOrEqual(before + 10);
});

test("storing a small one does not remove all expired ones at once", async () => {
  const clock = new FakeClock();
  const { store, count } = place({ clock });
  for (let word = 0; word < 150; word++) {
    const { artifact, data } = testArtifact(word, 1_000, { expiresAt: clock.now() + 1 });
    await store.artifacts.put(artifact, data);
  }
  clock.advance(1);
  for (const [word, left] of [
    ["a", 149],
    ["b", 148],
  ] as const) {
    const { artifact, data } = testArtifact(word, 600);
    await store.artifacts.put(artifact, data);
    expect(count("artifacts")).toBe(left);
  }
});

test("a disk that becomes full halfway: the artifact does not exist, and smaller ones still fit", async () => {
  const path = join(tempFolder(), "store.db");
  const file = new SqliteFile(path);
  const artifacts = new SqliteArtifacts(file, 30_000, { maxBytes: 1e9, maxBytesPerOwner: 1e9 });
  file.prepare("PRAGMA max_page_count = 800").get();
  const { artifact, data } = testArtifact("large", 5 * MiB);
  expect(await catchToolError(() => artifacts.put(artifact, data))).toMatchObject({
    code: "store_unavailable",
    retryable: true,
    message: `${path} has no more space on its disk: free some, then call again.`,
  });
  expect(await artifacts.head(artifact.key)).toBeUndefined();
  const small = testArtifact("small", 2 * MiB);
  await artifacts.put(small.artifact, small.data);
  expect(await artifacts.read(small.artifact.key, 0, Infinity)).toEqual(small.data);
  file.close();
});

test.each<[string, string]>([
  ["a missing chunk", "DELETE FROM artifact_chunks WHERE chunk = 1"],
  ["a truncated chunk", "UPDATE artifact_chunks SET bytes = x'00' WHERE chunk = 1"],
])("%s is reported as damage, and never read as another value", async (_, damage) => {
  const { path, store, db } = place();
  const { artifact, data } = testArtifact("a", 600_000);
  await store.artifacts.put(artifact, data);
  db.exec(damage);
  expect(await store.artifacts.read(artifact.key, 0, 1_000)).toEqual(data.slice(0, 1_000));
  expect(await catchToolError(() => store.artifacts.read(artifact.key, 0, 600_000))).toMatchObject({
    code: "store_unavailable",
    retryable: false,
    message: `${path} has the artifact ${artifact.key} damaged: delete it.`,
  });
});

test("a swapped description is reported as damage", async () => {
  const { store, db } = place();
  const [a, b] = ["a", "b"].map((word) => testArtifact(word, 10, { owner: word }));
  for (const { artifact, data } of [a!, b!]) await store.artifacts.put(artifact, data);
  db.prepare("UPDATE artifacts SET artifact = ? WHERE key = ?").run(
    JSON.stringify(b!.artifact),
    a!.artifact.key,
  );
  expect((await catchToolError(() => store.artifacts.head(a!.artifact.key))).code).toBe(
    "store_unavailable",
  );
});
