import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openEffects } from "../support/open-effects.ts";

describe("fs_read", () => {
  test("returns the whole text, with its line endings and byte order mark", async () => {
    const content = `\ufeffone\r\ntwo\n${"line\n".repeat(10_000)}end`;
    const { value } = openEffects({ "a.txt": content, empty: "" });
    expect(await value("fs_read", { path: "a.txt" })).toEqual({ text: content });
    expect(await value("fs_read", { path: "empty" })).toEqual({ text: "" });
  });

  test("returns bytes as base64, and says so of a text that is not UTF-8", async () => {
    const bytes = Buffer.from([0, 0xff, 0xe9, 10]);
    const { value, failure } = openEffects({ "a.bin": bytes });
    expect(await failure("fs_read", { path: "a.bin" })).toBe(
      'execution_failed: "a.bin" is not UTF-8. Read it with encoding "base64".',
    );
    expect(await value("fs_read", { path: "a.bin", encoding: "base64" })).toEqual({
      base64: bytes.toString("base64"),
    });
  });

  test("reads 8 MiB, and says how large a larger file is", async () => {
    const limit = 8 * 1024 * 1024;
    const { value, failure } = openEffects({
      exact: Buffer.alloc(limit, "a"),
      large: Buffer.alloc(limit + 1),
    });
    expect((await value("fs_read", { path: "exact" }))["text"]).toHaveLength(limit);
    const { base64 } = await value("fs_read", { path: "exact", encoding: "base64" });
    expect(base64).toHaveLength(4 * Math.ceil(limit / 3));
    expect(await failure("fs_read", { path: "large" })).toContain(
      `"large" has ${limit + 1} bytes, and files of up to ${limit} are read.`,
    );
  });

  test("names a missing file as it was named", async () => {
    const { failure } = openEffects({ "src/a": "" });
    expect(await failure("fs_read", { path: "./src/../none" })).toBe(
      'execution_failed: "./src/../none" does not exist.',
    );
    expect(await failure("fs_read", { path: "src" })).toBe('execution_failed: "src" is a folder.');
  });
});

describe("fs_stat", () => {
  test("says what a path is", async () => {
    const { value, root } = openEffects({ "a.txt": "12345", "src/b": "" });
    const modified = Math.floor(statSync(join(root, "a.txt")).mtimeMs);
    expect(await value("fs_stat", { path: "a.txt" })).toEqual({
      exists: true,
      is_file: true,
      is_dir: false,
      size: 5,
      modified_ms: modified,
    });
    expect(await value("fs_stat", { path: "src" })).toMatchObject({ is_file: false, is_dir: true });
    expect(await value("fs_stat", { path: "." })).toMatchObject({ exists: true, is_dir: true });
  });

  test("says that nothing is there, also below a file and behind a link to nothing", async () => {
    const { value, root } = openEffects({ "a.txt": "" });
    symlinkSync("none", join(root, "link"));
    for (const path of ["none", "none/b/c", "a.txt/b", "link"]) {
      expect(await value("fs_stat", { path })).toEqual({ exists: false });
    }
  });
});

describe("fs_list", () => {
  test("has all members by name, also hidden and ignored ones", async () => {
    const { value, root } = openEffects({
      "b.txt": "12",
      ".hidden": "1",
      "a/x": "1",
      "node_modules/p": "1",
      "c.log": "",
      ".gitignore": "*.log",
    });
    symlinkSync("b.txt", join(root, "link"));
    const file = { is_file: true, is_dir: false };
    const folder = { is_file: false, is_dir: true, size: 0 };
    expect(await value("fs_list", {})).toEqual({
      entries: [
        { name: ".gitignore", ...file, size: 5 },
        { name: ".hidden", ...file, size: 1 },
        { name: "a", ...folder },
        { name: "b.txt", ...file, size: 2 },
        { name: "c.log", ...file, size: 0 },
        { name: "link", is_file: false, is_dir: false, size: 0 },
        { name: "node_modules", ...folder },
      ],
    });
    expect(await value("fs_list", { path: "a" })).toMatchObject({ entries: [{ name: "x" }] });
  });

  test("has no denied members, and fails for a file", async () => {
    const { value, failure } = openEffects({ "private/a": "", b: "" }, { deny: ["private"] });
    expect(await value("fs_list", {})).toMatchObject({ entries: [{ name: "b" }] });
    expect(await failure("fs_list", { path: "b" })).toContain('"b" ');
    expect(await failure("fs_list", { path: "none" })).toContain('"none" does not exist');
  });

  test("has 10,000 members at most, and says that there are more", async () => {
    const files = Array.from({ length: 10_001 }, (_, index) => [`d/${index}`, ""] as const);
    const { value } = openEffects(Object.fromEntries(files));
    const { entries, truncated } = await value("fs_list", { path: "d" });
    expect(entries).toHaveLength(10_000);
    expect(truncated).toBe(true);
    const all = await value("fs_glob", { pattern: "d/*" });
    expect(all["paths"]).toHaveLength(10_000);
    expect(all["truncated"]).toBe(true);
  });
});

describe("fs_glob", () => {
  const files = {
    "b.md": "",
    "a.md": "",
    "a.txt": "",
    "docs/c.md": "",
    "docs/deep/d.md": "",
    ".github/e.md": "",
    "dist/f.md": "",
    "node_modules/p/g.md": "",
    ".gitignore": "dist",
  };

  test.each([
    ["*.md", ["a.md", "b.md"]],
    ["./*.md", ["a.md", "b.md"]],
    ["docs/*.md", ["docs/c.md"]],
    ["docs/**/*.md", ["docs/c.md", "docs/deep/d.md"]],
    ["{docs,dist}/*.md", ["dist/f.md", "docs/c.md"]],
    [".github/*", [".github/e.md"]],
    [
      "**/*.md",
      ["a.md", "b.md", "dist/f.md", "docs/c.md", "docs/deep/d.md", "node_modules/p/g.md"],
    ],
    ["none/*", []],
    ["docs", []],
  ])("finds the files of %s", async (pattern, paths) => {
    const { value } = openEffects(files);
    expect(await value("fs_glob", { pattern })).toEqual({ paths });
  });

  test("begins at a folder, leaves ignored files out if asked, and never leads outside", async () => {
    const { value, failure } = openEffects(files);
    expect(await value("fs_glob", { pattern: "**", path: "docs" })).toEqual({
      paths: ["docs/c.md", "docs/deep/d.md"],
    });
    expect(await value("fs_glob", { pattern: "**/*.md", ignored: false })).toEqual({
      paths: ["a.md", "b.md", "docs/c.md", "docs/deep/d.md"],
    });
    for (const pattern of ["../*", "/etc/*", "a/../../*"]) {
      expect(await failure("fs_glob", { pattern })).toContain("invalid_arguments");
    }
  });
});

describe("fs_find", () => {
  const files = {
    "a.ts": "one\ntwo 1\r\nthree\n",
    "src/b.ts": "two (2)\n",
    "src/c.md": "two\n",
    ".env": "two\n",
    ".github/d.yml": "two\n",
    "dist/e.ts": "two\n",
    ".gitignore": "dist",
  };

  test("finds the lines that match, with their files", async () => {
    const { value } = openEffects(files);
    expect(await value("fs_find", { pattern: String.raw`two.*\d` })).toEqual({
      matches: [
        { path: "a.ts", line: 2, text: "two 1" },
        { path: "src/b.ts", line: 1, text: "two (2)" },
      ],
      truncated: false,
    });
    expect(await value("fs_find", { pattern: "(2)", literal: true, path: "src" })).toMatchObject({
      matches: [{ path: "src/b.ts" }],
    });
    expect(await value("fs_find", { pattern: "two", glob: "*.md" })).toMatchObject({
      matches: [{ path: "src/c.md" }],
    });
    expect(await value("fs_find", { pattern: "two", path: "src/c.md" })).toMatchObject({
      matches: [{ path: "src/c.md", line: 1 }],
    });
  });

  test("leaves out files with credentials, and ignored ones unless asked", async () => {
    const { value } = openEffects(files);
    const listPaths = async (args: object) =>
      ((await value("fs_find", { pattern: "^two", ...args }))["matches"] as { path: string }[]).map(
        ({ path }) => path,
      );
    expect(await listPaths({})).toEqual([".github/d.yml", "a.ts", "src/b.ts", "src/c.md"]);
    expect(await listPaths({ ignored: true })).toContain("dist/e.ts");
    expect(await listPaths({ ignored: true })).not.toContain(".env");
  });

  test("says that there are more, and what is wrong", async () => {
    const { value, failure } = openEffects({ "a.txt": "x\n".repeat(5) });
    const found = await value("fs_find", { pattern: "x", max: 3 });
    expect(found["matches"]).toHaveLength(3);
    expect(found["truncated"]).toBe(true);
    expect(await failure("fs_find", { pattern: "(" })).toContain("invalid_arguments");
    expect(await failure("fs_find", { pattern: "x", path: "none" })).toContain('"none"');
  });
});

describe("fs_diff", () => {
  const files = { "a.txt": "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "b.txt": "1\n2\n3\n4\n5\n6\n7\n8\nnine" };

  test("compares two files, or a file and a text", async () => {
    const { value } = openEffects(files);
    expect(await value("fs_diff", { path: "a.txt", other: "b.txt" })).toEqual({
      diff: "--- a.txt\n+++ b.txt\n@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n+nine\n\\ No newline at end of file\n",
    });
    expect(await value("fs_diff", { path: "a.txt", text: files["a.txt"] })).toEqual({ diff: "" });
    const { diff } = await value("fs_diff", { path: "a.txt", text: "" });
    expect(diff).toMatch(/^--- a\.txt\n\+\+\+ a\.txt\n@@ -1,9 \+0,0 @@\n-1\n/);
  });

  test
    .runIf(process.platform !== "win32")
    .each(["a b.txt", 'a"b.txt', '"ab"', "a\\b", "-ab", "a\tb", 'a\n"\\b'])(
    "Q12: of the name %j can be applied by git",
    async (path) => {
      const { value, root } = openEffects({ [path]: "1\n2\n" });
      const { diff } = await value("fs_diff", { path, text: "1\nzwei\n" });
      execFileSync("git", ["apply", "-p0", "-"], { cwd: root, input: diff as string });
      expect(readFileSync(join(root, path), "utf8")).toBe("1\nzwei\n");
    },
  );

  test("needs exactly one of other and text, and texts", async () => {
    const { failure } = openEffects({ ...files, bin: Buffer.from([0]) });
    expect(await failure("fs_diff", { path: "a.txt" })).toContain("Give either other or text.");
    expect(await failure("fs_diff", { path: "a.txt", other: "bin" })).toContain('"bin" is no text');
    expect(await failure("fs_diff", { path: "a.txt", other: "none" })).toContain(
      '"none" does not exist',
    );
  });
});

test("paths of further roots are absolute, and can be used again", async () => {
  const { root } = openEffects();
  const other = join(root, "..", "other");
  mkdirSync(other);
  const { value } = openEffects({}, { otherRoots: [{ path: other, access: "write" }] });
  const path = join(other, "d/a.txt");
  expect(await value("fs_write", { path, content: "x" })).toMatchObject({ path });
  const found = { paths: [path] };
  expect(await value("fs_glob", { pattern: "**", path: other })).toEqual(found);
  expect(await value("fs_find", { pattern: "x", path: join(other, "d") })).toMatchObject({
    matches: [{ path }],
  });
});
