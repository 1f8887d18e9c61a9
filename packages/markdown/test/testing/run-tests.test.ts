import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { expect, test } from "vitest";
import { findTests } from "../../src/testing/find-tests.ts";
import { runTests } from "../../src/testing/run-tests.ts";
import { collectFailures, guard, runCommand, runFiles } from "./support.ts";

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
  const found = await collectFailures(`
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

test("arguments, declared access and results are checked as in a host", async () => {
  const found = await collectFailures(
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
  const { results, coverage } = await runFiles({
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
  expect(coverage.map(({ file, covered, lines }) => [file, covered, lines])).toEqual([
    ["tools/inner.star", 1, 1],
    ["tools/reader.md", 1, 1],
  ]);
});

test("an error of a tool in the form of a value is its result", async () => {
  const found = await collectFailures(
    `
def test_error(t):
    t.eq(t.call("strict", {}), {"error": "no"})
    t.fails(lambda: t.call("hosted", {}), "has no script")
`,
    {
      "tools/strict.md":
        '---\nerror_shape: error\nscript: |\n  def run(args):\n      return {"error": "no"}\n---\n',
      "tools/hosted.md": "---\nparameters: {}\n---\nThe host runs it.\n",
    },
  );
  expect(found).toEqual([]);
});

test("an aborted run ends with the reason", async () => {
  const controller = new AbortController();
  const root = tempFolder();
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
