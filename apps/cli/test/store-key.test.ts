import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { StoreKey } from "../src/store/store-key.ts";
import { isHomeStore, storePath } from "../src/store/store-place.ts";
import { tempFile, tempStore } from "./support/temp-file.ts";

test.each([
  ["/a/b.sqlite", { TOOLWEAVE_STORE: "/c", HOME: "/h" }, "/a/b.sqlite", false],
  [undefined, { TOOLWEAVE_STORE: "/c", XDG_STATE_HOME: "/s", HOME: "/h" }, "/c", false],
  [undefined, { XDG_STATE_HOME: "/s", HOME: "/h" }, "/s/toolweave/approvals.sqlite", false],
  [
    undefined,
    { XDG_STATE_HOME: "s", HOME: "/h" },
    "/h/.local/state/toolweave/approvals.sqlite",
    true,
  ],
  [
    undefined,
    { TOOLWEAVE_STORE: "", HOME: "/h" },
    "/h/.local/state/toolweave/approvals.sqlite",
    true,
  ],
])("the store of --store %s with %j is %s", (option, env, path, isHome) => {
  expect(storePath(option, env)).toBe(path);
  expect(isHomeStore(path, env)).toBe(isHome);
});

test("an empty --store is refused", () => {
  expect(() => storePath("", {})).toThrow("--store has no value");
});

test("a key is created when it is first needed, and found by later processes", () => {
  const path = tempStore();
  const key = new StoreKey(path, {});
  expect([key.isNew, existsSync(dirname(path))]).toEqual([true, false]);
  key.save();
  key.save();
  const later = new StoreKey(path, {});
  expect([later.isNew, later.value]).toEqual([false, key.value]);
  expect(key.value.length).toBeGreaterThanOrEqual(43);
});

test("of two that are created together one is stored, completely, and the other reports that", () => {
  const path = tempStore();
  const [first, second] = [new StoreKey(path, {}), new StoreKey(path, {})];
  first.save();
  expect(() => second.save()).toThrow("was just created by another process");
  expect([first.wasTaken, second.wasTaken]).toEqual([false, true]);
  expect(readFileSync(`${path}.key`, "utf8")).toBe(`${first.value}\n`);
  expect(readdirSync(dirname(path))).toEqual(["approvals.sqlite.key"]);
});

test.skipIf(process.platform === "win32").each<[what: string, put: (path: string) => void]>([
  ["a link", (path) => symlinkSync(tempFile("key", "k".repeat(43)), path)],
  ["a pipe", (path) => void spawnSync("mkfifo", ["-m", "600", path])],
  ["a folder", (path) => mkdirSync(path, { mode: 0o700 })],
])("%s is not a key, and is not awaited", (_what, put) => {
  const path = tempStore();
  mkdirSync(dirname(path), { mode: 0o700 });
  put(`${path}.key`);
  expect(new StoreKey(path, {}).problem).toMatchObject({ code: "store_unavailable" });
});
