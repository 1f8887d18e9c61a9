import { describe, expect, test } from "vitest";
import { toolText, workspace } from "./support.ts";

const front = `parameters:
  path: { type: string, required: true, description: The file. }
  options:
    type: object
    properties:
      deep: { type: boolean }
`;

const complete = (script: string): readonly string[] =>
  workspace().open("tools/a.md", toolText(script, front)).labels();

describe("members", () => {
  test.each([
    ["a module", "def run(args):\n    return exec.┃", ["run"]],
    ["a module whose name is begun", "def run(args):\n    return uuid.v┃", ["v4"]],
    ["a dict", "def run(args):\n    return {'a': 1}.┃", ["clear", "get", "items"]],
    ["a list in a dict", "x = {\n    'a': [1].┃\n}", ["append", "clear", "extend"]],
    [
      "a variable",
      "def run(args):\n    x = [1]\n    x.┃\n    return x",
      ["append", "clear", "extend"],
    ],
    [
      "a result",
      "def run(args):\n    r = exec.run('a')\n    return r.┃",
      ["clear", "get", "items"],
    ],
    ["a method's result", "x = 'a'.split().┃", ["append", "clear", "extend"]],
    [
      "a local function's result",
      "def f():\n    return []\nx = f().┃",
      ["append", "clear", "extend"],
    ],
    [
      "a parameter of the tool",
      "def run(args):\n    return args['options'].┃",
      ["clear", "get", "items"],
    ],
    ["a default", "def f(a={}):\n    return a.┃", ["clear", "get", "items"]],
  ])("of %s", (_, script, expected) => {
    expect(complete(script).slice(0, expected.length)).toEqual(expected);
  });

  test("of a value of an unknown type are the methods of all types", () => {
    const labels = complete("def f(a):\n    return a.┃");
    expect(labels).toContain("append");
    expect(labels).toContain("startswith");
  });

  test("of a variable with the name of a module are those of its value", () => {
    expect(complete("def run(args):\n    fs = []\n    return fs.┃")[0]).toBe("append");
  });

  test.each(["x = 1.┃", "x = True.┃"])("of %s there are none", (script) => {
    expect(complete(script)).toEqual([]);
  });
});

describe("names", () => {
  test("are the variables of the place, the inner ones first", () => {
    const labels = complete(
      "LIMIT = 1\n\ndef other(hidden):\n    return hidden\n\ndef run(args):\n    for line in []:\n        size = [word for word in li┃]\n    return 1",
    );
    expect(labels.slice(0, 7)).toEqual(["word", "args", "line", "size", "LIMIT", "other", "run"]);
    expect(labels).not.toContain("hidden");
    expect(labels).toEqual(expect.arrayContaining(["exec", "json", "len", "None", "return"]));
  });

  test.each([
    ["an operator", "def run(args):\n    abc = 1\n    x = 2 + ┃\n    return x"],
    ["a condition", "def run(args):\n    abc = 1\n    if ┃\n    return abc"],
    [
      "a condition with a block",
      "def run(args):\n    abc = 1\n    if ┃\n        return abc\n    return 1",
    ],
    ["an open call", "def run(args):\n    abc = 1\n    print(len(┃\n    return abc"],
    [
      "an open list over lines",
      "def run(args):\n    abc = 1\n    x = [\n        1,\n        ┃\n    return abc",
    ],
    ["a fault elsewhere", "y = = 2\ndef run(args):\n    abc = 1\n    x = ┃\n    return abc"],
    ["for", "def run(args):\n    abc = 1\n    for a in ┃\n    return abc"],
  ])("are completed after %s", (_, script) => {
    expect(complete(script)).toContain("abc");
  });

  test("of a hook are without effects, and with its decisions", () => {
    const text = "---\nevent: tool.pre\nscript: |\n  def handle(event, payload):\n      ┃\n---\n";
    const labels = workspace().open("hooks/a.md", text).labels();
    expect(labels).toEqual(expect.arrayContaining(["event", "payload", "allow", "block"]));
    expect(labels).not.toContain("exec");
  });

  test("of a condition are those that it has", () => {
    const text =
      "---\nevent: tool.pre\nwhen: ┃\nscript: |\n  def handle(event, payload):\n      return allow()\n---\n";
    const labels = workspace().open("hooks/a.md", text).labels();
    expect(labels.slice(0, 2)).toEqual(["event", "payload"]);
  });

  test.each(["# a┃", "x = 'a┃'", "x = 'a' # ┃"])("are not completed in %s", (script) => {
    expect(complete(script)).toEqual([]);
  });
});

describe("arguments", () => {
  test("are the keywords that a call does not have yet", () => {
    const labels = complete("def run(args):\n    exec.run('git', timeout_ms=1, ┃)");
    expect(labels.slice(0, 4)).toEqual(["cmd=", "args=", "dir=", "stdin="]);
  });

  test("of local functions are their parameters", () => {
    expect(complete("def f(aa, bb=1):\n    return aa\n\nx = f(1, ┃)")[0]).toBe("bb=");
  });

  test.each(["x = f(aa=┃)", "x = f(1 + ┃)"])("are not completed within a value: %s", (call) => {
    expect(complete(`def f(aa, bb=1):\n    return aa\n\n${call}`)).not.toContain("bb=");
  });
});

describe("keys of arguments", () => {
  test.each([
    ["def run(args):\n    return args['┃']", ["path", "options"]],
    ['def run(args):\n    return args["p┃', ["path", "options"]],
    ["def run(args):\n    return args.get('┃')", ["path", "options"]],
    ["def run(args):\n    return args['options']['┃']", ["deep"]],
    ["def run(args):\n    o = args.get('options')\n    return o['┃']", ["deep"]],
    ["def run(a):\n    return a['┃']", ["path", "options"]],
    ["def other(args):\n    return args['┃']", []],
  ])("in %j", (script, expected) => {
    expect(complete(script)).toEqual(expected);
  });

  test("replace the text in the quotes", () => {
    const { service, open } = workspace();
    const { apply, at, uri } = open(
      "tools/a.md",
      toolText("def run(args):\n    return args['pa┃']", front),
    );
    const [item] = service.completions(uri, at);
    expect(apply([item?.textEdit as never])).toContain("return args['path']");
  });
});

describe("load", () => {
  test("completes the files and the names in them", () => {
    const { open, write } = workspace();
    write("tools/lib.star", "def twice(x):\n    return x\n\n_hidden = 1\nLIMIT = 2\n");
    write("tools/more/other.star", "x = 1\n");
    write("tools/lib.test.star", "");
    expect(open("tools/a.star", "load('┃')").labels()).toEqual(["lib.star", "more/other.star"]);
    expect(open("tools/b.star", "load('lib.star', '┃')").labels()).toEqual(["twice", "LIMIT"]);
    expect(open("tools/c.star", "load('lib.star', 'twice')\nx = tw┃").labels()[0]).toBe("twice");
  });

  test("reads the open text of the other file", () => {
    const { open, write } = workspace();
    write("tools/lib.star", "old = 1\n");
    open("tools/lib.star", "new = 1\n");
    expect(open("tools/b.star", "load('lib.star', '┃')").labels()).toEqual(["new"]);
  });

  test("leads to no file outside of the folder", () => {
    const { open, write } = workspace();
    write("secret.star", "secret = 1\n");
    expect(open("tools/b.star", "load('../secret.star', '┃')").labels()).toEqual([]);
  });
});

test("tests have the functions of their parameter", () => {
  const { open } = workspace();
  const labels = open("a.test.star", "def test_a(t):\n    t.┃\n").labels();
  expect(labels).toEqual(expect.arrayContaining(["eq", "mock", "call"]));
});

describe("front matter", () => {
  const labels = (name: string, text: string): readonly string[] =>
    workspace().open(name, text).labels();

  test.each([
    [
      "keys without those that are there",
      "tools/a.md",
      "---\ntitle: A\n┃\n---\n",
      ["name", "description", "parameters"],
    ],
    [
      "keys of a parameter",
      "tools/a.md",
      "---\nparameters:\n  a:\n    type: string\n    ┃\n---\n",
      ["description", "required", "enum"],
    ],
    [
      "keys between braces",
      "tools/a.md",
      "---\nparameters:\n  a: { type: string, ┃}\n---\n",
      ["description", "required", "enum"],
    ],
    [
      "types",
      "tools/a.md",
      "---\nparameters:\n  a: { type: ┃\n---\n",
      ["string", "number", "boolean"],
    ],
    ["booleans", "tools/a.md", "---\nasync: ┃\n---\n", ["true", "false"]],
    [
      "choices of a nested key",
      "tools/a.md",
      "---\naccess:\n  filesystem: ┃\n---\n",
      ["none", "read", "write"],
    ],
    ["events", "hooks/a.md", "---\nevent: t┃\n---\n", ["tool.pre", "tool.post"]],
    [
      "keys of an entry",
      "toolweave.md",
      "---\ntools:\n  - name: a\n    ┃\n---\n",
      ["title", "description", "parameters"],
    ],
    ["keys of a new entry", "toolweave.md", "---\nhooks:\n  - ┃\n---\n", ["name", "event", "when"]],
    [
      "keys of a bundle",
      "plugins/a.md",
      "---\ntype: plugin\n┃\n---\n",
      ["name", "description", "version"],
    ],
    [
      "keys while the front matter is not closed",
      "tools/a.md",
      "---\ntitle: A\n┃",
      ["name", "description", "parameters"],
    ],
    [
      "keys while another line is invalid",
      "tools/a.md",
      "---\ntitle: [A\nd┃\n---\n",
      ["name", "description", "parameters"],
    ],
  ])("completes %s", (_, name, text, expected) => {
    expect(labels(name, text).slice(0, expected.length)).toEqual(expected);
  });

  test.each([
    ["the body", "tools/a.md", "---\ntitle: A\n---\nte┃\n"],
    ["a comment", "tools/a.md", "---\ntitle: A # ┃\n---\n"],
    ["a file that declares nothing", "README.md", "# A┃\n"],
  ])("completes nothing in %s", (_, name, text) => {
    expect(labels(name, text)).toEqual([]);
  });

  test("the keys of args stay while the front matter is invalid", () => {
    const { open, service } = workspace();
    const {
      labels: at,
      position,
      uri,
    } = open("tools/a.md", toolText("def run(args):\n    return args['┃']", front));
    expect(at()).toEqual(["path", "options"]);
    const start = position("---");
    service.change(uri, 2, [
      {
        range: { start: { line: 1, character: 0 }, end: { line: 1, character: 0 } },
        text: "a: [\n",
      },
    ]);
    expect(start.line).toBe(0);
    const moved = { ...position("['"), character: position("['").character + 2 };
    expect(at({ ...moved, line: moved.line + 1 })).toEqual(["path", "options"]);
  });
});
