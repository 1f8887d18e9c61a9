import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findTests } from "../../src/testing/find-tests.ts";
import { runTests, type TestRun, type TestRunOptions } from "../../src/testing/run-tests.ts";

const runCommand = `---
parameters:
  command: { type: string, required: true }
script: |
  def run(args):
      words = args["command"].split(" ")
      r = exec.run(words[0], words[1:], timeout_ms = 5000)
      if not r["ok"]:
          return {"error": r["stderr"]}
      return {"ok": True, "output": r["stdout"]}
---
Run a command.
`;

const guard = `---
event: tool.pre
when: payload["name"] == "run_command"
script: |
  def handle(event, payload):
      if "rm" in payload["args"]["command"]:
          return block("no rm")
      return allow()
---
Keeps files.
`;

/** Runs the tests of a folder with these files. */
async function runFiles(
  files: Readonly<Record<string, string>>,
  options: TestRunOptions = {},
): Promise<TestRun> {
  const root = mkdtempSync(join(tmpdir(), "toolweave-tests-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return runTests(findTests(["."], root), { root, ...options });
}

/** The failures of the tests of one file with a tool beside it, as `line: message`. */
async function failuresOf(code: string, files: Readonly<Record<string, string>> = {}) {
  const { results } = await runFiles({
    "tools/run_command.md": runCommand,
    "tools/run.test.star": code,
    ...files,
  });
  return results.flatMap(({ failures }) =>
    failures.map(({ line, message, got, want }) =>
      [`${line}: ${message}`, got ?? [], want ?? []].flat().join(" | "),
    ),
  );
}

test("a test calls a tool with mocked effects, and sees the arguments of its calls", async () => {
  const { results, passed, failed, coverage } = await runFiles({
    "tools/run_command.md": runCommand,
    "tools/run_command.test.star": `
def test_output(t):
    t.mock("exec.run", returns = {"stdout": "hello"})
    r = t.call("run_command", {"command": "echo hello"})
    t.eq(r, {"ok": True, "output": "hello"})
    t.eq(t.calls("exec.run"), [{"cmd": "echo", "args": ["hello"], "timeout_ms": 5000}])
`,
  });
  expect(results.map(({ name, failures }) => [name, failures])).toEqual([["test_output", []]]);
  expect([passed, failed]).toEqual([1, 0]);
  expect(coverage).toEqual([
    { file: "tools/run_command.md", lines: 5, covered: 4, uncovered: [9] },
  ]);
});

test("a test continues after a failure, and each failure has its place and both values", async () => {
  const found = await failuresOf(`
def check(t, value):
    t.eq(value, (1, "b"))

def test_all(t):
    t.eq(1, 1.0)
    t.eq([1], [2], "the list")
    t.ne("a", "a")
    t.true({})
    t.contains("text", "q")
    t.contains([1, 2], 2)
    check(t, None)
`);
  expect(found).toEqual([
    "7: the list | [1] | [2]",
    '8: the values are equal | "a"',
    "9: the value is not true | {}",
    '10: the item is missing | "text" | "q"',
    '3: the values differ | None | (1, "b")',
  ]);
});

test("an effect without a mock fails, and names the mock that is missing", async () => {
  const found = await failuresOf(`
def test_it(t):
    t.call("run_command", {"command": "ls"})
def test_in_the_test(t):
    fs.read("/etc/passwd")
def test_other_tools(t):
    meta.call_tool("run_command", {"command": "ls"})
`);
  expect(found).toEqual([
    expect.stringMatching(
      /^3: exec\.run is not mocked: a test reaches no process, file or network\. Add t\.mock\("exec\.run", returns = …\) before the call \(tools\/run_command\.md:7:19\)$/,
    ),
    expect.stringMatching(/^5: fs\.read is not mocked/),
    expect.stringMatching(/^7: meta\.call_tool is not mocked/),
  ]);
});

test("mocks answer with successive values, errors, and functions of the test", async () => {
  const found = await failuresOf(
    `
def test_successive(t):
    t.mock("exec.run", returns = [{"stdout": "a"}, {"ok": False, "stderr": "b"}])
    t.eq(t.call("run_command", {"command": "x"})["output"], "a")
    t.eq(t.call("run_command", {"command": "x"})["error"], "b")
    t.fails(lambda: t.call("run_command", {"command": "x"}), "called 3 times")

def test_raises(t):
    t.mock("exec.run", raises = "no such program")
    t.fails(lambda: t.call("run_command", {"command": "x"}), "^no such program .*run_command.md:7")

def test_calls(t):
    def run(cmd, args, timeout_ms):
        return {"stdout": "%s %s %d" % (cmd, args, timeout_ms)}
    t.mock("exec.run", calls = run)
    t.eq(t.call("run_command", {"command": "x y"})["output"], 'x ["y"] 5000')

def test_lists(t):
    t.mock("fs.list", returns = [{"name": "a"}])
    t.eq(fs.list(), [{"name": "a"}])
    t.mock("fs.glob", returns = [["a"], []])
    t.eq([fs.glob("*"), fs.glob("*")], [["a"], []])
    t.eq(t.calls("fs.glob"), [{"pattern": "*"}, {"pattern": "*"}])

def test_through_other_tools(t):
    t.mock("exec.run", returns = {"stdout": "inner"})
    t.mock("meta.call_tool", calls = lambda name, args: {"ok": True, "value": t.call(name, args)})
    t.eq(t.call("outer", {}), "inner")
`,
    {
      "tools/outer.md": `---
script: |
  def run(args):
      return meta.call_tool("run_command", {"command": "x"})["value"]["output"]
---
`,
    },
  );
  expect(found).toEqual([]);
});

test("a mock that the function cannot return, or of no function, is an error", async () => {
  const found = await failuresOf(`
def test_type(t):
    t.mock("fs.read", returns = 1)
def test_name(t):
    t.mock("exec.runn", returns = {})
def test_pure(t):
    t.mock("json.encode", returns = "")
def test_hash(t):
    t.mock("hash.md5", returns = "")
def test_two(t):
    t.mock("exec.run", returns = {}, raises = "x")
`);
  expect(found).toEqual([
    "3: t.mock: fs.read returns str, not int",
    "5: there is no function exec.runn (did you mean exec.run?)",
    "7: json.encode depends on its arguments alone: it is not mocked",
    "9: hash.md5 depends on its arguments alone: it is not mocked",
    "11: t.mock: returns, raises and calls exclude each other",
  ]);
});

test("arguments, declared access and results are checked as in a host", async () => {
  const found = await failuresOf(
    `
def test_arguments(t):
    t.fails(lambda: t.call("run_command", {}), "command")

def test_access(t):
    t.mock("exec.run", returns = {})
    t.fails(lambda: t.call("narrow", {}), "may not run rm")

def test_result(t):
    t.fails(lambda: t.call("invalid", {}), "float")

def test_limits(t):
    t.mock("fs.exists", returns = True)
    t.fails(lambda: t.call("many", {}), "more than 3 calls")

def test_none(t):
    t.fails(lambda: t.call("run_commando", {}), "did you mean run_command")
    t.fails(lambda: t.call("broken", {}), "tools/broken.md:2:8: error")
`,
    {
      "tools/narrow.md": `---
access: { process: [git] }
script: |
  def run(args):
      return exec.run("rm", ["-rf", "/"])
---
`,
      "tools/invalid.md": `---
script: |
  def run(args):
      return float("nan")
---
`,
      "tools/many.md": `---
limits: { effects: 3 }
script: |
  def run(args):
      return [fs.exists("a%d" % i) for i in range(4)]
---
`,
      "tools/broken.md": "---\nscript:\n---\n",
    },
  );
  expect(found).toEqual([]);
});

test("time, random numbers and ids are the same in every run", async () => {
  const files = {
    "a.test.star": `
def values():
    return [time.now(), time.iso(), random.int(1, 1000), random.float(), uuid.v4(), env.get("HOME")]
def test_first(t):
    print(values())
def test_second(t):
    print(values())
    t.mock("time.now", returns = [5, 6])
    t.eq([time.now(), time.now()], [5, 6])
    cache.set("a", 1)
    t.eq(cache.get("a"), 1)
def test_cache_is_new(t):
    t.eq(cache.get("a"), None)
    log.warn("logged")
`,
  };
  const [one, two] = [await runFiles(files), await runFiles(files)];
  const outputs = one.results.map(({ output }) => output);
  expect(outputs).toEqual(two.results.map(({ output }) => output));
  expect(outputs[0]).toEqual(outputs[1]);
  expect(outputs[0]?.[0]).toMatch(
    /^\[1767225600000, "2026-01-01T00:00:00.000Z", \d+, 0\.\d+, "00000000-0000-4000-8000-000000000001", None\]$/,
  );
  expect(outputs[2]).toEqual(["warn: logged"]);
  expect(one.failed).toBe(0);
});

test("hooks of ../hooks are called as a host calls them: when selects, and an error blocks", async () => {
  const { results, coverage } = await runFiles({
    "tools/run_command.md": runCommand,
    "hooks/guard.md": guard,
    "tools/guard.test.star": `
def test_guard(t):
    payload = {"name": "run_command", "args": {"command": "rm x"}}
    t.eq(t.hook("guard", "tool.pre", payload), {"action": "block", "reason": "no rm"})
    t.eq(t.hook("guard", "tool.pre", {"name": "other"}), {"action": "allow"})
    t.eq(t.hook("guard", "tool.pre", {"name": "run_command"})["action"], "block")
    t.fails(lambda: t.hook("guard", "tool.post", payload), "waits for tool.pre")
`,
  });
  expect(results[0]?.failures).toEqual([]);
  expect(results[0]?.output).toEqual([expect.stringContaining("error: hook guard:")]);
  expect(coverage.map(({ file, covered }) => [file, covered])).toEqual([
    ["hooks/guard.md", 2],
    ["tools/run_command.md", 0],
  ]);
});

test("tests of a fenced block have the lines of the markdown file", async () => {
  const { results } = await runFiles({
    "tools/run_command.md": `${runCommand}
\`\`\`starlark test
def test_fence(t):
    t.eq(1, 2)
\`\`\`

\`\`\`starlark
def test_that_is_an_example(t):
    fail("not run")
\`\`\`
`,
  });
  expect(results).toEqual([
    expect.objectContaining({ file: "tools/run_command.md", name: "test_fence", line: 15 }),
  ]);
  expect(results[0]?.failures).toEqual([
    {
      file: "tools/run_command.md",
      line: 16,
      column: 9,
      message: "the values differ",
      got: "1",
      want: "2",
    },
  ]);
});

test("a file that cannot be read as tests is one failed result with all its faults", async () => {
  const files = {
    "a.test.star": "def test_a(t):\n    x = y\n    z = w\n",
    "b.test.star": "x = 1\n",
    "c.test.star": "def test_c(t):\n    pass\ndef test_c(t):\n    pass\n",
    "d.test.star": "fs.read('x')\n",
    "e.test.star": "def test_endless(t):\n    while True:\n        pass\n",
  };
  const { results, failed } = await runFiles(files, { timeoutMs: 20 });
  expect(failed).toBe(5);
  expect(
    results.map(({ file, name, failures }) => [
      file,
      name,
      failures.map(({ line, message }) => `${line}: ${message}`),
    ]),
  ).toEqual([
    ["a.test.star", "(file)", ["2: undefined: y", "3: undefined: w"]],
    ["b.test.star", "(file)", ["1: the file has no test: write def test_something(t)"]],
    ["c.test.star", "(file)", ["3: there is another test test_c: rename one of the two"]],
    ["d.test.star", "(file)", [expect.stringMatching(/^1: fs\.read is not mocked/)]],
    ["e.test.star", "test_endless", [expect.stringMatching(/ran for more than/)]],
  ]);
});

test("a test loads files of its folder, with the same mocks", async () => {
  const { results } = await runFiles({
    "lib.star": "def read():\n    return fs.read('x')\n",
    "a.test.star": `
load("lib.star", "read")
def test_load(t):
    t.mock("fs.read", returns = "mocked")
    t.eq(read(), "mocked")
    t.eq(t.call("reader", {}), "mocked")
`,
    "tools/reader.md": `---
script: |
  load("inner.star", "read")
  def run(args):
      return read()
---
`,
    "tools/inner.star": "def read():\n    return fs.read('y')\n",
  });
  expect(results.flatMap(({ failures }) => failures)).toEqual([]);
});

test("an aborted run ends with the reason", async () => {
  const controller = new AbortController();
  const root = mkdtempSync(join(tmpdir(), "toolweave-tests-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  writeFileSync(join(root, "a.test.star"), "def test_a(t):\n    pass\ndef test_b(t):\n    pass\n");
  const seen: string[] = [];
  const run = runTests(findTests(["."], root), {
    root,
    signal: controller.signal,
    onResult: ({ name }) => {
      seen.push(name);
      controller.abort(new Error("Ctrl-C"));
    },
  });
  await expect(run).rejects.toThrow("Ctrl-C");
  expect(seen).toEqual(["test_a"]);
});
