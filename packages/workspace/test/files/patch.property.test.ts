import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ToolError } from "@toolweave/core";
import { inFullRun } from "@toolweave/test-support";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import fc from "fast-check";
import { expect, test } from "vitest";
import { applyHunks } from "../../src/files/apply-hunks.ts";
import { parsePatch } from "../../src/files/parse-patch.ts";
import { applyReference, splitText, type Tree } from "../support/reference-patch.ts";

/** Lines that look like parts of a patch, and lines with characters that are no ends of lines. */
const strangeLines = [
  "",
  " ",
  "a",
  "b",
  "*** End Patch",
  "*** Begin Patch",
  "*** Delete File: f0",
  "*** Update File: f1",
  "*** Move to: x",
  "*** End of File",
  "@@",
  "@@ a",
  "+a",
  "-a",
  " a",
  "a\t",
  "x\ry",
  "u\u2028v",
  "n\u0085v",
  "ü – “q”",
  "\\ No newline at end of file",
  "diff --git a/x b/x",
  "--- a/x",
  "+++ b/x",
  "<<EOF",
  "EOF",
];

/** A line of a file, and the lines that come before it. */
interface Edit {
  readonly line: string;
  readonly isRemoved: boolean;
  readonly added: readonly string[];
}

interface FileCase {
  readonly edits: readonly Edit[];
  readonly kind: "update" | "delete" | "move" | "add";
  readonly ending: "\n" | "\r\n";
  readonly context: number;
}

const line = fc.constantFrom(...strangeLines);
const fileCase = (isUnique: boolean): fc.Arbitrary<FileCase> =>
  fc
    .record({
      edits: fc.array(
        fc.record({
          line,
          isRemoved: fc.boolean(),
          added: fc.oneof(
            { weight: 4, arbitrary: fc.constant([]) },
            { weight: 1, arbitrary: fc.array(line, { maxLength: 3 }) },
          ),
        }),
        { minLength: 1, maxLength: 14 },
      ),
      kept: fc.array(fc.nat(3), { minLength: 14, maxLength: 14 }),
      kind: fc.constantFrom("update", "update", "update", "delete", "move", "add"),
      ending: fc.constantFrom("\n", "\n", "\r\n"),
      context: fc.integer({ min: 0, max: 3 }),
    })
    .map(({ edits, kept, ...rest }) => ({
      ...rest,
      edits: edits.map((edit, index) => ({
        ...edit,
        // Most lines stay.
        isRemoved: edit.isRemoved && kept[index] === 0,
        line: isUnique ? `${edit.line}#${index}` : edit.line,
      })),
    })) as fc.Arbitrary<FileCase>;

/** A change of a file as lines with signs, at the index of its first line in the file. */
interface Hunk {
  readonly at: number;
  readonly lines: readonly string[];
}

/** The hunks of a file, each with some lines around its changes, and at least one line of the file. */
function toHunks({ edits, context }: FileCase): readonly Hunk[] {
  const isChanged = edits.map(({ isRemoved, added }) => isRemoved || added.length > 0);
  const isWritten = edits.map((_, index) =>
    isChanged.some((changed, at) => changed && Math.abs(at - index) <= context),
  );
  const hunks: Hunk[] = [];
  let lines: string[] | undefined;
  for (const [index, { line: text, isRemoved, added }] of edits.entries()) {
    if (isWritten[index] !== true) {
      lines = undefined;
      continue;
    }
    if (lines === undefined) hunks.push({ at: index, lines: (lines = []) });
    lines.push(...added.map((one) => `+${one}`), `${isRemoved ? "-" : " "}${text}`);
  }
  return hunks;
}

function toOldText({ edits, ending }: FileCase): string {
  return edits.map(({ line: text }) => text + ending).join("");
}

function toNewText({ edits, ending }: FileCase): string {
  const lines = edits.flatMap((edit) => [...edit.added, ...(edit.isRemoved ? [] : [edit.line])]);
  return lines.map((text) => text + ending).join("");
}

interface Case {
  readonly before: Tree;
  readonly after: Tree;
  /** In the format of `apply_patch`. */
  readonly patch: string;
  /** In the format of git. */
  readonly diff: string;
}

function toCase(files: readonly FileCase[]): Case {
  const before: Record<string, string> = {};
  const after: Record<string, string> = {};
  const lines: string[] = [];
  const diff: string[] = [];
  for (const [index, file] of files.entries()) {
    const path = `f${index}`;
    const moved = `moved/f${index}`;
    const hunks = toHunks(file);
    const { kind } = file;
    if (kind === "add") {
      const added = file.edits.map((edit) => edit.line);
      after[path] = added.map((text) => `${text}\n`).join("");
      lines.push(`*** Add File: ${path}`, ...added.map((text) => `+${text}`));
      diff.push(`diff --git a/${path} b/${path}`, "new file mode 100644", "--- /dev/null");
      diff.push(
        `+++ b/${path}`,
        `@@ -0,0 +1,${added.length} @@`,
        ...added.map((text) => `+${text}`),
      );
      continue;
    }
    before[path] = toOldText(file);
    if (kind === "delete") {
      lines.push(`*** Delete File: ${path}`);
      const old = file.edits.map((edit) => `-${edit.line}${file.ending === "\n" ? "" : "\r"}`);
      diff.push(`diff --git a/${path} b/${path}`, "deleted file mode 100644", `--- a/${path}`);
      diff.push("+++ /dev/null", `@@ -1,${old.length} +0,0 @@`, ...old);
      continue;
    }
    const target = kind === "move" ? moved : path;
    after[target] = toNewText(file);
    if (hunks.length === 0 && kind === "update") continue;
    lines.push(`*** Update File: ${path}`);
    if (kind === "move") lines.push(`*** Move to: ${moved}`);
    for (const hunk of hunks) lines.push("@@", ...hunk.lines);
    diff.push(`diff --git a/${path} b/${target}`);
    if (kind === "move") diff.push(`rename from ${path}`, `rename to ${moved}`);
    if (hunks.length > 0) diff.push(`--- a/${path}`, `+++ b/${target}`);
    let shift = 0;
    for (const { at, lines: all } of hunks) {
      const olds = all.filter((one) => !one.startsWith("+")).length;
      const news = all.filter((one) => !one.startsWith("-")).length;
      diff.push(`@@ -${at + 1},${olds} +${at + 1 + shift - (news === 0 ? 1 : 0)},${news} @@`);
      diff.push(...all.map((one) => one + (file.ending === "\n" ? "" : "\r")));
      shift += news - olds;
    }
  }
  const patch = ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");
  return { before, after, patch, diff: diff.map((one) => `${one}\n`).join("") };
}

/** The tree after a patch as the tool makes it; undefined: it refuses the patch. */
function applyOurs(tree: Tree, patch: string): Tree | undefined {
  try {
    const files: Record<string, string> = { ...tree };
    for (const operation of parsePatch(patch)) {
      const { path, kind } = operation;
      const text = files[path];
      if ((kind === "add") === (text !== undefined)) return undefined;
      if (kind === "add") {
        files[path] = operation.lines.map((one) => `${one}\n`).join("");
        continue;
      }
      let changed = text as string;
      delete files[path];
      if (kind === "delete") continue;
      for (const hunks of operation.sections) changed = applyHunks(changed, hunks).text;
      const { moveTo = path } = operation;
      if (files[moveTo] !== undefined) return undefined;
      files[moveTo] = changed;
    }
    return files;
  } catch (error) {
    if (!ToolError.is(error)) throw error;
    // An error that the tool does not make itself is a defect.
    if (!/in line \d+|in the file/.test(error.message)) throw error;
    return undefined;
  }
}

const cases = inFullRun(10_000, 500);

test("a patch makes of unique lines what git makes of the same hunks", { timeout: 600_000 }, () => {
  const all = fc
    .sample(fc.array(fileCase(true), { minLength: 1, maxLength: 3 }), { numRuns: cases, seed: 3 })
    .map(toCase)
    .filter(({ patch }) => patch.split("\n").length > 2);
  expect(all.length).toBeGreaterThan(cases * 0.8);
  for (const { before, after, patch } of all) {
    expect({ patch, tree: applyOurs(before, patch) }).toEqual({ patch, tree: after });
    expect({ patch, tree: applyReference(before, patch) }).toEqual({ patch, tree: after });
  }
  const batch = 100;
  for (let first = 0; first < all.length; first += batch) {
    const folder = tempFolder();
    const some = all
      .slice(first, first + batch)
      .map((one, index) => ({ ...one, name: `c${index}` }));
    for (const { name, before } of some) {
      mkdirSync(join(folder, name));
      for (const [path, text] of Object.entries(before))
        writeFileSync(join(folder, name, path), text);
    }
    const diff = some.map(({ name, diff: one }) => inFolder(one, name)).join("");
    const { status, stderr } = spawnSync(
      "git",
      ["apply", "--whitespace=nowarn", "--unidiff-zero", "-"],
      {
        cwd: folder,
        input: diff,
        env: { PATH: process.env["PATH"], GIT_CEILING_DIRECTORIES: "/" },
        encoding: "utf8",
      },
    );
    expect([status, stderr]).toEqual([0, ""]);
    for (const { name, before, after, patch } of some) {
      const gone = Object.keys(before).filter((path) => after[path] === undefined);
      expect(gone.filter((path) => existsSync(join(folder, name, path)))).toEqual([]);
      for (const [path, text] of Object.entries(after)) {
        const git = text === "" ? "" : readFileSync(join(folder, name, path), "utf8");
        expect({ patch, git }).toEqual({ patch, git: text });
      }
    }
  }
});

/** The diff with its files in a folder. */
function inFolder(diff: string, name: string): string {
  let inHunk = 0;
  return diff
    .split("\n")
    .map((one) => {
      const [, old = "1", fresh = "1"] = /^@@ -\d+,(\d+) \+\d+,(\d+) @@$/.exec(one) ?? [];
      if (inHunk <= 0 && one.startsWith("@@")) inHunk = Number(old) + Number(fresh);
      else if (inHunk > 0) inHunk -= one.startsWith(" ") ? 2 : 1;
      else if (one.startsWith("rename")) return one.replace(/(from|to) /, `$1 ${name}/`);
      else return one.replaceAll(/(?<=^| )([ab])\/(?=moved\/f\d|f\d)/g, `$1/${name}/`);
      return one;
    })
    .join("\n");
}

test("a patch is read as its grammar says, also where lines come twice or the patch is damaged", () => {
  let accepted = 0;
  fc.assert(
    fc.property(
      fc.array(fileCase(false), { minLength: 1, maxLength: 3 }),
      fc.array(fc.tuple(fc.nat(60), fc.constantFrom("drop", "twice", "swap", "sign"))),
      fc.boolean(),
      (files, mutations, isDamaged) => {
        const { before, patch: written } = toCase(files);
        const lines = written.split("\n");
        for (const [at, mutation] of isDamaged ? mutations.slice(0, 2) : []) {
          const index = 1 + (at % Math.max(1, lines.length - 2));
          const one = lines[index] ?? "";
          if (mutation === "drop") lines.splice(index, 1);
          else if (mutation === "twice") lines.splice(index, 0, one);
          else if (mutation === "sign") lines[index] = one.replace(/^[ +-]/, "");
          else [lines[index], lines[index + 1]] = [lines[index + 1] ?? "", one];
        }
        const patch = lines.join("\n");
        const expected = applyReference(before, patch);
        if (expected === undefined) {
          // More is accepted, but nothing else than an error of the tool is thrown.
          applyOurs(before, patch);
          return;
        }
        accepted += 1;
        expect(applyOurs(before, patch)).toEqual(expected);
      },
    ),
    { numRuns: cases, seed: 4 },
  );
  expect(accepted).toBeGreaterThan(cases / 3);
});

test("only a line feed ends a line", () => {
  expect(splitText("a\rb\r\nc\u2028d\n")).toEqual([
    { text: "a\rb", ending: "\r\n" },
    { text: "c\u2028d", ending: "\n" },
  ]);
});
