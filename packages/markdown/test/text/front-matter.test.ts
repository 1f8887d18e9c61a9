import { describe, expect, test } from "vitest";
import { readFrontMatter } from "../../src/text/front-matter.ts";

const codes = (text: string): readonly string[] =>
  readFrontMatter("x.md", text).findings.map(
    ({ line, column, code }) => `${line}:${column} ${code}`,
  );

describe("delimiters", () => {
  test.each([
    ["", "markdown file must start with --- frontmatter delimiter"],
    ["# Title\n---\na: 1\n---\n", "markdown file must start with --- frontmatter delimiter"],
    ["---x\na: 1\n---\n", "markdown file must start with --- frontmatter delimiter"],
    ["---", "no content after opening --- delimiter"],
    ["---\n\n", "no content after opening --- delimiter"],
    ["---\na: 1\n", "no closing --- delimiter found for frontmatter"],
    ["---\na: 1\n---foo\n", "no closing --- delimiter found for frontmatter"],
    ["---\na: 1\n----\n", "no closing --- delimiter found for frontmatter"],
    ["---\na: 1\n ---\n", "no closing --- delimiter found for frontmatter"],
  ])("%j is the error of the reference", (text, message) => {
    const { findings, isReadable } = readFrontMatter("x.md", text);
    expect(findings.map((finding) => finding.message)).toEqual([message]);
    expect(isReadable).toBe(false);
  });

  test("a byte order mark, blank lines, CRLF and blanks behind a delimiter are accepted", () => {
    const read = readFrontMatter("x.md", "\uFEFF\r\n\r\n--- \r\na: |\r\n  b\r\n---\t\r\nbody\r\n");
    expect(read).toMatchObject({
      values: { a: "b\n" },
      body: "body\n",
      bodyLine: 7,
      findings: [],
      isReadable: true,
    });
  });

  test("an empty front matter has no fields", () => {
    expect(readFrontMatter("x.md", "---\n---\nbody")).toMatchObject({
      values: {},
      body: "body",
      isReadable: true,
    });
  });

  test("a file above 256 KiB and one with NUL are refused", () => {
    expect(codes(`---\na: ${"x".repeat(256 * 1024)}\n---\n`)).toEqual(["1:1 file_too_large"]);
    expect(codes("---\na: \0\n---\n")).toEqual(["2:1 not_text"]);
  });
});

test.each([
  ["description: Fix issue #12 of the shop", ["2:14 yaml_comment"], "Fix issue"],
  ["description: Use C #sharp # not C++", ["2:14 yaml_comment"], "Use C"],
  ["description: Fix it # a comment", [], "Fix it"],
  ['description: "Fix issue #12"', [], "Fix issue #12"],
  ["description: Fix issue#12", [], "Fix issue#12"],
  ["description: |\n  Fix issue #12", [], "Fix issue #12"],
])("a text that ends before a # is a finding: %j", (line, found, value) => {
  const text = `---\n${line}\n---\n`;
  expect(codes(text)).toEqual(found);
  expect(String(readFrontMatter("x.md", text).values["description"]).trim()).toBe(value);
});

describe("places", () => {
  const text = `---
title: "Zoë 🦜"
`;
  const { places } = readFrontMatter(
    "x.md",
    `${text}parameters:
  🦜 path: { type: string, default: x }
list: [a, {b: c}]
script: |
    def run(args):
        return 1
folded: >2
   x
empty:
---
`,
  );

  test("every key and every value has a place, in characters", () => {
    expect(places.key(["title"])).toEqual({ file: "x.md", line: 2, column: 1 });
    expect(places.value(["title"])).toEqual({ file: "x.md", line: 2, column: 8 });
    expect(places.key(["parameters", "🦜 path", "default"])).toMatchObject({ line: 4, column: 27 });
    expect(places.value(["parameters", "🦜 path", "default"])).toMatchObject({ column: 36 });
    expect(places.value(["list", 1, "b"])).toMatchObject({ line: 5, column: 15 });
    expect(places.value(["empty"])).toMatchObject({ line: 11, column: 7 });
  });

  test("a path without a place has that of the nearest one above it", () => {
    expect(places.key(["parameters", "other"])).toMatchObject({ line: 3, column: 1 });
    expect(places.value(["nothing"])).toMatchObject({ line: 1, column: 1 });
  });

  test("a block has the place of its first character", () => {
    expect(places.text(["script"])).toEqual({
      style: "literal",
      place: { file: "x.md", line: 7, column: 5 },
      isJoined: false,
    });
    expect(places.text(["folded"])).toMatchObject({ style: "folded", place: { column: 3 } });
    expect(places.text(["title"])).toMatchObject({ style: "quoted", place: { column: 9 } });
    expect(places.text(["list", 0])).toMatchObject({ style: "plain", place: { column: 8 } });
  });
});

describe("YAML", () => {
  test("the colon trap has a code of its own, and the rest is read", () => {
    const read = readFrontMatter(
      "x.md",
      "---\ndescription: Use it: always\ntimeout_ms: 5\ntools:\n  - note: a: b\n    name: x\n---\n",
    );
    expect(read.findings).toMatchObject([
      {
        line: 2,
        column: 14,
        code: "yaml_colon",
        hint: expect.stringContaining("'Use it: always'"),
      },
      { line: 5, column: 11, code: "yaml_colon" },
    ]);
    expect(read.values).toEqual({
      description: "Use it; always",
      timeout_ms: 5,
      tools: [{ note: "a; b", name: "x" }],
    });
    expect(read.isReadable).toBe(true);
    expect(read.places.isFaulty(["description"])).toBe(true);
    expect(read.places.isFaulty(["tools", 0, "note"])).toBe(true);
    expect(read.places.isFaulty(["tools", 0, "name"])).toBe(false);
  });

  test("the colon trap in braces is repaired, too", () => {
    expect(codes("---\nx: { type: string, note: a: b }\ny: 1\ny: 2\n---\n")).toEqual([
      "2:26 yaml_colon",
      "4:1 duplicate_key",
    ]);
  });

  test.each([
    ["a: 1\nb: 2\na: 3", "4:1 duplicate_key"],
    ["a: !foo x", "2:9 yaml_tag"],
    ["a: !!binary aGk=", "2:13 yaml_tag"],
    ["a: *.md", "2:4 yaml_alias"],
    ["a: .nan", "2:4 yaml_number"],
    ["? [a]\n: b", "2:3 yaml_key"],
    ["a: @x", "2:4 yaml_syntax"],
    ['a: "\\q"', "2:5 yaml_syntax"],
    ["\ta: 1", "2:1 yaml_tab"],
    ["a 1\nb: 2", "2:1 yaml_syntax"],
    ["- 1", "2:1 not_a_map"],
    ["a: [1\nb: 2", "3:1 yaml_syntax"],
    ["a: 1\n...\nb: 2", "4:1 yaml_syntax"],
  ])("%j", (yaml, finding) => {
    expect(codes(`---\n${yaml}\n---\n`)).toEqual([finding]);
  });

  test("aliases are bounded, and so is nesting", () => {
    const bomb = ["a: &a [x, x]", "b: &b [*a, *a, *a, *a, *a]", "c: [*b, *b, *b, *b, *b]"];
    expect(codes(`---\n${bomb.join("\n")}\n---\n`)).toEqual(["3:16 yaml_alias"]);
    expect(codes("---\na: &a [*a]\n---\n")).toEqual(["2:8 yaml_alias"]);
    expect(codes(`---\na: ${"[".repeat(50)}${"]".repeat(50)}\n---\n`)).toEqual(["2:44 yaml_depth"]);
    expect(codes(`---\na: ${"[".repeat(100_000)}\n---\n`)).toEqual(["2:1 yaml_depth"]);
  });

  test("the key __proto__ is a key like others", () => {
    const { values } = readFrontMatter("x.md", "---\n__proto__: { isAdmin: true }\n---\n");
    expect(Object.getPrototypeOf(values)).toBe(Object.prototype);
    expect(Object.keys(values)).toEqual(["__proto__"]);
    expect(({} as Record<string, unknown>)["isAdmin"]).toBeUndefined();
  });

  test("values are those of YAML 1.2: yes and on are texts", () => {
    const { values } = readFrontMatter("x.md", "---\na: yes\nb: on\nc: 0o17\nd: 010\ne: ~\n---\n");
    expect(values).toEqual({ a: "yes", b: "on", c: 15, d: 10, e: null });
  });
});
