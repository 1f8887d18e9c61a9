import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "toolweave-home-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const compiled = (cache = join(home, ".cache")): string => join(cache, "toolweave", "compiled");

function version(env: Readonly<Record<string, string>> = {}): number | null {
  const main = resolve(import.meta.dirname, "../src/main.ts");
  const { status, stderr } = spawnSync(
    process.execPath,
    ["--conditions=@toolweave/source", main, "--version"],
    { encoding: "utf8", env: { PATH: process.env["PATH"], HOME: home, ...env } },
  );
  expect(stderr).toBe("");
  return status;
}

test("what Node.js compiled of the program is kept in a folder of this user alone", () => {
  expect(version()).toBe(0);
  expect(readdirSync(compiled())).not.toEqual([]);
  expect(statSync(join(home, ".cache/toolweave")).mode & 0o777).toBe(0o700);
  expect(version()).toBe(0);
});

test("nothing that was compiled is kept in, or read from, a folder that others can write to", () => {
  mkdirSync(compiled(), { recursive: true });
  chmodSync(join(home, ".cache/toolweave"), 0o777);
  expect(version()).toBe(0);
  expect(readdirSync(compiled())).toEqual([]);
});

test("the folder of compiled code is in $XDG_CACHE_HOME if that is set", () => {
  expect(version({ XDG_CACHE_HOME: join(home, "caches") })).toBe(0);
  expect(readdirSync(compiled(join(home, "caches")))).not.toEqual([]);
});

test("the program runs where nothing can be kept", () => {
  expect(version({ HOME: "/proc" })).toBe(0);
  expect(version({ NODE_DISABLE_COMPILE_CACHE: "1" })).toBe(0);
  expect(existsSync(compiled()) && readdirSync(compiled()).length > 0).toBe(false);
});
