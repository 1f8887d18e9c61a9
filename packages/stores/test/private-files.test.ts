import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { catchToolError } from "@toolweave/conformance/stores";
import type { Credential } from "@toolweave/core/stores";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { describe, expect, test } from "vitest";
import {
  auditFile,
  eventFile,
  fileCredentials,
  fileLists,
  readEvents,
  sqliteStore,
} from "../src/index.ts";

const token: Credential = { type: "token", accessToken: "an-access-token" };
const key = { source: "shop", scheme: "oauth" };

function pipe(path: string): string {
  expect(spawnSync("mkfifo", [path]).status).toBe(0);
  return path;
}

describe.skipIf(process.platform === "win32")("a store of this user", () => {
  test("does not read a credential that others can read, and names the command to run", async () => {
    const path = join(tempFolder(), "credentials");
    const store = fileCredentials(path);
    await store.set(key, token);
    const file = join(path, readdirSync(path)[0] as string);
    for (const mode of [0o640, 0o604, 0o602]) {
      chmodSync(file, mode);
      expect(await catchToolError(() => store.get(key))).toMatchObject({
        code: "store_unavailable",
        retryable: false,
        message: `${file} is open to other users: run \`chmod 600\` on it.`,
      });
    }
    chmodSync(file, 0o600);
    expect(await store.get(key)).toEqual(token);
  });

  test("does not open a database that others can read, or that is a link", async () => {
    const path = join(tempFolder(), "store.sqlite");
    sqliteStore(path).close();
    chmodSync(path, 0o644);
    expect(await catchToolError(() => sqliteStore(path))).toMatchObject({
      code: "store_unavailable",
      message: `${path} is open to other users: run \`chmod 600\` on it.`,
    });
    chmodSync(path, 0o600);
    renameSync(path, `${path}.real`);
    symlinkSync(`${path}.real`, path);
    expect((await catchToolError(() => sqliteStore(path))).message).toBe(
      `${path} is a link: name the file itself.`,
    );
  });

  test.each<[string, (path: string) => unknown]>([
    ["audit records", (path) => auditFile(path)],
    ["events", (path) => eventFile(path)],
    ["database", (path) => sqliteStore(path)],
  ])("writes no %s through a link", async (_what, open) => {
    const folder = tempFolder();
    const [target, link] = [join(folder, "target"), join(folder, "link")];
    writeFileSync(target, "as it was", { mode: 0o600 });
    symlinkSync(target, link);
    symlinkSync(join(folder, "nowhere"), join(folder, "dangling"));
    for (const path of [link, join(folder, "dangling")]) {
      expect((await catchToolError(() => open(path))).message).toBe(
        `${path} is a link: name the file itself.`,
      );
    }
    expect(readFileSync(target, "utf8")).toBe("as it was");
    expect(existsSync(join(folder, "nowhere"))).toBe(false);
  });

  test("writes no audit records and no database into a pipe, which would block the process", async () => {
    const path = pipe(join(tempFolder(), "pipe"));
    for (const open of [() => auditFile(path), () => sqliteStore(path)]) {
      expect((await catchToolError(open)).message).toBe(`${path} is no file: name another path.`);
    }
  });

  test("does not wait for a pipe in place of a recording or of a list", async () => {
    const folder = tempFolder();
    const fifo = pipe(join(folder, "run.ndjson"));
    expect((await catchToolError(() => readEvents(fifo).next())).message).toContain("is no file");
    const lists = fileLists(join(folder, "lists"));
    await lists.set("a", ["tool"]);
    const [name = ""] = readdirSync(join(folder, "lists"));
    renameSync(join(folder, "lists", name), join(folder, "kept"));
    pipe(join(folder, "lists", name));
    expect(await lists.get("a")).toBeUndefined();
  });

  test.each<[string, (path: string, size: number) => void]>([
    ["cut in half", (path, size) => truncateSync(path, Math.floor(size / 8192) * 4096)],
    ["cut by one byte", (path, size) => truncateSync(path, size - 1)],
    [
      "overwritten in its middle",
      (path, size) => {
        const bytes = readFileSync(path);
        bytes.fill(0xff, size / 2, size - 4096);
        writeFileSync(path, bytes);
      },
    ],
  ])("detects on opening that a database was %s", async (_what, harm) => {
    const path = join(tempFolder(), "store.sqlite");
    const store = sqliteStore(path);
    // The damage is in the data: SQLite itself notices a damaged schema.
    await store.credentials.set(key, { ...token, accessToken: "x".repeat(1_000_000) });
    store.close();
    harm(path, readFileSync(path).length);
    expect(await catchToolError(() => sqliteStore(path))).toMatchObject({
      code: "store_unavailable",
      retryable: false,
      message: `${path} is damaged: move it away with its -wal and -shm, or restore a backup.`,
    });
  });
});
