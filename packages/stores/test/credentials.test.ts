import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { catchToolError } from "@toolweave/conformance/stores";
import type { Credential } from "@toolweave/core/stores";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { describe, expect, test, vi } from "vitest";
import { fileCredentials } from "../src/index.ts";
import { openStore } from "./support/open-store.ts";
import { startWorker } from "./support/start-worker.ts";

const isWindows = process.platform === "win32";

// Processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

const token: Credential = {
  type: "token",
  accessToken: "access",
  expiresAt: 1_700_000_000_000,
  refreshToken: "refresh",
  scopes: ["read", "write"],
};

describe.each([
  ["files", fileCredentials, "credentials"],
  ["sqlite", (path: string) => openStore(path).credentials, "store.db"],
] as const)("credentials on disk in %s", (kind, open, name) => {
  const key = { source: "museum", scheme: "oauth", caller: "ada" };

  test("exist after a restart, and for another process", async () => {
    const path = join(tempFolder(), name);
    await open(path).set(key, token);
    expect(await open(path).get(key)).toEqual(token);
    const worker = startWorker("credential", path, kind);
    expect(await worker.next()).toBe("access");
    expect(await worker.next()).toBe("set");
    expect(await open(path).get(key)).toEqual({ type: "secret", secret: "by another" });
  });

  test("are never mixed by four processes that set them without end", async () => {
    const path = join(tempFolder(), name);
    const store = open(path);
    await store.set(key, { type: "secret", secret: "0".repeat(10_000) });
    const workers = Array.from({ length: 4 }, () => startWorker("setForever", path, kind));
    for (const worker of workers) await worker.next();
    for (let read = 0; read < 200; read++) {
      const found = await store.get(key);
      expect(found).toMatchObject({ type: "secret" });
      expect(new Set((found as { secret: string }).secret).size).toBe(1);
    }
    for (const worker of workers) await worker.kill();
    const left = await store.get(key);
    expect((left as { secret: string }).secret).toHaveLength(10_000);
  });

  test("are refused if they are invalid, and not displayed", async () => {
    const store = open(join(tempFolder(), name));
    for (const none of [
      undefined,
      "a secret",
      { type: "secret", secret: 7 },
      { type: "password", username: "ada" },
      { type: "token", accessToken: "a secret", expiresAt: Infinity },
      { type: "token", accessToken: "a secret", scopes: "read" },
      { type: "toString", secret: "a secret" },
    ]) {
      const error = await catchToolError(() => Promise.resolve(store.set(key, none as never)));
      expect(error.code).toBe("internal");
      expect(error.message).not.toContain("a secret");
    }
    expect(await store.get(key)).toBeUndefined();
    const unkeyed = await catchToolError(() =>
      Promise.resolve(store.get({ source: "a" } as never)),
    );
    expect(unkeyed.code).toBe("internal");
  });
});

describe("a folder of credentials", () => {
  const key = { source: "museum", scheme: "oauth" };

  async function folder() {
    const path = join(tempFolder(), "a", "credentials");
    const store = fileCredentials(path);
    await store.set(key, token);
    const [name = ""] = readdirSync(path);
    return { path, store, file: join(path, name) };
  }

  test.skipIf(isWindows)("SE08: is only accessible for this user, whatever the umask", async () => {
    const path = join(tempFolder(), "credentials");
    const worker = startWorker("credential", path, "files", "umask");
    await worker.next();
    expect(await worker.next()).toBe("set");
    const [name = ""] = readdirSync(path);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(statSync(join(path, name)).mode & 0o777).toBe(0o600);
  });

  test.skipIf(isWindows)("is refused if others have access, and if it is a link", async () => {
    const { path } = await folder();
    chmodSync(path, 0o750);
    expect((await catchToolError(() => fileCredentials(path))).message).toBe(
      `${path} is open to other users: run \`chmod 700\` on it.`,
    );
    chmodSync(path, 0o700);
    const link = join(tempFolder(), "link");
    symlinkSync(path, link);
    expect((await catchToolError(() => fileCredentials(link))).code).toBe("store_unavailable");
  });

  test("contains names without information", async () => {
    const { file } = await folder();
    expect(file).toMatch(/[/\\][0-9a-f]{64}\.json$/);
  });

  test.each<[string, (file: string) => void]>([
    ["cut off", (file) => truncateSync(file, 10)],
    ["something else", (file) => writeFileSync(file, '{"type":"secret"}')],
    ["above the maximum size", (file) => writeFileSync(file, " ".repeat(2_000_000))],
    [
      "a link",
      (file) => {
        renameSync(file, `${file}.real`);
        symlinkSync(`${file}.real`, file);
      },
    ],
    [
      "a folder",
      (file) => {
        renameSync(file, `${file}.real`);
        mkdirSync(file);
      },
    ],
  ])("reports a file that is %s", async (_what, harm) => {
    const { store, file } = await folder();
    harm(file);
    const error = await catchToolError(() => Promise.resolve(store.get(key)));
    expect(error.code).toBe("store_unavailable");
    expect(`${error.message} ${String(error.cause)}`).not.toContain("refresh");
  });

  test("reports that it was replaced", async () => {
    const { store, path } = await folder();
    renameSync(path, `${path}.old`);
    mkdirSync(path, { mode: 0o700 });
    for (const done of [
      () => store.get(key),
      () => store.set(key, token),
      () => store.delete(key),
    ]) {
      expect((await catchToolError(() => Promise.resolve(done()))).code).toBe("store_unavailable");
    }
    expect(readdirSync(path)).toEqual([]);
  });

  test("removes files that a crash has left incomplete, and none that are being written", async () => {
    const { path, file } = await folder();
    const [old, fresh] = ["1", "2"].map((id) => `${file}.${id}.unfinished`) as [string, string];
    writeFileSync(old, "half a sec");
    writeFileSync(fresh, "half a sec");
    utimesSync(old, 0, 0);
    await fileCredentials(path).set({ ...key, caller: "ada" }, token);
    expect([existsSync(old), existsSync(fresh), existsSync(file)]).toEqual([false, true, true]);
    expect(readFileSync(file, "utf8")).toBe(JSON.stringify(token));
  });

  test("needs a path", async () => {
    expect((await catchToolError(() => fileCredentials(""))).code).toBe("invalid_configuration");
  });
});
