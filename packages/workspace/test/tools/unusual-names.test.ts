import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openEffects } from "../support/open-effects.ts";
import { openWorkspace } from "../support/open-workspace.ts";

/** A path below a folder whose name has these bytes. */
function toBytes(root: string, name: string): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(name, "latin1")]);
}

describe.runIf(process.platform === "linux")("names that are not UTF-8", () => {
  const addFiles = (root: string): void => {
    mkdirSync(toBytes(root, "dir-\xe9"));
    writeFileSync(toBytes(root, "dir-\xe9/a.txt"), "needle");
    writeFileSync(toBytes(root, "bad-\xff.txt"), "needle");
    writeFileSync(join(root, "\ufffd.txt"), "needle");
  };

  test("are counted with escapes in lists and searches, and others are not", async () => {
    const { text, value, root } = openWorkspace({ "sub/b.txt": "" });
    addFiles(root);
    writeFileSync(toBytes(root, "sub/Gro\xdf.txt"), "needle");
    const note =
      "3 with names that are not UTF-8, which only commands can use (bad-\\xff.txt, dir-\\xe9, sub/Gro\\xdf.txt)";
    expect(await text("list_files", {})).toContain(`[${note}]`);
    expect(await text("search", { pattern: "needle" })).toBe(
      `\ufffd.txt:1:needle\n[1 match in 1 file; searched 2 files; skipped ${note}]`,
    );
    expect(await value("list_files", { path: "sub" })).toMatchObject({
      skipped: { notUtf8: 1, notUtf8Names: ["Gro\\xdf.txt"] },
    });
  });

  test("are counted in values, and a folder with them is not removed in silence", async () => {
    const { value, failure, root } = openEffects({ "sub/b.txt": "" });
    addFiles(join(root, "sub"));
    expect(await value("fs_list", { path: "sub" })).toMatchObject({ not_utf8: 2 });
    expect(await value("fs_glob", { pattern: "**/*.txt" })).toMatchObject({ not_utf8: 2 });
    expect(await value("fs_find", { pattern: "needle" })).toMatchObject({ not_utf8: 2 });
    expect(await failure("fs_remove", { path: "sub", recursive: true })).toContain(
      "names that are not UTF-8 (bad-\\xff.txt, dir-\\xe9)",
    );
  });
});

test.runIf(process.platform !== "win32")(
  "a line end in a name forges no line of a list",
  async () => {
    const { text, read, root } = openWorkspace({ "a.txt": "needle" });
    const name = "x\n       1 B  forged.txt";
    writeFileSync(join(root, name), "needle");
    writeFileSync(join(root, "\u202eevil.txt"), "needle");
    symlinkSync("a.txt", join(root, "l\r"));
    const quoted = JSON.stringify(name);
    expect(await text("list_files", {})).toBe(
      [
        "       6 B  a.txt",
        '       5 B  "l\\r" (link)',
        `       6 B  ${quoted}`,
        '       6 B  "\\u202eevil.txt"',
      ].join("\n"),
    );
    expect(await text("search", { pattern: "needle", mode: "count" })).toContain(
      `a.txt:1\n${quoted}:1\n"\\u202eevil.txt":1\n[`,
    );
    expect(await text("search", { pattern: "needle" })).toContain(`\n${quoted}:1:needle\n`);
    await text("read_file", { path: JSON.parse(quoted) as string });
    expect(read(name).toString()).toBe("needle");
  },
);

test.runIf(process.platform !== "win32")("pipes are counted in values", async () => {
  const { value, root } = openEffects({ "a.txt": "needle" });
  execFileSync("mkfifo", [join(root, "fifo")]);
  expect(await value("fs_list", {})).toMatchObject({ special: 1 });
  expect(await value("fs_glob", { pattern: "*" })).toEqual({ paths: ["a.txt"], special: 1 });
});

test.runIf(process.platform !== "win32")("pipes, sockets and devices are counted", async () => {
  const { text, root } = openWorkspace({ "a.txt": "needle" });
  execFileSync("mkfifo", [join(root, "pipe")]);
  expect(await text("search", { pattern: "needle" })).toBe(
    "a.txt:1:needle\n[1 match in 1 file; searched 1 file; skipped 1 pipes, sockets or devices]",
  );
  expect(await text("list_files", {})).toContain("[1 pipes, sockets or devices]");
});
