import { describe, expect, test } from "vitest";
import { combineBundle } from "../../src/artifact/bundle.ts";
import {
  readArtifactFile,
  readBundleFile,
  readHookFile,
  readInlineArtifact,
  readInlineArtifacts,
  readInlineFile,
  readToolFile,
} from "../../src/artifact/read-artifact.ts";

const tool = (yaml: string, body = "", file = "greet.md"): ReturnType<typeof readToolFile> =>
  readToolFile(file, `---\n${yaml}\n---\n${body}`);
const messages = (result: {
  readonly findings: readonly { readonly message: string }[];
}): unknown => result.findings.map(({ message }) => message);

const reference = `---
parameters:
  command: { type: string, required: true }
  timeout_ms: { type: number, required: false }
script: |
  def run(args):
      return exec.run("bash", ["-lc", args["command"]], 15000)
timeout_ms: 30000
---

# run_command

Run a shell command.
`;

describe("a tool", () => {
  test("the example of the reference", () => {
    const { artifact, findings } = readToolFile("tools/run_command.md", reference);
    expect(findings).toEqual([]);
    expect(artifact).toEqual({
      kind: "tool",
      name: "run_command",
      place: { file: "tools/run_command.md", line: 1, column: 1 },
      description: "# run_command\n\nRun a shell command.",
      inputSchema: {
        type: "object",
        properties: { command: { type: "string" }, timeout_ms: { type: "number" } },
        required: ["command"],
        additionalProperties: true,
      },
      script: {
        text: 'def run(args):\n    return exec.run("bash", ["-lc", args["command"]], 15000)\n',
        place: { file: "tools/run_command.md", line: 6, column: 3 },
      },
      timeoutMs: 30000,
      isAsync: false,
      annotations: {},
      errorShape: "value",
      overrides: false,
      limits: {},
      access: {},
      dialect: {},
      metadata: {},
    });
  });

  test("without a body, the description is the name; without a script, the host runs it", () => {
    const { artifact } = readToolFile("greet.md", "---\n---\n");
    expect(artifact).toMatchObject({ name: "greet", description: "greet" });
    expect(artifact?.script).toBeUndefined();
  });

  test("every extension is read", () => {
    const { artifact, findings } = tool(
      `name: Greet
title: Greet a person
description: For the model
output: { properties: { text: { type: string } } }
async: true
annotations: { readOnlyHint: true, destructiveHint: false }
access: { filesystem: read, process: [git], network: false }
limits: { steps: 50, memory_mb: 2, effects: 3 }
dialect: { fstrings: true, top_level_control: true }
metadata: { owner: me }
error_shape: error
override: true
script: "#main"
owner: you`,
      "Docs\n\n```starlark main\ndef run(args): return 1\n```\n",
    );
    expect(messages({ findings })).toEqual(["the key owner has no meaning here"]);
    expect(artifact).toMatchObject({
      name: "Greet",
      place: { line: 2, column: 1 },
      title: "Greet a person",
      description: "For the model",
      docs: "Docs",
      outputSchema: { type: "object", properties: { text: { type: "string" } } },
      isAsync: true,
      annotations: { readOnlyHint: true, destructiveHint: false },
      access: { filesystem: "read", process: ["git"], network: false },
      limits: { steps: 50, memoryBytes: 2 * 1024 * 1024, effects: 3 },
      dialect: { fstrings: true, topLevelControl: true },
      metadata: { owner: "me" },
      errorShape: "error",
      overrides: true,
      script: { text: "def run(args): return 1\n", place: { line: 20, column: 1 } },
    });
  });

  test("parameters keep their order and have the keywords of JSON Schema", () => {
    const { artifact } = tool(`parameters:
  zeta: { type: integer, minimum: 1, default: 3, description: a }
  alpha: { type: array, required: true, items: { type: string, enum: [a, b] } }
  mid: { type: object, properties: { x: { type: number, required: true, default: 1.5 } } }
  __proto__: { type: string }`);
    expect(Object.keys(artifact?.inputSchema["properties"] ?? {})).toEqual([
      "zeta",
      "alpha",
      "mid",
      "__proto__",
    ]);
    expect(artifact?.inputSchema).toMatchObject({
      properties: {
        zeta: { type: "integer", description: "a", default: 3, minimum: 1 },
        alpha: { type: "array", items: { type: "string", enum: ["a", "b"] } },
        mid: { type: "object", properties: { x: { type: "number" } }, required: ["x"] },
      },
      required: ["alpha"],
    });
  });

  test("a fault of one field does not hide those of others", () => {
    const { artifact, draft, findings } = tool(`parameters:
  a: { type: strng }
  b: string
  c: { required: yes }
  d: { type: boolean, enum: [1] }
timeout_ms: -1
async: "true"
error_shape: throw
access: { process: git }
limits: { steps: 0 }
timeuot_ms: 5
script: >
  def run(args):
      return 1`);
    expect(artifact).toBeUndefined();
    expect(draft?.name).toBe("greet");
    expect(messages({ findings })).toEqual([
      'parameter "a" has the unknown type "strng"',
      'parameters.b must be a map, not "string"',
      'parameter "c" has no type',
      'parameters.c.required must be true or false, not "yes"',
      "parameters.d.enum must fit the type boolean, and 1 does not",
      'tool "greet" timeout_ms must be >= 0',
      'async must be true or false, not "true"',
      'error_shape must be value or error, not "throw"',
      'access.process must be true, false or a list of names, not "git"',
      "limits.steps must be above 0, not 0",
      "the key timeuot_ms has no meaning here",
      "script must keep its lines, and `>` does not",
    ]);
  });

  test.each([
    ["my tool.md", "Rename the file to my_tool.md, or add name: my_tool."],
    ["über.md", "Rename the file to uber.md, or add name: uber."],
    ["1st.md", "Rename the file to _1st.md, or add name: _1st."],
  ])("the stem of %s is no name: the hint has the cleaned one", (file, hint) => {
    expect(tool("async: false", "", file).findings).toMatchObject([{ code: "invalid_name", hint }]);
  });

  test("name can correct a stem, and not replace it", () => {
    expect(tool("name: my_tool", "", "my tool.md").artifact?.name).toBe("my_tool");
    expect(messages(tool("name: other"))).toEqual([
      'the name "other" is not the name of the file, "greet"',
    ]);
  });

  test("parameters and input exclude each other, and so do script and script_file", () => {
    expect(
      messages(tool("parameters: {}\ninput: { type: object }\nscript: x\nscript_file: a.star")),
    ).toEqual(
      expect.arrayContaining([
        "parameters and input exclude each other",
        "script and script_file exclude each other",
      ]),
    );
  });

  test("a schema is checked as deep as it goes", () => {
    const { findings } = tool("input:\n  properties:\n    a:\n      items: { type: strin }");
    expect(findings).toMatchObject([{ line: 5, column: 22, code: "schema" }]);
  });

  test("script_file is a file in the folder", () => {
    const read = (path: string): unknown =>
      readToolFile("a/b.md", `---\nscript_file: ${path}\n---\n`, {
        readFile: (name) => (name === "lib/b.star" ? "\uFEFFx\r\n" : undefined),
      });
    expect(read("./lib/b.star")).toMatchObject({
      artifact: { script: { text: "x\n", place: { file: "a/lib/b.star", line: 1, column: 1 } } },
    });
    for (const path of ["../b.star", "/etc/passwd", "a\\b", "C:/x", "missing.star"])
      expect(read(path)).toMatchObject({ findings: [{ code: "script_file" }] });
  });

  test("a script of one line has the place of its first character", () => {
    expect(tool('script: "def run(a): return 1"').artifact?.script?.place.column).toBe(10);
    expect(tool("script: 'x\n  y'").findings).toMatchObject([{ code: "script_style" }]);
    expect(tool('script: "x\\ny"').findings).toMatchObject([{ code: "script_style" }]);
  });
});

describe("a hook", () => {
  test("is read with its defaults", () => {
    const { artifact, findings } = readHookFile(
      "hooks/guard.md",
      '---\nevent: tool.pre\nwhen: payload["name"] == "x"\nscript: |\n  def handle(event, payload):\n    return allow()\n---\nNotes\n',
    );
    expect(findings).toEqual([]);
    expect(artifact).toMatchObject({
      kind: "hook",
      name: "guard",
      event: "tool.pre",
      priority: 0,
      when: { text: 'payload["name"] == "x"', place: { line: 3, column: 7 } },
      script: { place: { line: 5, column: 3 } },
    });
  });

  test("needs an event that exists, and a script", () => {
    expect(messages(readHookFile("a.md", "---\npriority: 1\n---\n"))).toEqual([
      'hook "a" has no event',
      'hook "a" has no script',
    ]);
    expect(readHookFile("a.md", "---\nevent: tool.prre\nscript: x\n---\n").findings).toMatchObject([
      { code: "unknown_event", hint: "Did you mean tool.pre?" },
    ]);
    for (const event of ["custom.x", "meta.call_tool", "session.start", "error"])
      expect(messages(readHookFile("a.md", `---\nevent: ${event}\nscript: x\n---\n`))).toEqual([]);
  });
});

describe("a bundle", () => {
  const text = `---
type: plugin
name: git
description: Git tools
version: "1.0"
tags: [vcs]
depends_on: [base]
condition: platform == "linux"
tools:
  - name: git_log
    description: The log
    script: "#log"
  - timeout_ms: -1
  - 7
  - name: git_log
hooks:
  - name: guard
    event: tool.pre
    script: |
      def handle(event, payload):
          return None
---
Context

\`\`\`starlark log
def run(args): return 1
\`\`\`
`;

  test("reads its tools and hooks; an entry with faults does not hide others", () => {
    const { artifact, draft, findings, parts } = readBundleFile("git.md", text);
    expect(artifact).toBeUndefined();
    expect(messages({ findings })).toEqual([
      "tools[1].name cannot be empty",
      'tool "unnamed" timeout_ms must be >= 0',
      "tools[2] must be a map, not 7",
      'tool "git_log" is defined more than once',
    ]);
    expect(parts.map(({ isValid }) => isValid)).toEqual([true, false, true, true]);
    expect(draft).toMatchObject({
      name: "git",
      tags: ["vcs"],
      dependsOn: ["base"],
      condition: { text: 'platform == "linux"' },
      hooks: [{ name: "guard", script: { place: { line: 20, column: 7 } } }],
      tools: [{ name: "git_log", description: "The log", place: { line: 10, column: 5 } }, {}, {}],
    });
  });

  test("needs type, name and description", () => {
    expect(messages(readBundleFile("x.md", "---\ntags: a\n---\n"))).toEqual([
      "the bundle has no name",
      "a bundle needs type: plugin",
      'bundle "" has no description',
      'tags must be a list, not "a"',
    ]);
  });

  test("of the folder form has the artifacts of its files, too", () => {
    const bundle = readBundleFile(
      "git/PLUGIN.md",
      "---\ntype: plugin\nname: git\ndescription: d\n---\n",
    ).artifact;
    const extra = readToolFile("git/tools/a.md", "---\n---\n").artifact;
    expect(bundle && extra && combineBundle(bundle, [extra])).toMatchObject({
      tools: [{ name: "a" }],
      hooks: [],
    });
  });
});

describe("entries of lists", () => {
  test("in front matter have places", () => {
    const result = readInlineFile(
      "harness.md",
      "---\nmodel: x\ntools:\n  - name: a\n    script: |\n      def run(args): return 1\n  - name: b c\nhooks: 5\n---\n",
    );
    expect(result.tools).toMatchObject([
      { name: "a", description: "a", script: { place: { line: 6, column: 7 } } },
    ]);
    expect(result.findings).toMatchObject([
      { line: 7, column: 11, code: "invalid_name" },
      { line: 8, column: 8, code: "wrong_type" },
    ]);
  });

  test("in JSON have the place of the value", () => {
    const place = { file: "toolweave.json", line: 3, column: 5 };
    const result = readInlineArtifacts(
      {
        tools: [
          { name: "a", script: "def run(args):\n  return 1" },
          { name: "b", async: 1 },
        ],
      },
      place,
    );
    expect(result.tools).toMatchObject([
      {
        name: "a",
        script: { place: { file: "toolweave.json#/tools/0/script", line: 1, column: 1 } },
      },
    ]);
    expect(result.findings).toMatchObject([
      { ...place, message: "async must be true or false, not 1" },
    ]);
    expect(readInlineArtifact("tool", "x", place).findings).toMatchObject([{ code: "wrong_type" }]);
    expect(
      readInlineArtifact("hook", { name: "h", event: "error", script: "x" }, place),
    ).toMatchObject({ artifact: { kind: "hook" }, findings: [] });
  });
});

test("a file is read by its kind", () => {
  for (const kind of ["tool", "hook", "bundle"] as const)
    expect(readArtifactFile("a.md", "---\nname: a\n---\n", { kind }).draft?.kind).toBe(kind);
});
