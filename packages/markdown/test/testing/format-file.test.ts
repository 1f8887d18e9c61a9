import { globSync, readFileSync } from "node:fs";
import { parse, walkSyntax } from "@toolweave/starlark";
import { expect, test } from "vitest";
import { readToolFile } from "../../src/artifact/read-artifact.ts";
import { formatFile } from "../../src/check/format-file.ts";

const rough = `---
# A comment.
parameters: {a: {type: string,   required: true}}
script: |
   def run( args ):
     x=[1,2]   # two

     if x : return "a"
     return """
   text
     \${x}"""


timeout_ms: 5
---
Text   with  blanks.  
`;
const standard = `---
# A comment.
parameters: {a: {type: string,   required: true}}
script: |
   def run(args):
       x = [1, 2]  # two

       if x:
           return "a"
       return """
   text
     \${x}"""


timeout_ms: 5
---
Text   with  blanks.  
`;

test("the script of a markdown file is formatted in place, and nothing else is changed", () => {
  expect(formatFile("a.md", rough)).toEqual({ text: standard, findings: [] });
  expect(formatFile("a.md", standard).text).toBe(standard);
});

test("line breaks and a byte order mark stay as they are", () => {
  const windows = `\uFEFF${rough.replaceAll("\n", "\r\n")}`;
  expect(formatFile("a.md", windows).text).toBe(`\uFEFF${standard.replaceAll("\n", "\r\n")}`);
  expect(formatFile("a.star", "\uFEFFx=1\r\ny=2").text).toBe("\uFEFFx = 1\r\ny = 2\r\n");
});

test("the scripts of lists are formatted, each with its indentation", () => {
  const text = `---
type: plugin
name: pair
description: Two.
tools:
  - name: one
    script: |
      def run(args): return 1
hooks:
  - name: two
    event: tool.pre
    script: |4
        def handle(event,payload):
           return allow()
---
`;
  expect(formatFile("PLUGIN.md", text).text).toBe(`---
type: plugin
name: pair
description: Two.
tools:
  - name: one
    script: |
      def run(args):
          return 1
hooks:
  - name: two
    event: tool.pre
    script: |4
        def handle(event, payload):
            return allow()
---
`);
});

test("a file with an error stays as it is, and its errors have the places of the file", () => {
  const broken = "---\nscript: |\n  def run(args):\n      x = = 1\n---\n";
  expect(formatFile("a.md", broken)).toEqual({
    text: broken,
    findings: [
      {
        file: "a.md",
        line: 4,
        column: 11,
        code: "syntax",
        severity: "error",
        message: "got '=', want primary expression",
      },
    ],
  });
  const yaml = "---\nscript: |\n  x=1\na: b: c\n---\n";
  expect(formatFile("a.md", yaml).findings).toMatchObject([{ line: 4, code: "yaml_colon" }]);
  expect(formatFile("a.star", "x = (\n")).toMatchObject({ text: "x = (\n", findings: [{}] });
});

test("a text without a script is returned as it is", () => {
  for (const text of ["# A page\n", "---\ntitle: x\n---\nBody", "---\nscript: 'x=1'\n---\n", ""])
    expect(formatFile("README.md", text)).toEqual({ text, findings: [] });
});

test("formatting the fixtures changes nothing but the scripts, and doing it again changes nothing", () => {
  const folder = new URL("../fixtures/artifacts/good/", import.meta.url);
  const files = globSync("**/*.{md,star}", { cwd: folder });
  expect(files.length).toBeGreaterThan(20);
  for (const file of files) {
    const text = readFileSync(new URL(file, folder), "utf8");
    const formatted = formatFile(file, text);
    expect(formatted.findings).toEqual([]);
    expect(formatFile(file, formatted.text).text).toBe(formatted.text);
    if (!file.endsWith(".md")) continue;
    const [before, after] = [text, formatted.text].map((each) => readToolFile(file, each));
    const withoutScript = (result: typeof before): unknown => ({
      ...result?.draft,
      script: undefined,
    });
    expect(withoutScript(after)).toEqual(withoutScript(before));
    expect(listKinds(after?.draft?.script?.text)).toEqual(listKinds(before?.draft?.script?.text));
  }
});

/** The kinds of all nodes of a program. */
function listKinds(script = ""): readonly string[] {
  return Array.from(
    walkSyntax(parse(script, { dialect: "session" }).statements),
    ({ kind }) => kind,
  );
}
