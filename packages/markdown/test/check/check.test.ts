import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { inFullRun } from "@toolweave/test-support";
import { scanCapabilities } from "../../src/builtins/capabilities.ts";
import { checkFile } from "../../src/check/check-file.ts";
import { checkPaths, kindOfFile } from "../../src/check/check-folder.ts";

const tool = (script: string, front = ""): ReturnType<typeof checkFile> =>
  checkFile("x.md", `---\n${front}script: |\n${script.replace(/^(?=.)/gm, "  ")}\n---\n`, {
    kind: "tool",
  });
const codes = ({ findings }: ReturnType<typeof checkFile>): readonly string[] =>
  findings.map(({ code, column, line }) => `${line}:${column} ${code}`);

describe("capabilities", () => {
  test.each([
    ["def run(args):\n    return fs.read('a')", ["fs.read"]],
    ["def run(args):\n    f = fs.write\n    f('a', 'b')\n    return 1", ["fs.write"]],
    ["def run(args):\n    return [f for f in [exec]]", ["process"]],
    ["def run(args):\n    delegate('x')\n    return cache.get('a')", ["cache", "delegate"]],
    ["def run(args):\n    meta.list_tools()\n    return http.get('https://a.b')", ["network"]],
    ["def run(args):\n    return json.encode(args)", []],
    ["fs = 1\n\ndef run(args):\n    return fs", []],
  ])("%j", (script, expected) => {
    expect(tool(script).parts).toEqual([{ kind: "tool", name: "x", capabilities: expected }]);
  });

  test("are inferred if the script has faults, too", () => {
    expect(
      tool("x = = 1\ndef run(args):\n    return exec.run('git')").parts[0]?.capabilities,
    ).toEqual(["process"]);
  });
});

test("the capabilities of a tree are among those of its text, by which the source decides", () => {
  const good = join(import.meta.dirname, "../fixtures/artifacts/good");
  const missing = globSync("tools/*.md", { cwd: good }).flatMap((name) => {
    const text = readFileSync(join(good, name), "utf8");
    const [part] = checkFile(name, text, { kind: "tool" }).parts;
    const scanned: ReadonlySet<string> = scanCapabilities(text);
    const inferred = part?.capabilities ?? [];
    return inferred.filter((each) => each !== "cache" && !scanned.has(each));
  });
  expect(missing).toEqual([]);
});

describe("no finding for", () => {
  test.each([
    [
      "a guarded parameter",
      "def run(args):\n    if 'a' in args:\n        return args['a']\n    return 0",
      "parameters: { a: { type: string } }\n",
    ],
    ["a key that the script sets", "def run(args):\n    args['b'] = 1\n    return args", ""],
    [
      "arguments that are passed on",
      "def _f(a):\n    return a\n\ndef run(args):\n    return _f(args)",
      "parameters: { a: { type: string } }\n",
    ],
    [
      "a variable that a nested function uses",
      "def run(args):\n    n = 2\n    return sorted([1], key=lambda x: x * n)",
      "",
    ],
    [
      "a variable that an augmented assignment reads",
      "def run(args):\n    out = []\n    alias = out\n    alias += [1]\n    return out",
      "",
    ],
    [
      "recursion that the dialect allows",
      "def f(n):\n    return 0 if n == 0 else f(n - 1)\n\ndef run(args):\n    return f(3)",
      "dialect: { recursion: true }\n",
    ],
    [
      "a list of the file that a function copies",
      "A = [1]\n\ndef run(args):\n    a = list(A)\n    a.append(2)\n    return a",
      "",
    ],
    [
      "a local that hides a global of the same name",
      "A = [1]\n\ndef run(args):\n    A = []\n    A.append(1)\n    return A",
      "",
    ],
    [
      "run that another expression makes",
      "def _make():\n    return lambda args: 1\n\nrun = _make()",
      "",
    ],
    ["optional parameters of run", "def run(args, extra=None):\n    return extra", ""],
    [
      "methods of loaded values",
      "load('lib.star', 'lib')\n\ndef run(args):\n    return lib.anything(1)",
      "",
    ],
    [
      "arguments that are bound again",
      "def run(args):\n    args = {'x': 1}\n    return args['x']",
      "parameters: { a: { type: string } }\n",
    ],
    ["percent signs", "def run(args):\n    return '100%% of %s and %(a)s' % 1", ""],
    [
      "f-strings with their dialect",
      "def run(args):\n    return f'{args}'",
      "dialect: { fstrings: true }\n",
    ],
  ])("%s", (_, script, front) => {
    expect(codes(tool(script, front))).toEqual([]);
  });
});

test("positions are those of the file, in a block, a fence and another file", () => {
  expect(codes(tool("def run(args):\n    return 'ä🦜' + nope"))).toEqual(["4:21 undefined_name"]);
  const fenced = '---\nscript: "#a"\n---\n\n```starlark a\ndef run(args):\n    return nope\n```\n';
  expect(codes(checkFile("x.md", fenced, { kind: "tool" }))).toEqual(["7:12 undefined_name"]);
  const { findings } = checkFile("d/x.md", "---\nscript_file: x.star\n---\n", {
    kind: "tool",
    readFile: () => "def run(args):\n    return nope\n",
  });
  expect(findings).toMatchObject([{ file: "d/x.star", line: 2, column: 12 }]);
});

test("strict makes claims errors and gives advice", () => {
  const text =
    "---\naccess: { process: false }\nscript: |\n  def run(args):\n      return exec.run('a')\n---\n";
  expect(checkFile("x.md", text, { kind: "tool" }).findings).toMatchObject([
    { code: "access_too_narrow", severity: "warning" },
  ]);
  expect(checkFile("x.md", text, { kind: "tool", strict: true }).findings).toMatchObject([
    { code: "access_too_narrow", severity: "error" },
    { code: "unbounded_result", severity: "warning" },
  ]);
});

describe("kinds of files", () => {
  const front = (fields: string): string => `---\n${fields}\n---\n`;
  test.each([
    ["tools/a.md", "", "tool"],
    ["hooks/a.md", "", "hook"],
    ["plugins/a.md", "", "bundle"],
    ["x/PLUGIN.md", "", "bundle"],
    [".harness/harness.md", "", "inline"],
    ["toolweave.md", "", "inline"],
    ["other/a.md", front("type: plugin"), "bundle"],
    ["other/a.md", front("event: tool.pre"), "hook"],
    ["other/a.md", front("script: x"), "tool"],
    ["README.md", "# Title", undefined],
    ["post.md", front("title: A post"), undefined],
    ["skills/a/SKILL.md", front("name: a\nscript: x"), undefined],
    ["tools/a.txt", "", undefined],
    ["toolweave.json", "{}", "config"],
  ])("%s with %j is %s", (path, text, kind) => {
    expect(kindOfFile(path, text)).toBe(kind);
  });
});

describe("folders", () => {
  const root = mkdtempSync(join(tmpdir(), "toolweave-check-"));
  afterAll(() => rmSync(root, { recursive: true }));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const valid = "---\nscript: |\n  def run(args):\n      return 1\n---\n";

  test("are read with the folders in them; a name that two files have is reported with both places", async () => {
    write(".harness/tools/a.md", valid);
    write("sub/tools/a.md", valid);
    write("sub/hooks/a.md", "---\nevent: tool.pre\n---\n");
    write("README.md", "# Not a tool");
    write("node_modules/x/tools/b.md", "broken");
    write(".git/tools/c.md", "broken");
    const { files, findings, texts } = await checkPaths(["."], { cwd: root });
    expect(files.map(({ file }) => file)).toEqual([
      ".harness/tools/a.md",
      "sub/hooks/a.md",
      "sub/tools/a.md",
    ]);
    expect(findings).toMatchObject([
      { file: "sub/hooks/a.md", code: "missing_field" },
      {
        file: "sub/tools/a.md",
        code: "duplicate_name",
        message: 'tool "a" is defined more than once',
        hint: expect.stringContaining(".harness/tools/a.md:1"),
      },
    ]);
    expect([...texts.keys()]).toHaveLength(3);
  });

  test("a file that a path names is a tool unless it is something else", async () => {
    const { findings } = await checkPaths(["README.md"], { cwd: root });
    expect(findings).toMatchObject([{ code: "no_front_matter" }]);
    await expect(checkPaths(["missing.md"], { cwd: root })).rejects.toMatchObject({
      code: "ENOENT",
    });
  });

  test("script_file does not follow a link out of the folder", async () => {
    write("secret.star", "def run(args): return 1");
    write("linked/tools/a.md", "---\nscript_file: link.star\n---\n");
    symlinkSync(join(root, "secret.star"), join(root, "linked/tools/link.star"));
    const { findings } = await checkPaths(["linked"], { cwd: root });
    expect(findings).toMatchObject([{ code: "script_file" }]);
  });
});

test("scripts of toolweave.json have the place of their text", () => {
  const config = {
    mcp: { tools: [{ async: 1 }] },
    tools: [
      "./module.ts",
      { name: "a", script: "def run(args):\n    return nope\n" },
      { name: "b", timeout_ms: -1 },
      { script: "x" },
    ],
    hooks: [{ name: "h", event: "tool.pre", when: "x", script: "def handle(e, p):\n    return 1" }],
  };
  const check = (text: string): readonly string[] =>
    checkFile("toolweave.json", text, { kind: "config" }).findings.map(
      ({ code, column, line, message }) => `${line}:${column} ${code}: ${message}`,
    );
  expect(check(JSON.stringify(config, undefined, "\t"))).toEqual([
    "13:14 undefined_name: undefined: nope (did you mean None?) (line 2, column 12 of script)",
    '17:18 timeout_ms: tool "b" timeout_ms must be >= 0',
    "19:3 missing_field: tools[3].name cannot be empty",
    "20:14 missing_function: tool script \"unnamed\" must define a 'run' function (line 1, column 1 of script)",
    "20:14 undefined_name: undefined: x (line 1, column 1 of script)",
    "27:12 undefined_name: undefined: x (line 1, column 1 of when)",
  ]);
  expect(check("{")).toEqual(["1:1 not_json: the file is no JSON object"]);
  expect(check('{"tools": ["./a.ts"]}')).toEqual([]);
});

test("no text makes the check fail, and every place is in the file", () => {
  const fixtures = join(import.meta.dirname, "../fixtures/artifacts");
  const texts = globSync("**/*.md", { cwd: fixtures })
    .toSorted()
    .map((name) => readFileSync(join(fixtures, name), "utf8"));
  const pieces = [
    "\n",
    ": ",
    "|",
    "'",
    '"',
    "{",
    "[",
    "*a",
    "&a",
    "\t",
    "  ",
    "---\n",
    "def ",
    "#",
    "é🦜",
    "\r\n",
    "- ",
  ];
  fc.assert(
    fc.property(
      fc.constantFrom(...texts),
      fc.array(fc.tuple(fc.nat(2000), fc.nat(20), fc.constantFrom(...pieces)), { maxLength: 4 }),
      fc.constantFrom("tool" as const, "hook" as const, "bundle" as const, "inline" as const),
      (text, edits, kind) => {
        let changed = text;
        for (const [at, length, piece] of edits) {
          const offset = at % (changed.length + 1);
          changed = changed.slice(0, offset) + piece + changed.slice(offset + length);
        }
        const lines = changed.replace(/^\uFEFF/, "").split(/\r\n|\n/);
        for (const { column, line } of checkFile("x.md", changed, { kind }).findings) {
          expect(line).toBeGreaterThanOrEqual(1);
          expect(line).toBeLessThanOrEqual(lines.length);
          expect(column).toBeGreaterThanOrEqual(1);
          expect(column).toBeLessThanOrEqual([...(lines[line - 1] ?? "")].length + 1);
        }
      },
    ),
    { numRuns: inFullRun(20_000, 400) },
  );
});
