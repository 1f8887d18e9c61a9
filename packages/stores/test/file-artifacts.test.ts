import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { catchToolError, FakeClock } from "@toolweave/conformance/stores";
import { testArtifact, testArtifactKey } from "@toolweave/conformance/test-records";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { describe, expect, test } from "vitest";
import { fileArtifacts } from "../src/index.ts";
import { startWorker } from "./support/start-worker.ts";

const isWindows = process.platform === "win32";

/** A folder with one artifact in it. */
async function place() {
  const path = join(tempFolder(), "artifacts");
  const store = fileArtifacts(path);
  const { artifact, data } = testArtifact("a", 10_000);
  await store.put(artifact, data);
  return { path, store, artifact, data, file: join(path, artifact.key) };
}

describe("the access of other users", () => {
  test.skipIf(isWindows)(
    "SE08: files are 0600 in a folder of 0700, whatever the umask",
    async () => {
      const folder = tempFolder();
      const worker = startWorker("underUmask0", folder);
      expect(await worker.next()).toBe("done");
      const readMode = (name: string): string =>
        (statSync(join(folder, name)).mode & 0o777).toString(8);
      const modes = Object.fromEntries(
        readdirSync(folder, { recursive: true }).map((name) => [name, readMode(name as string)]),
      );
      expect(modes).toEqual({
        artifacts: "700",
        [join("artifacts", testArtifactKey("a"))]: "600",
        database: "700",
        [join("database", "store.db")]: "600",
        [join("database", "store.db-wal")]: "600",
        [join("database", "store.db-shm")]: "600",
        events: "700",
        [join("events", "run.ndjson")]: "600",
      });
    },
  );

  test.skipIf(isWindows)(
    "a folder that others have access to is refused, and the error has the next step",
    async () => {
      const path = join(tempFolder(), "open");
      mkdirSync(path);
      chmodSync(path, 0o755);
      expect(await catchToolError(() => fileArtifacts(path))).toMatchObject({
        code: "store_unavailable",
        retryable: false,
        message: `${path} is open to other users: run \`chmod 700\` on it.`,
      });
      chmodSync(path, 0o700);
      fileArtifacts(path);
    },
  );

  test.skipIf(isWindows)(
    "a link to a folder is refused, whether or not its target exists",
    async () => {
      const folder = tempFolder();
      mkdirSync(join(folder, "real"), { mode: 0o700 });
      for (const target of ["real", "nowhere"]) {
        const link = join(folder, `to-${target}`);
        symlinkSync(join(folder, target), link);
        expect((await catchToolError(() => fileArtifacts(link))).message).toContain("is a link");
      }
    },
  );

  test("a file, and a path under one, are not a folder", async () => {
    const file = join(tempFolder(), "file");
    writeFileSync(file, "");
    for (const path of [file, join(file, "artifacts")]) {
      expect(await catchToolError(() => fileArtifacts(path))).toMatchObject({
        code: "store_unavailable",
      });
    }
  });

  test("without a path, and with a misspelled option, nothing is created", async () => {
    for (const options of [undefined, "", null, {}, { path: "x", maxBites: 1 }]) {
      expect((await catchToolError(() => fileArtifacts(options as never))).code).toBe(
        "invalid_configuration",
      );
    }
  });
});

describe("a replaced folder or file", () => {
  test.skipIf(isWindows)(
    "a folder that became a link is not written through, and can be restored",
    async () => {
      const { path, store, artifact, data } = await place();
      const elsewhere = join(tempFolder(), "elsewhere");
      mkdirSync(elsewhere, { mode: 0o700 });
      copyFileSync(join(path, artifact.key), join(elsewhere, artifact.key));
      renameSync(path, `${path}.moved`);
      symlinkSync(elsewhere, path);
      const other = testArtifact("b", 10);
      for (const work of [
        () => store.put(other.artifact, other.data),
        () => store.head(artifact.key),
        () => store.read(artifact.key, 0, 10),
        () => store.delete(artifact.key),
      ]) {
        expect(await catchToolError(work)).toMatchObject({
          code: "store_unavailable",
          message: `${path} was deleted or replaced while it was in use: bring the folder back, or restart to continue with a new one.`,
        });
      }
      expect(readdirSync(elsewhere)).toEqual([artifact.key]);
      unlinkSync(path);
      renameSync(`${path}.moved`, path);
      expect(await store.read(artifact.key, 0, Infinity)).toEqual(data);
    },
  );

  test("another folder in its place is detected", async () => {
    const { path, store, artifact } = await place();
    renameSync(path, `${path}.moved`);
    mkdirSync(path, { mode: 0o700 });
    expect((await catchToolError(() => store.head(artifact.key))).code).toBe("store_unavailable");
    const other = testArtifact("b", 10);
    expect((await catchToolError(() => store.put(other.artifact, other.data))).code).toBe(
      "store_unavailable",
    );
    expect(readdirSync(path)).toEqual([]);
  });

  test.skipIf(isWindows)("a link in an artifact's place is not followed", async () => {
    const { path, store, artifact, file } = await place();
    renameSync(file, join(path, "moved"));
    symlinkSync(join(path, "moved"), file);
    for (const work of [() => store.head(artifact.key), () => store.read(artifact.key, 0, 10)]) {
      expect(await catchToolError(work)).toMatchObject({
        code: "store_unavailable",
        retryable: false,
        message: `${file} is damaged, or not the file that was written: delete it.`,
      });
    }
    await store.delete(artifact.key);
    expect(existsSync(join(path, "moved"))).toBe(true);
    expect(await store.head(artifact.key)).toBeUndefined();
  });

  test.skipIf(isWindows)("a pipe in an artifact's place blocks nothing", async () => {
    const { store, artifact, file } = await place();
    unlinkSync(file);
    execFileSync("mkfifo", [file]);
    expect((await catchToolError(() => store.head(artifact.key))).code).toBe("store_unavailable");
  });

  test("a link in the place of the next artifact is not followed", async () => {
    const { path, store } = await place();
    const { artifact, data } = testArtifact("b", 10);
    const target = join(path, "..", "target");
    writeFileSync(target, "mine");
    symlinkSync(target, join(path, artifact.key));
    expect((await catchToolError(() => store.put(artifact, data))).code).toBe("internal");
    expect(readFileSync(target, "utf8")).toBe("mine");
  });

  test("another artifact's file is detected", async () => {
    const { path, store, artifact } = await place();
    copyFileSync(join(path, artifact.key), join(path, testArtifactKey("b")));
    expect((await catchToolError(() => store.head(testArtifactKey("b")))).code).toBe(
      "store_unavailable",
    );
  });
});

describe("a change on the disk", () => {
  test("a deleted file is the same as an expired one", async () => {
    const { store, artifact, file } = await place();
    rmSync(file);
    expect(await store.head(artifact.key)).toBeUndefined();
    expect(await store.read(artifact.key, 0, 10)).toBeUndefined();
    await store.delete(artifact.key);
  });

  test.each<[string, (file: string) => void]>([
    ["cut off", (file) => truncateSync(file, 5_000)],
    ["truncated in its description", (file) => truncateSync(file, 20)],
    ["empty", (file) => truncateSync(file, 0)],
    ["longer than it was", (file) => appendFileSync(file, "more")],
    ["overwritten", (file) => writeFileSync(file, Buffer.alloc(10_000, 0xff))],
    [
      "one that claims an infinite description",
      (file) => {
        writeFileSync(file, Buffer.concat([Buffer.from("TWA1"), Buffer.alloc(9_000, 0xff)]));
      },
    ],
    [
      "one whose description is not JSON",
      (file) => {
        const bytes = readFileSync(file);
        bytes.fill(0x7b, 8, 40);
        writeFileSync(file, bytes);
      },
    ],
  ])("a file that is %s is reported as damaged, and can be deleted", async (_, damage) => {
    const { store, artifact, file } = await place();
    damage(file);
    for (const work of [() => store.head(artifact.key), () => store.read(artifact.key, 0, 10)]) {
      expect(await catchToolError(work)).toMatchObject({
        code: "store_unavailable",
        retryable: false,
      });
    }
    await store.delete(artifact.key);
    expect(await store.head(artifact.key)).toBeUndefined();
  });

  test("EX09: a deleted folder fails every request and is not created again", async () => {
    const { path, store, artifact } = await place();
    rmSync(path, { recursive: true });
    const other = testArtifact("b", 10);
    for (const work of [
      () => store.head(artifact.key),
      () => store.put(other.artifact, other.data),
      () => store.delete(artifact.key),
    ]) {
      expect((await catchToolError(work)).code).toBe("store_unavailable");
    }
    expect(existsSync(path)).toBe(false);
  });

  test("a part is read without the rest", async () => {
    const { path, store } = await place();
    const { artifact, data } = testArtifact("large", 64 * 1_048_576);
    await store.put(artifact, data);
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    for (let offset = 0; offset < artifact.size; offset += 4_194_304) {
      const page = await fileArtifacts(path).read(artifact.key, offset, 4_000);
      expect(Buffer.compare(page!, data.subarray(offset, offset + 4_000))).toBe(0);
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }
    expect(most).toBeLessThan(4_194_304);
  });
});

describe("the cleanup", () => {
  test("removes expired and incomplete artifacts with the next artifact", async () => {
    const clock = new FakeClock(Date.now());
    const path = join(tempFolder(), "artifacts");
    const soon = testArtifact("soon", 10, { expiresAt: clock.now() + 1_000 });
    const late = testArtifact("late", 10, { expiresAt: clock.now() + 3_600_000 });
    const store = fileArtifacts({ path, clock });
    for (const { artifact, data } of [soon, late]) await store.put(artifact, data);
    // Half of one, and one whose writer exited just before the end.
    const cutOff = ["x", "y"].map(
      (word) => `.${testArtifactKey(word)}.00000000-0000-4000-8000-000000000000.tmp`,
    );
    for (const name of [...cutOff, "notes.txt"]) writeFileSync(join(path, name), "half");
    utimesSync(join(path, cutOff[1]!), 9_000_000_000, 9_000_000_000);
    const put = async (word: string): Promise<readonly string[]> => {
      const { artifact, data } = testArtifact(word, 10);
      await store.put(artifact, data);
      return readdirSync(path).sort();
    };
    const others = ["notes.txt", testArtifactKey("late")];
    clock.advance(590_000);
    // Their writers may still be active.
    expect(await put("1")).toEqual([...cutOff, ...others, testArtifactKey("1")].sort());
    clock.advance(20_000);
    expect(await put("2")).toEqual([...others, testArtifactKey("1"), testArtifactKey("2")].sort());
  });

  test("does not remove artifacts to which a copy of the folder has given another time", async () => {
    const { path, store, artifact, data, file } = await place();
    utimesSync(file, 0, 0);
    const next = testArtifact("next", 10);
    await fileArtifacts(path).put(next.artifact, next.data);
    expect(await store.read(artifact.key, 0, Infinity)).toEqual(data);
  });

  test("with a folder in an artifact's place does not prevent others from being stored", async () => {
    const { path, store } = await place();
    mkdirSync(join(path, testArtifactKey("folder")));
    expect((await catchToolError(() => store.head(testArtifactKey("folder")))).code).toBe(
      "store_unavailable",
    );
    const next = testArtifact("next", 10);
    const restarted = fileArtifacts(path);
    await restarted.put(next.artifact, next.data);
    expect(await restarted.read(next.artifact.key, 0, 10)).toEqual(next.data);
  });

  test("counts artifacts that others have written and removed after a short time", async () => {
    const clock = new FakeClock(Date.now());
    const path = join(tempFolder(), "artifacts");
    const [one, other] = [1, 2].map(() =>
      fileArtifacts({ path, clock, maxBytes: 25_000, maxBytesPerOwner: 25_000 }),
    );
    const [a, b, c, d] = ["a", "b", "c", "d"].map((word) => testArtifact(word, 10_000));
    await one!.put(a!.artifact, a!.data);
    await other!.put(b!.artifact, b!.data);
    clock.advance(10_000);
    expect((await catchToolError(() => one!.put(c!.artifact, c!.data))).code).toBe(
      "limit_exceeded",
    );
    await other!.delete(a!.artifact.key);
    clock.advance(1_000);
    await one!.put(c!.artifact, c!.data);
    expect((await catchToolError(() => one!.put(d!.artifact, d!.data))).code).toBe(
      "limit_exceeded",
    );
  });

  test("counts artifacts that are being written once", async () => {
    const clock = new FakeClock(Date.now());
    const path = join(tempFolder(), "artifacts");
    const store = fileArtifacts({
      path,
      clock,
      maxBytes: 25_000_000,
      maxBytesPerOwner: 25_000_000,
    });
    const [a, b] = ["a", "b"].map((word) => testArtifact(word, 12_000_000));
    const putting = store.put(a!.artifact, a!.data);
    const written = (): number =>
      readdirSync(path).reduce(
        // It is renamed at the end, perhaps just now.
        (sum, name) => sum + (statSync(join(path, name), { throwIfNoEntry: false })?.size ?? 0),
        0,
      );
    while (written() < 2_000_000) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(10_000);
    await store.put(b!.artifact, b!.data);
    await putting;
    expect(readdirSync(path).sort()).toEqual([testArtifactKey("a"), testArtifactKey("b")].sort());
  });

  test("leaves nothing of an artifact that could not be written", async () => {
    const { path, store } = await place();
    const { artifact, data } = testArtifact("b", 1_000_000);
    const putting = catchToolError(() => store.put(artifact, data));
    structuredClone(data, { transfer: [data.buffer as ArrayBuffer] });
    await putting;
    expect(readdirSync(path)).toEqual([testArtifactKey("a")]);
  });
});
