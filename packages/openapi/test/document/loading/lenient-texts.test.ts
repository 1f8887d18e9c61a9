// Texts that authors publish and stricter parsers refuse.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openDocument } from "../../../src/operations/document.ts";
import { parseDocument } from "../../../src/document/loading/parse-document.ts";
import { openApiSource } from "../../../src/index.ts";
import { folder } from "../../support/open-documents.ts";

function read(text: string): { value: unknown; notes: string[] } {
  const notes: string[] = [];
  return { value: parseDocument(text, (note) => notes.push(note)), notes };
}

describe("is read, with a warning", () => {
  test.for<[string, string, unknown, RegExp]>([
    ["a tab as indentation", "a:\n\tb: 1\n\tc: 2\n", { a: { b: 1, c: 2 } }, /^each tab is read/],
    ["a tab in brackets", "a: {\n\tb: [\n\t\t1 ]}\n", { a: { b: [1] } }, /^each tab is read/],
    [
      "a bracket too far left",
      "x:\n  a: {\n    b: 1\n  }\n",
      { x: { a: { b: 1 } } },
      /too small in line 4/,
    ],
    ["a quoted text too far left", 'x:\n  a: "b\nc"\n', { x: { a: "b c" } }, /too small in line 3/],
    ["@ before a value", "a: @b\n", { a: "@b" }, /read as text in line 1/],
    ["a backtick before a value", "a: `b`\n", { a: "`b`" }, /read as text in line 1/],
    ["all media types", "a: */*\n", { a: "*/*" }, /read as text/],
    ["a star", "a: *\n", { a: "*" }, /read as text/],
    [
      "a colon in a value",
      "a: b: it's c\nd: 1\n",
      { a: "b: it's c", d: 1 },
      /read as text in line 1/,
    ],
    ["a pattern that begins with a bracket", "a: [a-z]+\n", { a: "[a-z]+" }, /read as text/],
    ["a backslash in double quotes", 'a: "\\d+\\n\\\\"\n', { a: "\\d+\n\\" }, /backslash/],
    ["characters that do not print", "a: x\u0007y\ud800\n", { a: "xy" }, /non-printable/],
    [
      "equal keys",
      "a: 1\nb: 2\na: 3\n",
      { a: 3, b: 2 },
      /last of several equal keys is used, as in line 3/,
    ],
    ["comments in JSON", '{ // "a"\n"b": "//c" /* d */ }', { b: "//c" }, /JSON does not allow/],
    [
      "commas before brackets in JSON",
      '{"a": [1, 2, /* x */ ], "b": ",]", }',
      { a: [1, 2], b: ",]" },
      /JSON does not allow/,
    ],
  ])("%s", ([, text, value, note]) => {
    const result = read(text);
    expect(result.value).toEqual(value);
    expect(result.notes).toHaveLength(1);
    expect(result.notes[0]).toMatch(note);
  });

  test("in a problem of the document, or of its file", async () => {
    const root = `openapi: 3.1.0\ninfo:\n\ttitle: x\npaths:\n  /a:\n    get:\n      operationId: a\n      parameters: [{ name: q, in: query, schema: { $ref: models/b.yaml } }]\n`;
    const place = folder({ "api.yaml": root, "models/b.yaml": "type: string\npattern: [a]+\n" });
    const source = openApiSource(join(place, "api.yaml"), { baseUrl: "https://api.example" });
    await source.ready;
    const [first] = source.problems;
    expect(first).toMatchObject({ subject: "the document", severity: "warning", pointer: "" });
    expect(first?.message).toMatch(/read nevertheless: each tab is read/);
    source.realize();
    expect(source.problems[1]).toMatchObject({
      subject: "models/b.yaml",
      pointer: "models/b.yaml#",
    });
    writeFileSync(join(place, "models/b.yaml"), "type: string\n");
    await source.refresh();
    expect(source.problems).toHaveLength(1);
    await source.close();
  });
});

describe("is read as intended", () => {
  test.for<[string, string, unknown]>([
    [
      "a byte order mark and Windows line ends",
      "\ufeffa: 1\r\nb:\r\n  - c\r\n",
      { a: 1, b: ["c"] },
    ],
    ["words that YAML 1.1 reads as booleans", "on: yes\nno: off\n", { on: "yes", no: "off" }],
    ["status codes as keys", "200: a\n404: b\n", { 200: "a", 404: "b" }],
    [
      "dates and times",
      "a: 2020-01-01\nb: 2001-12-14t21:59:43.10-05:00\n",
      { a: "2020-01-01", b: "2001-12-14t21:59:43.10-05:00" },
    ],
    ["tags of other languages", "a: !!binary aGk=\nb: !Ref c\n", { a: "aGk=", b: "c" }],
    [
      "keys that are merged in",
      "x: &x {a: 1, b: 1}\ny:\n  <<: *x\n  b: 2\n",
      { x: { a: 1, b: 1 }, y: { a: 1, b: 2 } },
    ],
    ["the start marker of a document", "%YAML 1.2\n---\na: 1\n...\n", { a: 1 }],
  ])("%s", ([, text, value]) => {
    expect(read(text)).toEqual({ value, notes: [] });
  });
});

describe("is refused", () => {
  test.for([
    ["an alias of nothing", "a: *b\n"],
    ["two documents", "---\na: 1\n---\nb: 2\n"],
    ["brackets 2,000 deep", `a: ${"[".repeat(2_000)}${"]".repeat(2_000)}`],
    [
      "keys 2,000 deep",
      Array.from({ length: 2_000 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n"),
    ],
  ])("%s", ([, text]) => {
    expect(() => read(text as string)).toThrow(/not valid YAML/);
  });

  test("a text that would need repairs without end, in bounded time", async () => {
    const text = `a:\n${Array.from({ length: 60_000 }, (_, index) => `  b${index}: @c\n`).join("")}`;
    await expect(openDocument(text)).rejects.toMatchObject({ code: "invalid_arguments" });
  });
});
