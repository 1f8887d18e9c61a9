import { readdirSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { testArtifact, testArtifactKey } from "@toolweave/conformance/test-records";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { describe, expect, test } from "vitest";
import { inFullRun } from "@toolweave/test-support";
import { fileArtifacts, sqliteStore } from "../../src/index.ts";
import { artifactStore } from "../support/artifact-store.ts";
import { startWorker, type Worker } from "../support/start-worker.ts";

const size = 6_000_000;

/** The messages of a worker so far: the begun and the stored artifacts. */
interface Progress {
  readonly begun: string[];
  readonly put: string[];
}

function note(progress: Progress, message: string): void {
  if (message.startsWith("begins ")) progress.begun.push(message.slice(7));
  else progress.put.push(message);
}

async function until(worker: Worker, count: number): Promise<Progress> {
  const progress: Progress = { begun: [], put: [] };
  while (progress.put.length < count) note(progress, String(await worker.next()));
  return progress;
}

const rounds = inFullRun(4, 2);

describe.each([["files"], ["SQLite"]])("artifacts in %s", (kind) => {
  test("of a process that is killed while it writes: complete, or absent", async () => {
    const path = join(tempFolder(), "artifacts");
    const store = artifactStore(kind, path);
    const whole = testArtifact("any", size);
    let cutOff = 0;
    for (let round = 0; round < rounds; round++) {
      const worker = startWorker("putForever", path, kind, String(size));
      const progress = await until(worker, 2);
      // In the middle of the next, each time at another point.
      note(progress, String(await worker.next()));
      const end = performance.now() + 6 * round;
      while (performance.now() < end);
      await worker.kill();
      for (const message of worker.rest()) note(progress, String(message));
      for (const word of progress.begun) {
        const data = await store.read(testArtifactKey(word), 0, Infinity);
        const isWhole = data !== undefined && Buffer.compare(data, whole.data) === 0;
        expect({ word, there: data !== undefined }).toEqual({ word, there: isWhole });
        expect(isWhole || !progress.put.includes(word)).toBe(true);
        if (!isWhole) cutOff++;
      }
    }
    console.log(
      `kill -9 while artifacts were written (${kind}), ${rounds} times: ${cutOff} cut off, none half`,
    );
    expect(cutOff).toBeGreaterThan(0);
  });

  test("of three processes at once: each finds those of the others", async () => {
    const path = join(tempFolder(), "artifacts");
    const workers = [1, 2, 3].map(() => startWorker("putForever", path, kind, "700000"));
    const put = (await Promise.all(workers.map((worker) => until(worker, 15)))).flatMap(
      (progress) => progress.put,
    );
    await Promise.all(workers.map((worker) => worker.kill()));
    const store = artifactStore(kind, path);
    const { data } = testArtifact("any", 700_000);
    for (const word of put) {
      expect(Buffer.compare((await store.read(testArtifactKey(word), 0, Infinity))!, data)).toBe(0);
    }
    expect(put).toHaveLength(45);
  });
});

/** A clock by which the work of a killed process has been abandoned. */
const later = {
  now: () => Date.now() + 3_600_000,
  setTimeout: (callback: () => void, ms: number) => setTimeout(callback, ms),
  clearTimeout: (timer: unknown) => clearTimeout(timer as never),
};

test("artifacts that a killed process has left incomplete are removed later", async () => {
  const folder = tempFolder();
  const [files, database] = [join(folder, "files"), join(folder, "store.db")];
  for (const [kind, path] of [
    ["files", files],
    ["SQLite", database],
  ] as const) {
    for (let round = 0; round < 3; round++) {
      const worker = startWorker("putForever", path, kind, "20000000");
      await worker.next();
      await new Promise((resolve) => setImmediate(resolve));
      await worker.kill();
    }
  }
  const [first, ...next] = ["a", "b", "c", "d"].map((word) => testArtifact(word, 10));
  await fileArtifacts({ path: files, clock: later }).put(first!.artifact, first!.data);
  expect(readdirSync(files).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  const store = sqliteStore({ path: database, clock: later });
  // Each removes one at least.
  for (const { artifact, data } of next) await store.artifacts.put(artifact, data);
  store.close();
  const db = new DatabaseSync(database);
  expect(db.prepare("SELECT count(*) AS count FROM artifacts WHERE complete = 0").get()).toEqual({
    count: 0,
  });
  db.close();
});
