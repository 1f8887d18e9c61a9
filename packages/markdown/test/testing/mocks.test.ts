import { expect, test } from "vitest";
import { collectFailures, runFiles } from "./support.ts";

test("an effect without a mock fails, and names the mock that is missing", async () => {
  const found = await collectFailures(`
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
  const found = await collectFailures(
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
    t.eq(t.call("run_command", {"command": "x"})["output"], "x [] 5000")
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
  const found = await collectFailures(`
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

test("calls in calls without an end fail", async () => {
  const found = await collectFailures(`
def test_mock(t):
    t.mock("exec.run", calls = lambda cmd, args, timeout_ms: exec.run(cmd, args, timeout_ms))
    t.fails(lambda: t.call("run_command", {"command": "x"}), "calls in calls")

def test_fails(t):
    def again():
        t.fails(again, "calls in calls")
    t.fails(again)
`);
  expect(new Set(found)).toEqual(
    new Set(["8: the function did not fail", "9: the function did not fail"]),
  );
});
