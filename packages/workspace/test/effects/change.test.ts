import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openEffects } from "../support/open-effects.ts";

describe("fs_write", () => {
  test("creates and overwrites without a read, and makes folders", async () => {
    const { value, read, root } = openEffects();
    const args = { path: "d/e/a.txt", content: "é\r\n" };
    expect(await value("fs_write", args)).toEqual({ path: "d/e/a.txt", size: 4, created: true });
    chmodSync(join(root, "d/e/a.txt"), 0o640);
    expect(await value("fs_write", { ...args, content: "b", mode: "overwrite" })).toEqual({
      path: "d/e/a.txt",
      size: 1,
      created: false,
    });
    expect(read("d/e/a.txt").toString()).toBe("b");
    expect(statSync(join(root, "d/e/a.txt")).mode & 0o777).toBe(0o640);
    expect(readdirSync(join(root, "d/e"))).toEqual(["a.txt"]);
  });

  test("only creates, or appends in the encoding of the file", async () => {
    const { value, failure, read } = openEffects({
      "a.txt": "a",
      wide: Buffer.from([0xff, 0xfe, 0x61, 0]),
    });
    expect(await failure("fs_write", { path: "a.txt", content: "b", mode: "create" })).toBe(
      'execution_failed: "a.txt" exists already.',
    );
    const appended = await value("fs_write", { path: "a.txt", content: "é", mode: "append" });
    expect(appended).toEqual({ path: "a.txt", size: 3, created: false });
    expect(read("a.txt").toString()).toBe("aé");
    await value("fs_write", { path: "wide", content: "é", mode: "append" });
    expect(read("wide").toString("hex")).toBe("fffe6100e900");
    expect(await value("fs_write", { path: "new", content: "x", mode: "append" })).toMatchObject({
      created: true,
    });
  });

  test("of one file at once loses nothing", async () => {
    const { value, read } = openEffects();
    const calls = Array.from({ length: 20 }, () =>
      value("fs_write", { path: "log", content: "x", mode: "append" }),
    );
    await Promise.all(calls);
    expect(read("log").toString()).toBe("x".repeat(20));
  });

  test("fails for a folder", async () => {
    const { failure } = openEffects({ "d/a": "" });
    expect(await failure("fs_write", { path: "d", content: "" })).toContain('"d" is a folder');
    expect(await failure("fs_write", { path: "d/a/b", content: "" })).toContain('"d/a/b" ');
  });
});

describe("fs_mkdir", () => {
  test("makes a folder and those around it, unless it is there", async () => {
    const { value, failure, root } = openEffects({ file: "" });
    expect(await value("fs_mkdir", { path: "a/b/c" })).toEqual({ path: "a/b/c", created: true });
    expect(await value("fs_mkdir", { path: "a/b/c/" })).toEqual({ path: "a/b/c", created: false });
    expect(await value("fs_mkdir", { path: "." })).toEqual({ path: ".", created: false });
    expect(statSync(join(root, "a/b/c")).isDirectory()).toBe(true);
    expect(await failure("fs_mkdir", { path: "file" })).toContain('"file" is a file');
  });
});

describe("fs_remove", () => {
  test("removes a file and an empty folder", async () => {
    const { value, root, failure } = openEffects({ "a.txt": "", "d/b": "" });
    expect(await value("fs_remove", { path: "a.txt" })).toEqual({ path: "a.txt", removed: 1 });
    expect(await failure("fs_remove", { path: "d" })).toContain("is not empty. Set recursive");
    await value("fs_remove", { path: "d/b" });
    await value("fs_remove", { path: "d" });
    expect(readdirSync(root)).toEqual([]);
    expect(await failure("fs_remove", { path: "a.txt" })).toBe(
      'execution_failed: "a.txt" does not exist.',
    );
  });

  test("removes a folder with all that is in it, and follows no link", async () => {
    const { value, root } = openEffects({
      "d/e/f": "",
      "d/.h": "",
      "d/node_modules/x": "",
      a: "1",
    });
    const outside = join(root, "..", "outside");
    mkdirSync(outside);
    symlinkSync(outside, join(root, "d/e/out"));
    symlinkSync("../a", join(root, "d/a"));
    const removed = await value("fs_remove", { path: "d", recursive: true });
    expect(removed).toEqual({ path: "d", removed: 8 });
    expect(readdirSync(root)).toEqual(["a"]);
    expect(existsSync(outside)).toBe(true);
  });

  test("removes a link, and not the file that it leads to", async () => {
    const { value, root, read } = openEffects({ "a.txt": "1", "d/b": "1" });
    symlinkSync("a.txt", join(root, "link"));
    symlinkSync("d", join(root, "folder-link"));
    await value("fs_remove", { path: "link" });
    await value("fs_remove", { path: "folder-link", recursive: true });
    expect(readdirSync(root)).toEqual(["a.txt", "d"]);
    expect(read("d/b").toString()).toBe("1");
  });

  test("does not remove the workspace", async () => {
    const { failure, root } = openEffects({ a: "" });
    for (const path of [".", root, "a/.."]) {
      expect(await failure("fs_remove", { path, recursive: true })).toContain(
        "is the folder of the workspace itself",
      );
    }
    expect(readdirSync(root)).toEqual(["a"]);
  });

  test("removes no folder in which something may not be removed, and nothing of it", async () => {
    const { failure, root } = openEffects(
      { "p/.git/hooks/h": "", "p/a": "", "q/private/x": "", "q/b": "" },
      { deny: ["private"] },
    );
    expect(await failure("fs_remove", { path: "p", recursive: true })).toContain("is protected");
    expect(await failure("fs_remove", { path: "q", recursive: true })).toContain("is denied");
    expect(existsSync(join(root, "p/a")) && existsSync(join(root, "q/b"))).toBe(true);
  });
});

describe("fs_copy and fs_move", () => {
  test("copy a file with its mode, over another one too", async () => {
    const { value, read, root } = openEffects({ "run.sh": "one", "b.txt": "two" });
    chmodSync(join(root, "run.sh"), 0o750);
    expect(await value("fs_copy", { from: "run.sh", to: "d/run.sh" })).toEqual({
      from: "run.sh",
      to: "d/run.sh",
      size: 3,
      created: true,
    });
    expect(statSync(join(root, "d/run.sh")).mode & 0o777).toBe(0o750);
    expect(await value("fs_copy", { from: "run.sh", to: "b.txt" })).toMatchObject({
      created: false,
    });
    expect([read("b.txt").toString(), read("run.sh").toString()]).toEqual(["one", "one"]);
  });

  test("move a file, over another one too", async () => {
    const { value, read, root } = openEffects({ "a.txt": "one", "b.txt": "two" });
    expect(await value("fs_move", { from: "a.txt", to: "d/c.txt" })).toEqual({
      from: "a.txt",
      to: "d/c.txt",
      size: 3,
      created: true,
    });
    await value("fs_move", { from: "d/c.txt", to: "b.txt" });
    expect(read("b.txt").toString()).toBe("one");
    expect(readdirSync(root)).toEqual(["b.txt", "d"]);
  });

  test("refuse folders, links, missing files and a file onto itself", async () => {
    const { failure, root, read } = openEffects({ "d/a": "1", "b.txt": "2" });
    symlinkSync("b.txt", join(root, "link"));
    const refused = (name: string, from: string, to: string) => failure(name, { from, to });
    expect(await refused("fs_copy", "d", "e")).toContain('"d" is a folder, and only files');
    expect(await refused("fs_move", "d", "e")).toContain('"d" is a folder, and only files');
    expect(await refused("fs_move", "link", "e")).toContain('"link" is a symbolic link');
    for (const name of ["fs_copy", "fs_move"]) {
      expect(await refused(name, "none", "e")).toBe('execution_failed: "none" does not exist.');
      expect(await refused(name, "b.txt", "d")).toContain('"d" is a folder');
      expect(await refused(name, "b.txt", "./b.txt")).toContain("are the same file");
    }
    expect(read("b.txt").toString()).toBe("2");
    expect(existsSync(join(root, "e"))).toBe(false);
    expect(lstatSync(join(root, "link")).isSymbolicLink()).toBe(true);
  });

  test("at once in both directions do not wait for each other", async () => {
    const { call, root } = openEffects({ a: "1", b: "2" });
    const moves = Array.from({ length: 10 }, (_, index) =>
      call("fs_move", index % 2 === 0 ? { from: "a", to: "b" } : { from: "b", to: "a" }),
    );
    await Promise.all(moves);
    expect(readdirSync(root)).toHaveLength(1);
  });
});

describe("fs_edit", () => {
  const edit = async (content: string | Uint8Array, args: object): Promise<unknown> => {
    const { value, read } = openEffects({ "a.txt": content });
    const result = await value("fs_edit", { path: "a.txt", ...args });
    const bytes = read("a.txt");
    expect(result).toMatchObject({ path: "a.txt", size: bytes.length });
    return [result["replacements"], bytes.toString()];
  };

  test("replaces texts, and keeps the line endings", async () => {
    const edits = [
      { old: "a\nb", new: "c\nd" },
      { old: "x", new: "y", all: true },
    ];
    expect(await edit("a\r\nb\r\nx x\r\n", { edits })).toEqual([3, "c\r\nd\r\ny y\r\n"]);
  });

  test.each([
    ["1\n2\n3\n", { start: 2, insert: "x" }, "1\nx\n3\n"],
    ["1\n2\n3\n", { start: 2, insert: "x\n" }, "1\nx\n3\n"],
    ["1\n2\n3\n", { start: 1, end: 2, insert: "x\ny\nz" }, "x\ny\nz\n3\n"],
    ["1\n2\n3\n", { start: 2, end: 3 }, "1\n"],
    ["1\n2\n3\n", { start: 2, end: 1, insert: "x" }, "1\nx\n2\n3\n"],
    ["1\n2\n", { start: 3, end: 2, insert: "x" }, "1\n2\nx\n"],
    ["1\n2\n", { start: 1, end: 0, insert: "\n" }, "\n1\n2\n"],
    ["1\n2", { start: 3, end: 2, insert: "x" }, "1\n2\nx"],
    ["1\n2", { start: 2, insert: "x" }, "1\nx"],
    ["1\n2", { start: 2 }, "1\n"],
    ["", { start: 1, end: 0, insert: "x" }, "x\n"],
    ["1\r\n2\r\n", { start: 2, insert: "x\ny" }, "1\r\nx\r\ny\r\n"],
    ["\ufeff1\n2\n", { start: 1, insert: "é" }, "\ufeffé\n2\n"],
  ])("of %j replaces the lines %j", async (content, lines, after) => {
    expect(await edit(content, { lines })).toEqual([1, after]);
  });

  test("keeps the encoding", async () => {
    const { value, read } = openEffects({
      wide: Buffer.from("\ufeffa\nb\n", "utf16le"),
      single: Buffer.from("é\nb\n", "latin1"),
    });
    for (const path of ["wide", "single"]) {
      await value("fs_edit", { path, lines: { start: 2, insert: "ü" } });
      await value("fs_edit", { path, edits: [{ old: "ü", new: "öö" }] });
    }
    expect(read("wide").toString("utf16le")).toBe("\ufeffa\nöö\n");
    expect(read("single").toString("latin1")).toBe("é\nöö\n");
  });

  test("changes nothing when something does not match", async () => {
    const { failure, read } = openEffects({ "a.txt": "x\nx\n", bin: Buffer.from([0, 1]) });
    const refused = (args: object) => failure("fs_edit", { path: "a.txt", ...args });
    expect(await refused({ edits: [{ old: "z", new: "" }] })).toContain("old is not in the file");
    expect(await refused({ edits: [{ old: "x", new: "" }] })).toMatch(/2 times.* or set all\.$/);
    const last = await refused({ lines: { start: 3 } });
    expect(last).toContain("There are no lines 3 to 3: the file has 2 lines.");
    expect(await refused({ lines: { start: 4, end: 3, insert: "x" } })).toContain("no lines 4");
    expect(await refused({ lines: { start: 2, end: 0 } })).toContain("no lines 2 to 0");
    expect(await refused({})).toContain("Give either edits or lines.");
    expect(await failure("fs_edit", { path: "none", lines: { start: 1 } })).toContain(
      '"none" does not exist',
    );
    expect(await failure("fs_edit", { path: "bin", lines: { start: 1 } })).toContain("is no text");
    expect(read("a.txt").toString()).toBe("x\nx\n");
  });
});

test("a write has the old content or the new one at every moment", async () => {
  const { value, root } = openEffects({ "a.txt": "old" });
  const pending = value("fs_write", { path: "a.txt", content: "new" });
  expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("old");
  await pending;
  expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("new");
});
