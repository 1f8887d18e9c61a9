import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { StoreKey } from "../src/store-key.ts";
import { isHomeStore, storePath } from "../src/store-path.ts";
import { tempStore } from "./support/temp-file.ts";

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

test("a key is made when it is kept, and found by whoever comes later", () => {
  const path = tempStore();
  const key = new StoreKey(path, {});
  expect([key.isNew, existsSync(dirname(path))]).toEqual([true, false]);
  key.keep();
  key.keep();
  const later = new StoreKey(path, {});
  expect([later.isNew, later.value]).toEqual([false, key.value]);
  expect(key.value.length).toBeGreaterThanOrEqual(43);
});

test("of two that are made together one is kept, whole, and the other says so", () => {
  const path = tempStore();
  const [first, second] = [new StoreKey(path, {}), new StoreKey(path, {})];
  first.keep();
  expect(() => second.keep()).toThrow("made by another process just now");
  expect([first.wasTaken, second.wasTaken]).toEqual([false, true]);
  expect(readFileSync(`${path}.key`, "utf8")).toBe(`${first.value}\n`);
  expect(readdirSync(dirname(path))).toEqual(["approvals.sqlite.key"]);
});
