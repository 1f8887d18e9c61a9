import { describe, expect, test } from "vitest";
import type { Location } from "vscode-languageserver-protocol";
import { toolText, workspace } from "./support.ts";

const front = "parameters:\n  path: { type: string, required: true, description: The file. }\n";

describe("hover", () => {
  const hover = (script: string): string | undefined =>
    workspace().open("tools/a.md", toolText(script, front)).hover();

  test.each([
    ["a built-in function", "x = ht┃tp.get", "(module) http"],
    ["a member of a module", "x = http.g┃et", "def http.get(url: str"],
    ["a constant", "x = math.p┃i", "math.pi: float"],
    ["a function of the language", "x = sor┃ted([])", "def sorted(iterable, *, key=None"],
    ["a method", "x = 'a'.spl┃it()", "def string.split(sep=None"],
    [
      "a local function",
      'def f(a, b=1):\n    """Adds.\n\n    More.\n    """\n    return a\nx = ┃f(1)',
      "Adds.\n\nMore.",
    ],
    ["its definition", 'def ┃f(a, b=1):\n    """Adds."""\n    return a', "def f(a, b=1)"],
    [
      "a key of the arguments",
      "def run(args):\n    return args['pa┃th']",
      "path: string\n```\n\nThe file.",
    ],
    ["a key of get", "def run(args):\n    return args.get('pa┃th')", "path: string"],
    ["the arguments", "def run(ar┃gs):\n    return args", "- `path`: string. The file."],
    ["a keyword argument", "x = exec.run('a', di┃r='b')", "(parameter) dir: str | None = None"],
    [
      "a variable",
      "def run(args):\n    numbers = [1]\n    return num┃bers",
      "(variable) numbers: list",
    ],
  ])("of %s", (_, script, expected) => {
    expect(hover(script)).toContain(expected);
  });

  test.each(["x = ┃1", "# ┃len", "x = 'le┃n'", "de┃f f():\n    pass"])(
    "of %j there is none",
    (script) => {
      expect(hover(script)).toBeUndefined();
    },
  );

  test.each([
    ["tools/a.md", "---\nti┃meout_ms: 1\n---\n", "timeout_ms: integer\n```\n\nMilliseconds"],
    ["tools/a.md", "---\nparameters:\n  a: { ty┃pe: string }\n---\n", "The type of the value."],
    ["tools/a.md", "---\naccess:\n  fil┃esystem: none\n---\n", "The use of files."],
    ["hooks/a.md", "---\nev┃ent: tool.pre\n---\n", "The event at which"],
    ["toolweave.md", "---\ntools:\n  - name: a\n    asy┃nc: true\n---\n", "continues as a task"],
  ])("of a key in %s: %j", (name, text, expected) => {
    expect(workspace().open(name, text).hover()).toContain(expected);
  });

  test("of a loaded function is that of the other file", () => {
    const { open, write } = workspace();
    write("lib.star", 'def f(x):\n    """From the library."""\n    return x\n');
    expect(open("a.star", "load('lib.star', g='f')\nx = ┃g(1)\n").hover()).toContain(
      "From the library.",
    );
  });
});

describe("signatures", () => {
  test.each([
    ["exec.run(┃)", 0],
    ["exec.run('a', ┃", 1],
    ["exec.run('a', dir=┃)", 3],
    ["exec.run('a', [1, ┃2])", 1],
    ["print(1, 2, 3, ┃)", 0],
    ["'a'.replace('b', ┃)", 1],
  ])("of %s", (call, active) => {
    const { open, service } = workspace();
    const { at, uri } = open("tools/a.md", toolText(`def run(args):\n    ${call}\n    return 1`));
    const help = service.signature(uri, at);
    expect(help?.signatures[0]?.activeParameter).toBe(active);
    expect(help?.signatures[0]?.label).toContain("(");
  });

  test.each(["x = (1, ┃)", "x = 1┃", "unknown(┃)"])("of %s there is none", (script) => {
    const { open, service } = workspace();
    const { at, uri } = open("a.star", `${script}\n`);
    expect(service.signature(uri, at)).toBeUndefined();
  });
});

describe("definitions", () => {
  const place = (location: Location | undefined): string | undefined =>
    location === undefined
      ? undefined
      : `${location.uri.split("/").at(-1)}:${location.range.start.line}:${location.range.start.character}`;

  test.each([
    ["a function", "def f():\n    return 1\n\nx = ┃f()\n", "a.star:0:4"],
    ["a parameter", "def f(a):\n    return ┃a\n", "a.star:0:6"],
    ["a local", "def f():\n    b = 1\n    return ┃b\n", "a.star:1:4"],
    ["a global", "B = 1\n\ndef f():\n    return ┃B\n", "a.star:0:0"],
    ["a variable of a comprehension", "x = [┃y for y in []]\n", "a.star:0:11"],
    ["a loaded name", "load('lib.star', 'f')\nx = ┃f\n", "lib.star:1:4"],
    ["a loaded name with an alias", "load('lib.star', g='f')\nx = ┃g\n", "lib.star:1:4"],
    ["a name in load", "load('lib.star', '┃f')\n", "lib.star:1:4"],
    ["a file in load", "load('lib┃.star', 'f')\n", "lib.star:0:0"],
    ["a built-in name", "x = ┃len\n", undefined],
  ])("of %s", (_, text, expected) => {
    const { open, service, write } = workspace();
    write("lib.star", "# Library\ndef f():\n    return 1\n");
    const { at, uri } = open("a.star", text);
    expect(place(service.definition(uri, at))).toBe(expected);
  });

  test("of the fence that a script names is its first line", () => {
    const { open, service } = workspace();
    const text =
      '---\nscript: "#m┃ain"\n---\nText.\n\n```starlark main\ndef run(args):\n    return len("")\n```\n';
    const { at, position, hover, uri } = open("tools/a.md", text);
    expect(place(service.definition(uri, at))).toBe("a.md:6:0");
    expect(hover(position("len", 1))).toContain("def len(x)");
  });

  test("of script_file is the file, whose arguments are those of the tool", () => {
    const { open, service, write } = workspace();
    write("tools/code/a.star", "def run(args):\n    return args['path']\n");
    write("tools/a.md", `---\n${front}script_file: code/a.star\n---\nText.\n`);
    const tool = open("tools/a.md", `---\n${front}script_file: code/┃a.star\n---\nText.\n`);
    expect(place(service.definition(tool.uri, tool.at))).toBe("a.star:0:0");
    const program = open("tools/code/a.star", "def run(args):\n    return args['┃path']\n");
    expect(program.labels()).toEqual(["path"]);
    expect(place(service.definition(program.uri, program.at))).toBe("a.md:2:2");
  });
});

describe("rename", () => {
  const renamed = (text: string, name: string): string => {
    const { open, service } = workspace();
    const { apply, at, uri } = open("a.star", text);
    return apply(service.rename(uri, at, name)?.changes?.[uri] ?? []);
  };

  test.each([
    [
      "a local",
      "def f():\n    ┃a = 1\n    return a\n\na = 2\n",
      "b",
      "def f():\n    b = 1\n    return b\n\na = 2\n",
    ],
    [
      "a parameter and its arguments",
      "def f(┃a, c=1):\n    return a\n\nx = f(a=1, c=2)\n",
      "b",
      "def f(b, c=1):\n    return b\n\nx = f(b=1, c=2)\n",
    ],
    ["a global", "A = 1\n\ndef f():\n    return ┃A\n", "B", "B = 1\n\ndef f():\n    return B\n"],
    ["a loaded name", "load('l.star', 'f')\nx = ┃f()\n", "g", "load('l.star', g=\"f\")\nx = g()\n"],
    ["an alias", "load('l.star', h='f')\nx = ┃h()\n", "g", "load('l.star', g='f')\nx = g()\n"],
    [
      "a variable of a comprehension",
      "x = 1\ny = [┃x for x in [x]]\n",
      "z",
      "x = 1\ny = [z for z in [x]]\n",
    ],
  ])("of %s", (_, text, name, expected) => {
    expect(renamed(text, name)).toBe(expected);
  });

  test.each([
    ["a = ┃len\n", "b", "no variable of the script"],
    ["┃a = 1\n", "1b", '"1b" is no name'],
    ["┃a = 1\n", "if", "a word of the language"],
    ["┃a = 1\nb = a\n", "b", "another variable"],
    ["┃a = 1\nb = len([])\n", "len", "in use"],
    ["def ┃run(args):\n    return 1\n", "start", "The host calls run"],
  ])("of %j to %s is refused", (text, name, reason) => {
    expect(() => renamed(text, name)).toThrow(reason);
  });

  test("in front matter changes the lines of the script alone", () => {
    const { open, service } = workspace();
    const { apply, at, uri } = open(
      "tools/a.md",
      toolText("def run(args):\n    é = '𝕏'; ┃size = 1\n    return size + len(é)\n"),
    );
    const edits = service.rename(uri, at, "width")?.changes?.[uri] ?? [];
    expect(apply(edits)).toContain("      é = '𝕏'; width = 1\n      return width + len(é)\n");
    expect(service.prepareRename(uri, { line: 0, character: 0 })).toBeUndefined();
  });
});

describe("formatting", () => {
  test("changes the script of front matter alone", () => {
    const { open, service } = workspace();
    const { apply, uri } = open(
      "tools/a.md",
      "---\ntitle:   A\nscript: |\n  def run( args ):\n      return  {}\n---\nText.  \n",
    );
    expect(apply(service.format(uri))).toBe(
      "---\ntitle:   A\nscript: |\n  def run(args):\n      return {}\n---\nText.  \n",
    );
  });

  test("leaves an invalid program as it is", () => {
    const { open, service } = workspace();
    expect(service.format(open("a.star", "x = (\n").uri)).toEqual([]);
  });
});

describe("diagnostics", () => {
  const codes = (name: string, text: string): readonly string[] => {
    const { open, service, write } = workspace();
    write("tools/lib.star", "def f():\n    return 1\n");
    const { uri } = open(name, text);
    return service
      .diagnostics(uri)
      .map(
        ({ code, range }) =>
          `${range.start.line}:${range.start.character}-${range.end.character} ${code}`,
      );
  };

  test("have the hint in the message, and positions in UTF-16", () => {
    const { open, service } = workspace();
    const { uri } = open("tools/a.md", toolText("def run(args):\n    return '𝕏' + nul"));
    expect(service.diagnostics(uri)).toEqual([
      {
        range: { start: { line: 3, character: 20 }, end: { line: 3, character: 23 } },
        severity: 1,
        code: "undefined_name",
        source: "toolweave",
        message: expect.stringMatching(/^undefined: nul/) as string,
      },
    ]);
    const other = open("b.star", "import os\n");
    expect(service.diagnostics(other.uri)[0]?.message).toContain("\nStarlark has no import");
  });

  test.each([
    ["a library", "tools/b.star", "def f(a):\n    return a\n", []],
    ["a test", "tools/b.test.star", "def test_a(t):\n    t.eq(f'{1}', '1')\n", []],
    ["a program that loads", "tools/b.star", "load('lib.star', 'f')\nx = f()\n", []],
    [
      "a program with line ends of Windows",
      "tools/b.star",
      "x = 1\r\ny = z\r\n",
      ["1:4-5 undefined_name"],
    ],
    [
      "a hook",
      "hooks/b.md",
      "---\nevent: tool.pre\nscript: |\n  def handle(event, payload):\n      return exec.run('a')\n---\n",
      ["4:13-17 undefined_name"],
    ],
    ["a file that declares nothing", "README.md", "# Title\n", []],
  ])("of %s", (_, name, text, expected) => {
    expect(codes(name, text)).toEqual(expected);
  });

  test("of a program that is the script of a tool are those of the tool's check", () => {
    const { open, service, write } = workspace();
    write("tools/a.md", `---\n${front}script_file: a.star\n---\nText.\n`);
    const { uri } = open("tools/a.star", "def run(args):\n    return args['paht']\n");
    expect(service.diagnostics(uri).map(({ code }) => code)).toContain("undeclared_parameter");
  });
});

describe("symbols and foldings", () => {
  test("follow the keys and the functions", () => {
    const { open, service } = workspace();
    const { uri } = open(
      "toolweave.md",
      "---\ntools:\n  - name: first\n    script: |\n      def run(args):\n          return 1\n  - name: second\n---\n",
    );
    const [tools] = service.symbols(uri);
    expect(tools?.name).toBe("tools");
    expect(tools?.children?.map(({ name }) => name)).toEqual(["first", "second"]);
    const script = tools?.children?.[0]?.children?.find(({ name }) => name === "script");
    expect(script?.children).toMatchObject([
      { name: "run", detail: "(args)", range: { start: { line: 4, character: 6 } } },
    ]);
    const lines = service.foldings(uri).map(({ startLine, endLine }) => [startLine, endLine]);
    expect(lines).toEqual(
      expect.arrayContaining([
        [0, 7],
        [3, 5],
        [4, 5],
      ]),
    );
  });

  test("of all symbols, each selection is within its range", () => {
    const { open, service } = workspace();
    const { uri } = open(
      "tools/a.md",
      toolText("X = 1\n\ndef run(args):\n    return X", `${front}title: A\n`),
    );
    const check = (symbols: ReturnType<typeof service.symbols>): void => {
      for (const { children, range, selectionRange } of symbols) {
        const toNumber = ({ line, character }: { line: number; character: number }): number =>
          line * 1000 + character;
        expect(toNumber(selectionRange.start)).toBeGreaterThanOrEqual(toNumber(range.start));
        expect(toNumber(selectionRange.end)).toBeLessThanOrEqual(toNumber(range.end));
        check(children ?? []);
      }
    };
    check(service.symbols(uri));
  });
});
