import fc from "fast-check";
import { cpuMilliseconds, inFullRun, linearWorkMs } from "@toolweave/test-support";
import { expect, test } from "vitest";
import { workspace } from "./support.ts";

const documents = [
  `---
title: "A: b"
parameters:
  path: { type: string, enum: ["a", 'b'] }
  list:
    type: array
    items: { type: integer }
script: |
  load("lib.star", "f", g="h")
  def run(args):
      """Doc."""
      for key, value in args.items():
          x = {"a": [value, f(key, k=1)], "b": lambda y: y + args["path"]}
      return [z for z in x if z] or "%s" % g.h(1)[2:3]
---
Text

\`\`\`starlark main
x = 1
\`\`\`
`,
  "---\ntools:\n- name: a\n  script: '#main'\n- hooks\n---\n```starlark main\nx = exec.run(\n```\n",
  "---\r\nevent: tool.pre\r\nwhen: payload['name'] == \"𝕏\"\r\nscript: >\r\n  a\r\n",
];

const noise = [
  "",
  ".",
  "(",
  "[",
  "{",
  '"',
  "'",
  '"""',
  ":",
  "\n",
  "  ",
  "- ",
  "|",
  "#",
  "é",
  "𝕏",
  "\0",
  "\r\n",
  "=",
  ",",
  "def ",
  "load('",
];

test("no text and no position makes a request fail", () => {
  const { open, service } = workspace();
  const edit = fc.record({ at: fc.nat(), length: fc.nat(20), text: fc.constantFrom(...noise) });
  const name = fc.constantFrom(
    "tools/a.md",
    "hooks/a.md",
    "toolweave.md",
    "PLUGIN.md",
    "a.star",
    "a.test.star",
  );
  fc.assert(
    fc.property(
      fc.constantFrom(...documents),
      name,
      fc.array(edit, { maxLength: 4 }),
      fc.nat(),
      (document, file, edits, cursor) => {
        let text = document;
        for (const { at, length, text: inserted } of edits) {
          const start = at % (text.length + 1);
          text = text.slice(0, start) + inserted + text.slice(start + length);
        }
        const { uri } = open(file, text);
        const lines = text.split("\n");
        const line = cursor % lines.length;
        const position = { line, character: cursor % ((lines[line] ?? "").length + 1) };
        expect(service.diagnostics(uri)).toBeInstanceOf(Array);
        service.hover(uri, position);
        service.completions(uri, position);
        service.signature(uri, position);
        service.definition(uri, position);
        service.symbols(uri);
        service.foldings(uri);
        service.prepareRename(uri, position);
        service.format(uri);
      },
    ),
    { numRuns: inFullRun(5000, 300) },
  );
});

test("a completion at each offset of a text is offered at its place", () => {
  const { open, service } = workspace();
  const [text = ""] = documents;
  for (let end = 0; end < text.length; end += inFullRun(1, 5)) {
    const { uri } = open("tools/a.md", text.slice(0, end));
    const lines = text.slice(0, end).split("\n");
    const position = { line: lines.length - 1, character: (lines.at(-1) ?? "").length };
    for (const { textEdit } of service.completions(uri, position)) {
      const range = (textEdit as { range: { start: { line: number }; end: object } }).range;
      expect(range.end).toEqual(position);
      expect(range.start.line).toBe(position.line);
    }
  }
});

test.each([
  [
    "functions that call each other often",
    "a.star",
    `${Array.from({ length: 40 }, (_, index) => `def f${index}():\n${`    return f${index + 1}()\n`.repeat(40)}`).join("\n")}x = f0().`,
  ],
  ["a line of blanks", "tools/a.md", `---\na${" ".repeat(200_000)}b\n---\n`],
  ["a line of opening brackets", "a.star", "(".repeat(50_000)],
  ["a line of keys", "tools/a.md", `---\na: ${"{a: ".repeat(40_000)}\n---\n`],
  ["a line of items", "tools/a.md", `---\n${"- ".repeat(60_000)}\n---\n`],
  ["a long chain of operators", "a.star", `x = ${"1 + ".repeat(20_000)}1\ny = x.`],
  ["many lines of front matter", "tools/a.md", `---\n${"- a: 1\n".repeat(20_000)}---\n`],
])("%s takes linear time", async (_, name, text) => {
  const { open, service } = workspace();
  const { uri } = open(name, text);
  const lines = text.trimEnd().split("\n");
  const line = name.endsWith(".md") ? 1 : lines.length - 1;
  const position = { line, character: (lines[line] ?? "").length };
  const time = await cpuMilliseconds(() => {
    service.completions(uri, position);
    service.signature(uri, position);
    service.hover(uri, position);
    service.symbols(uri);
    service.foldings(uri);
  });
  expect(time).toBeLessThan(linearWorkMs);
});
