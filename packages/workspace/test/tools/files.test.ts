import { chmodSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openWorkspace } from "../support/open-workspace.ts";

const lines = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("");

describe("read_file", () => {
  test("numbers the lines of a whole file", async () => {
    const { text } = openWorkspace({ "a.txt": "one\r\ntwo\nthree" });
    expect(await text("read_file", { path: "a.txt" })).toBe(
      "     1\tone\n     2\ttwo\n     3\tthree",
    );
  });

  test("reads a part, and says what the next one is", async () => {
    const { text } = openWorkspace({ "a.txt": lines(50) });
    expect(await text("read_file", { path: "a.txt", offset: 10, limit: 2 })).toBe(
      "[lines 10 to 11 of 50; next offset 12]\n    10\tline 10\n    11\tline 11",
    );
    expect(await text("read_file", { path: "a.txt", offset: -1 })).toBe(
      "[lines 50 to 50 of 50]\n    50\tline 50",
    );
    expect(await text("read_file", { path: "a.txt", offset: 60 })).toBe(
      "[a.txt has 50 lines; nothing begins at line 60]",
    );
  });

  test("returns whole lines up to 50 kB, and cuts lines that are too long", async () => {
    const { text } = openWorkspace({
      "many.txt": lines(20_000),
      "long.txt": `${"x".repeat(5_000)}\nend\n`,
    });
    const many = await text("read_file", { path: "many.txt", limit: 2_000, offset: 15_000 });
    expect(many.split("\n")).toHaveLength(2_001);
    expect(await text("read_file", { path: "long.txt" })).toBe(
      `     1\t${"x".repeat(2_000)}[+3000 bytes; line_offset 2000]\n     2\tend`,
    );
  });

  test.each([
    [
      "UTF-16",
      Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("é\nb", "utf16le")]),
      "     1\té\n     2\tb",
    ],
    [
      "single bytes",
      Buffer.from([0xe9, 0x0a, 0x62]),
      "[not UTF-8: each byte is one character]\n     1\té\n     2\tb",
    ],
    ["UTF-8 with a byte order mark", Buffer.from("\ufeffé\nb"), "     1\té\n     2\tb"],
  ])("reads text in %s", async (_, bytes, expected) => {
    const { text } = openWorkspace({ "a.txt": bytes });
    expect(await text("read_file", { path: "a.txt" })).toBe(expected);
  });

  test("describes what is no text, and returns an image as one", async () => {
    const png = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      "base64",
    );
    const { text } = openWorkspace({
      "a.bin": Buffer.from([1, 0, 2]),
      "a.png": png,
      "empty.txt": "",
    });
    expect(await text("read_file", { path: "a.bin" })).toContain(
      "[a.bin is no text: binary data, 3 bytes, beginning with 01 00 02.",
    );
    expect(await text("read_file", { path: "a.png" })).toBe("<image>");
    expect(await text("read_file", { path: "empty.txt" })).toBe("[empty.txt exists and is empty]");
  });

  test("names the path of the model in an error, and none outside of the workspace", async () => {
    const { failure, root } = openWorkspace();
    symlinkSync("/etc/passwd", join(root, "link"));
    expect(await failure("read_file", { path: "../../etc/passwd" })).toBe(
      'permission_denied: "../../etc/passwd" is outside of the workspace. Use a path inside it.',
    );
    expect(await failure("read_file", { path: "link" })).toBe(
      'permission_denied: "link" is outside of the workspace. Use a path inside it.',
    );
    expect(await failure("read_file", { path: "nope" })).toBe(
      'execution_failed: "nope" does not exist.',
    );
    expect(await failure("read_file", { path: "." })).toBe('execution_failed: "." is a folder.');
  });
});

describe("write_file", () => {
  test("creates a file with the folders around it", async () => {
    const { text, read } = openWorkspace();
    expect(await text("write_file", { path: "a/b/c.txt", content: "hi\n" })).toBe(
      "Created a/b/c.txt (3 bytes)",
    );
    expect(read("a/b/c.txt").toString()).toBe("hi\n");
  });

  test("overwrites only a file that was read and has not changed since", async () => {
    const { text, failure, write, read } = openWorkspace({ "a.txt": "1\n2\n3\n" });
    expect(await failure("write_file", { path: "a.txt", content: "x" })).toContain(
      "exists, and was not read",
    );
    await text("read_file", { path: "a.txt" });
    write("a.txt", "changed by another program\n");
    expect(await failure("write_file", { path: "a.txt", content: "x" })).toContain(
      "has changed since it was read",
    );
    await text("read_file", { path: "a.txt" });
    expect(await text("write_file", { path: "a.txt", content: "x\ny\n" })).toBe(
      "Overwrote a.txt (+2 -1 lines)",
    );
    // What a tool has written is known.
    expect(await text("write_file", { path: "a.txt", content: "x\nz\n" })).toBe(
      "Overwrote a.txt (+1 -1 lines)",
    );
    expect(read("a.txt").toString()).toBe("x\nz\n");
  });

  test("keeps the mode, the encoding and the line endings of a file", async () => {
    const { text, read, root } = openWorkspace({
      "run.sh": "a\r\nb\r\n",
      "wide.txt": Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("a", "utf16le")]),
    });
    chmodSync(join(root, "run.sh"), 0o750);
    await text("read_file", { path: "run.sh" });
    await text("write_file", { path: "run.sh", content: "c\nd\n" });
    expect(read("run.sh").toString()).toBe("c\r\nd\r\n");
    expect(statSync(join(root, "run.sh")).mode & 0o777).toBe(0o750);
    await text("read_file", { path: "wide.txt" });
    await text("write_file", { path: "wide.txt", content: "é" });
    expect(read("wide.txt").toString("hex")).toBe("fffee900");
  });

  test("appends without a read", async () => {
    const { text, read } = openWorkspace({ "log.txt": "a\n" });
    await text("write_file", { path: "log.txt", content: "b\n", mode: "append" });
    expect(read("log.txt").toString()).toBe("a\nb\n");
  });

  test("leaves no temporary file", async () => {
    const { text, root } = openWorkspace();
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        text("write_file", { path: `f${index % 4}`, content: "x", mode: "append" }).catch(() => {}),
      ),
    );
    expect(readdirSync(root).filter((name) => name.startsWith(".tw-"))).toEqual([]);
  });

  test("PT15: does not write protected files", async () => {
    const { failure, root } = openWorkspace();
    for (const path of [".git/hooks/pre-commit", ".mcp.json", ".vscode/settings.json"]) {
      expect(await failure("write_file", { path, content: "x" })).toContain("is protected");
    }
    expect(readdirSync(root)).toEqual([]);
  });
});

describe("edit_file", () => {
  test("replaces a unique text, and shows the difference", async () => {
    const { text, read } = openWorkspace({ "a.ts": "one\ntwo\nthree\nfour\nfive\nsix\n" });
    expect(await text("edit_file", { path: "a.ts", edits: [{ old: "five", new: "5\n5b" }] })).toBe(
      "Made 1 replacement in a.ts, line 5.\n@@ -2,5 +2,6 @@\n two\n three\n four\n-five\n+5\n+5b\n six",
    );
    expect(read("a.ts").toString()).toBe("one\ntwo\nthree\nfour\n5\n5b\nsix\n");
  });

  test("makes all edits or none", async () => {
    const { failure, read } = openWorkspace({ "a.ts": "one\ntwo\n" });
    const edits = [
      { old: "one", new: "1" },
      { old: "three", new: "3" },
    ];
    expect(await failure("edit_file", { path: "a.ts", edits })).toContain(
      "old of edit 2 is not in the file.",
    );
    expect(read("a.ts").toString()).toBe("one\ntwo\n");
  });

  test("names the lines of several matches, and replaces all if asked", async () => {
    const { failure, text, read } = openWorkspace({ "a.ts": "x\ny\nx\n" });
    expect(await failure("edit_file", { path: "a.ts", edits: [{ old: "x", new: "z" }] })).toContain(
      "old is in the file 2 times, and 1 was expected: at lines 1, 3.",
    );
    await text("edit_file", { path: "a.ts", edits: [{ old: "x", new: "z", replace_all: true }] });
    expect(read("a.ts").toString()).toBe("z\ny\nz\n");
  });

  test.each([
    ["whitespace at the ends of lines", "a\nb", "a  \nb\n"],
    ["indentation", "  if (x) {\n  y();", "if (x) {\n\ty();\n"],
    ["quotes, dashes or invisible characters", 'say "hi"', "say \u201chi\u201d\n"],
    ["upper and lower case", "Hello World", "hello world\n"],
  ])("says that a text differs in %s, and changes nothing", async (difference, old, content) => {
    const { failure, read } = openWorkspace({ "a.txt": content });
    const text = await failure("edit_file", { path: "a.txt", edits: [{ old, new: "new" }] });
    expect(text).toContain(`differs only in ${difference}. It is:\n`);
    expect(read("a.txt").toString()).toBe(content);
  });

  test("of a file that has changed since it was read is made where the text is still unique, and says so", async () => {
    const { text, write } = openWorkspace({ "a.txt": "one\n" });
    await text("read_file", { path: "a.txt" });
    write("a.txt", "zero\none\n");
    expect(await text("edit_file", { path: "a.txt", edits: [{ old: "one", new: "1" }] })).toContain(
      "The file had changed since it was read; the text was still there.",
    );
  });

  test("only shows the difference in a dry run", async () => {
    const { text, read } = openWorkspace({ "a.txt": "one\n" });
    expect(
      await text("edit_file", { path: "a.txt", edits: [{ old: "one", new: "1" }], dry_run: true }),
    ).toContain("Would make 1 replacement");
    expect(read("a.txt").toString()).toBe("one\n");
  });

  test("of the same file at once are made one after another", async () => {
    const { text, read } = openWorkspace({ "a.txt": lines(20) });
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        text("edit_file", {
          path: "a.txt",
          edits: [{ old: `line ${index + 1}\n`, new: `new ${index + 1}\n` }],
        }),
      ),
    );
    expect(read("a.txt").toString()).toBe(lines(20).replaceAll("line", "new"));
  });
});

describe("list_files", () => {
  test("lists names in order with sizes, and counts what is left out", async () => {
    const { text } = openWorkspace({
      "b.txt": "12345",
      "a/x.ts": "1",
      "a/y.log": "1",
      ".hidden": "1",
      "node_modules/p/index.js": "1",
      ".gitignore": "*.log\n",
    });
    expect(await text("list_files", {})).toBe(
      ["            a/", "       1 B  a/x.ts", "       5 B  b.txt", "[2 ignored; 2 hidden]"].join(
        "\n",
      ),
    );
    expect(await text("list_files", { glob: "**/*.ts" })).toContain("a/x.ts");
    expect(await text("list_files", { ignored: true, hidden: true, limit: 2 })).toContain("more");
  });

  test("Q2: a `.gitignore` above the folder counts, unless it names the folder", async () => {
    const { text } = openWorkspace({
      ".gitignore": "*.log\n/build/\npackages/a/gen\n",
      "packages/.gitignore": "!keep.log\n",
      "packages/a/x.log": "found",
      "packages/a/keep.log": "found",
      "packages/a/gen/y.ts": "found",
      "packages/a/z.ts": "found",
      "build/out.log": "found",
    });
    const listed = (output: string): readonly string[] =>
      output.split("\n").flatMap((line) => /[^ ]+\.(?:log|ts)$/.exec(line)?.[0] ?? []);
    expect(listed(await text("list_files", { path: "packages/a" }))).toEqual([
      "packages/a/keep.log",
      "packages/a/z.ts",
    ]);
    const found = await text("search", { pattern: "found", path: "packages/a" });
    expect(found).not.toContain("x.log");
    expect(found).not.toContain("y.ts");
    expect(found).toContain("keep.log");
    expect(await text("search", { pattern: "found", path: "build" })).toContain("out.log");
  });

  test("follows no link, and lists nothing that is denied", async () => {
    const { text, root } = openWorkspace(
      { "private/a": "1", "public/b": "1" },
      { deny: ["private"] },
    );
    symlinkSync("/etc", join(root, "etc"));
    expect(await text("list_files", {})).toBe(
      [
        "       4 B  etc (link)",
        "            public/",
        "       1 B  public/b",
        "[1 not permitted]",
      ].join("\n"),
    );
  });
});

describe("a workspace that is read-only", () => {
  test("has only the tools that read", async () => {
    const { failure } = openWorkspace({ "a.txt": "1" }, { readOnly: true });
    expect(await failure("write_file", { path: "b", content: "" })).toContain("not_found");
    expect(
      await failure("edit_file", { path: "a.txt", edits: [{ old: "1", new: "2" }] }),
    ).toContain("not_found");
  });
});
