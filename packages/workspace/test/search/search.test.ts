import { linkSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LineMatcher, requiredText } from "../../src/search/line-matcher.ts";
import { openWorkspace } from "../support/open-workspace.ts";

describe("search", () => {
  test("returns lines with their places, and how much was searched", async () => {
    const { text } = openWorkspace({
      "a.ts": "const x = 1;\nfoo();\n",
      "b.ts": "foo(2);\n",
      "c.md": "none\n",
    });
    expect(await text("search", { pattern: "foo\\(" })).toBe(
      "a.ts:2:foo();\nb.ts:1:foo(2);\n[2 matches in 2 files; searched 3 files]",
    );
    expect(
      await text("search", { pattern: "foo(", literal: true, type: "ts", mode: "files" }),
    ).toBe("a.ts\nb.ts\n[2 matches in 2 files; searched 2 files]");
    expect(
      await text("search", { pattern: "FOO", ignore_case: true, glob: "b.*", mode: "count" }),
    ).toBe("b.ts:1\n[1 match in 1 file; searched 1 file]");
  });

  test("returns lines around a match, each once", async () => {
    const { text } = openWorkspace({ "a.txt": "1\n2 x\n3 x\n4\n5\n6 x\n" });
    expect(await text("search", { pattern: "x", before: 1, after: 1 })).toBe(
      "a.txt-1-1\na.txt:2:2 x\na.txt:3:3 x\na.txt-4-4\na.txt-5-5\na.txt:6:6 x\n[3 matches in 1 file; searched 1 file]",
    );
  });

  test("says why files were not searched, also when nothing matches", async () => {
    const { text, root } = openWorkspace(
      {
        "a.bin": Buffer.from([0, 1]),
        ".env": "KEY=needle",
        "x.log": "needle",
        ".gitignore": "*.log",
        "private/a": "needle",
      },
      { deny: ["private"] },
    );
    symlinkSync("/etc/passwd", join(root, "link"));
    expect(await text("search", { pattern: "needle" })).toBe(
      "[no match; searched 0 files; skipped 1 ignored, 2 hidden, 1 not permitted, 1 binary, 1 links]",
    );
  });

  test("searches no file in a folder that read_file asks for, and every file that is named", async () => {
    const { text, root, write } = openWorkspace(
      { "plain.txt": "needle", "marked/a.txt": "needle", "one.txt": "needle" },
      { ask: ["marked"] },
    );
    linkSync(join(root, "one.txt"), join(root, "other.txt"));
    write("key.pem", "needle");
    expect(await text("search", { pattern: "needle" })).toBe(
      "plain.txt:1:needle\n[1 match in 1 file; searched 1 file; skipped 4 not permitted]",
    );
    for (const path of ["marked/a.txt", "one.txt", "key.pem"])
      expect(await text("search", { pattern: "needle", path })).toContain("[1 match in 1 file");
    const linked = openWorkspace({ "one.txt": "needle" }, { hardLinks: "allow" });
    linkSync(join(linked.root, "one.txt"), join(linked.root, "other.txt"));
    expect(await linked.text("search", { pattern: "needle" })).toContain("[2 matches in 2 files");
  });

  test("counts all matches when only some are returned, and continues at an offset", async () => {
    const { text } = openWorkspace({ "a.txt": "x\n".repeat(10) });
    expect(await text("search", { pattern: "x", limit: 3 })).toContain(
      "[10 matches in 1 file; 7 more, next offset 3;",
    );
    expect(await text("search", { pattern: "x", limit: 3, offset: 9 })).toBe(
      "a.txt:10:x\n[10 matches in 1 file; searched 1 file]",
    );
  });

  test("explains an invalid pattern", async () => {
    const { failure } = openWorkspace({ "a.txt": "x" });
    expect(await failure("search", { pattern: "(" })).toContain(
      "invalid_arguments: pattern cannot be used as a regular expression of JavaScript",
    );
  });

  test("of several calls at once are all answered", async () => {
    const { text } = openWorkspace({ "a.txt": "x1\nx2\n" });
    const found = await Promise.all(
      ["x1", "x2", "x3"].map((pattern) => text("search", { pattern, mode: "count" })),
    );
    expect(found.map((one) => one.split("\n").at(-1)?.slice(0, 9))).toEqual([
      "[1 match ",
      "[1 match ",
      "[no match",
    ]);
  });
});

const pieces = fc.constantFrom(
  "a",
  "b",
  "ab",
  ".",
  "\\w",
  "[ab]",
  "(ab)",
  "(a|b)",
  "a*",
  "b?",
  "a+",
  "^",
  "$",
  "\\b",
  "x{2}",
  "ab*",
  "\\.",
  "a{0,1}b",
  "(?=b)",
  "[^a]*",
  "\\s",
);
const patterns = fc.array(pieces, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(""));
const texts = fc
  .array(fc.constantFrom("a", "b", "x", " ", ".", "\n", "\r\n"), { maxLength: 30 })
  .map((parts) => parts.join(""));

test("a pattern matches the lines that it matches one by one", () => {
  fc.assert(
    fc.property(patterns, texts, (pattern, text) => {
      const matcher = new LineMatcher({
        pattern,
        literal: false,
        ignoreCase: false,
        multiline: false,
      });
      const all = text.split("\n").map((line) => line.replace(/\r$/, ""));
      if (all.at(-1) === "") all.pop();
      const expected = all.flatMap((line, index) =>
        new RegExp(pattern).test(line) ? [index + 1] : [],
      );
      expect(Array.from(matcher.find(text), ({ line }) => line)).toEqual(expected);
    }),
    { numRuns: 5_000, seed: 3 },
  );
});

const escapes = fc.constantFrom(
  "caf\\u00e9",
  "\\x62a",
  "\\u{61}b",
  "\\cIab",
  "\\tab",
  "(?<q>a)b\\k<q>",
  "(a)x\\1",
  "\\p{L}ab",
  "\\pLa",
  "gr\u00f6\u00dfe",
  "\u{1f600}a",
  "\u{1f600}*ab",
  "[\\]a]b",
  "(?:a\\)|b)x",
  "\\bab\\b",
  "a\\-b",
  "a{,2}b",
  "a{2",
  "\\q{ab}",
  "\\0a",
);
const richPatterns = fc
  .array(fc.oneof(pieces, escapes), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join(""));
const richTexts = fc
  .array(
    fc.constantFrom(
      ..."ab x.\n\t\0)-{},2]:qpLcIku0069".split(""),
      "caf\u00e9",
      "gr\u00f6\u00dfe",
      "\u{1f600}",
      "ab",
      "aa",
      "axa",
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));

test("F3: every match contains the text that a pattern requires", () => {
  let matches = 0;
  const check = (pattern: string, text: string): void => {
    for (const flags of ["", "u"]) {
      let regExp: RegExp;
      try {
        regExp = new RegExp(pattern, flags);
      } catch {
        continue;
      }
      if (!regExp.test(text)) continue;
      matches += 1;
      expect(text).toContain(requiredText(pattern));
    }
  };
  fc.assert(fc.property(patterns, texts, check), { numRuns: 5_000, seed: 4 });
  fc.assert(fc.property(richPatterns, richTexts, check), { numRuns: 20_000, seed: 5 });
  expect(matches).toBeGreaterThan(2_000);
  expect(requiredText("createServer\\(")).toBe("createServer(");
  expect(requiredText("a|needle")).toBe("");
});

test("F3: escapes, and letters that have other bytes in the file, are found", async () => {
  const { text } = openWorkspace({
    "utf8.txt": "caf\u00e9 gr\u00f6\u00dfe\n",
    "latin1.txt": Buffer.from("caf\u00e9 gr\u00f6\u00dfe\n", "latin1"),
    "escape.txt": "\x1b[31mred\tzero\u200bwidth 'aa'\n",
  });
  for (const [input, files] of [
    [{ pattern: "caf\\u00e9" }, "latin1.txt\nutf8.txt\n"],
    [{ pattern: "gr\u00f6\u00dfe" }, "latin1.txt\nutf8.txt\n"],
    [{ pattern: "gr\u00f6\u00dfe", literal: true }, "latin1.txt\nutf8.txt\n"],
    [{ pattern: "\\x1b\\[31m" }, "escape.txt\n"],
    [{ pattern: "zero\\u200bwidth" }, "escape.txt\n"],
    [{ pattern: "\\x72ed" }, "escape.txt\n"],
    [{ pattern: "\\cIzero" }, "escape.txt\n"],
    [{ pattern: "(?<q>')a+\\k<q>" }, "escape.txt\n"],
  ] as const) {
    expect(await text("search", { ...input, mode: "files" })).toMatch(files);
  }
});
