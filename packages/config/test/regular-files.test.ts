import { spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describeConfig, readLock, writeLock, type Lock } from "@toolweave/config";
import { describe, expect, test } from "vitest";
import { configFile, folderWith } from "./support/config-file.ts";
import { refusal } from "./support/echo.ts";

type Put = (path: string) => void;

/** A replacement of a file: a read of it would block, never end, or fill the memory. */
const others: readonly (readonly [what: string, reason: string, put: Put])[] = [
  ["a pipe", "not a regular file", (path) => void spawnSync("mkfifo", [path])],
  ["a device", "not a regular file", (path) => symlinkSync("/dev/zero", path)],
  ["a folder", "EISDIR", (path) => void mkdirSync(path)],
  [
    "a file without a size limit",
    "larger than",
    (path) => {
      writeFileSync(path, "");
      // Sparse: it takes no room on the disk.
      truncateSync(path, 4 * 1024 ** 3);
    },
  ],
];

describe.skipIf(process.platform === "win32").each(others)("%s", (_what, reason, put) => {
  test("cannot be a configuration", async () => {
    const path = join(folderWith({}), "toolweave.json");
    put(path);
    expect(await refusal(path)).toContain(`cannot be read (${reason}`);
    expect(() => describeConfig(path)).toThrow(`cannot be read (${reason}`);
  });

  test("cannot be a prompt", async () => {
    const system = { file: "prompt.md" };
    const agent = { description: "Helps.", system, model: "openai/gpt-5", tools: ["*"] };
    const path = configFile({ agents: { helper: agent } });
    put(join(path, "../prompt.md"));
    expect(await refusal(path)).toContain(`the file cannot be read (${reason}`);
    expect(() => describeConfig(path)).toThrow(`prompt.md cannot be read (${reason}`);
  });

  test("cannot be a file with variables", async () => {
    const path = configFile({ servers: { a: { command: "node", envFile: ".env" } } });
    put(join(path, "../.env"));
    expect(await refusal(path)).toContain(`the file cannot be read (${reason}`);
  });

  test("cannot be a lock", async () => {
    const path = join(folderWith({}), "toolweave.lock.json");
    put(path);
    await expect(readLock(path)).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(
        new RegExp(`cannot be read \\((?:${reason}|ELOOP)`),
      ) as unknown,
    });
  });
});

describe.skipIf(process.platform === "win32")("a lock", () => {
  const lock: Lock = { version: 2, sources: {} };

  test("is not read through a link, and replaces one", async () => {
    const folder = folderWith({ "other.json": JSON.stringify(lock) });
    const [path, other] = [join(folder, "toolweave.lock.json"), join(folder, "other.json")];
    symlinkSync(other, path);
    await expect(readLock(path)).rejects.toThrow("(ELOOP): it is a link, which is not followed.");
    writeFileSync(other, "as it was");
    await writeLock(path, lock);
    expect(readFileSync(other, "utf8")).toBe("as it was");
    expect(await readLock(path)).toEqual(lock);
    // Not the mode of the link, which is open to all.
    expect(statSync(path).mode & 0o777).toBe(0o644);
  });

  test("is written under an unpredictable temporary name, and keeps its mode", async () => {
    const folder = folderWith({ target: "as it was" });
    const path = join(folder, "toolweave.lock.json");
    symlinkSync(join(folder, "target"), `${path}.${process.pid}.unfinished`);
    await writeLock(path, lock);
    expect(statSync(path).mode & 0o777).toBe(0o644);
    chmodSync(path, 0o640);
    await writeLock(path, lock);
    expect(statSync(path).mode & 0o777).toBe(0o640);
    rmSync(`${path}.${process.pid}.unfinished`);
    expect(readFileSync(join(folder, "target"), "utf8")).toBe("as it was");
    expect(readdirSync(folder).sort()).toEqual(["target", "toolweave.lock.json"]);
  });
});
