import { expect, test } from "vitest";
import { runCli } from "../src/program.ts";
import { captureIo } from "./support/captured-io.ts";
import { project } from "./support/project.ts";

const greet = `---
parameters:
  name: { type: string, required: true }
script: |
  def run(args):
      if args["name"] == "":
          return "Hello"
      r = exec.run("greet", [args["name"]])
      return r["stdout"]
---
Greet someone.
`;
const passes = `def test_greet(t):
    t.mock("exec.run", returns = {"stdout": "Hi Ada"})
    t.eq(t.call("greet", {"name": "Ada"}), "Hi Ada")
`;

function greeting() {
  const made = project();
  made.write("tools/greet.md", greet);
  return made;
}

test("the command test prints results and failures with their place and both values, and exits with 1", async () => {
  const { run, write } = greeting();
  write(
    "tools/greet.test.star",
    `${passes}
def test_other(t):
    print("seen\\u202e")
    t.mock("exec.run", returns = {"stdout": "Hi"})
    t.eq(t.call("greet", {"name": "Ada"}), "Hi Ada")
`,
  );
  const { code, stdout, stderr } = await run(["test", "--coverage"]);
  expect([code, stderr]).toEqual([1, ""]);
  expect(stdout).toBe(`ok    tools/greet.test.star test_greet
FAIL  tools/greet.test.star test_other
      tools/greet.test.star:8:9: the values differ
        got   "Hi"
        want  "Hi Ada"
        output:
          seen\\u{202E}

Coverage by line
  tools/greet.md  75.0 %  3/4  uncovered: 7

1 passed, 1 failed
`);
});

test("the command test prints JSON and JUnit XML", async () => {
  const { run, write } = greeting();
  write("tools/greet.test.star", `${passes}def test_two(t):\n    t.eq("<a>", "&")\n`);
  const json = await run(["test", "tools", "--format", "json"]);
  expect(json.code).toBe(1);
  expect(JSON.parse(json.stdout)).toMatchObject({
    version: 1,
    passed: 1,
    failed: 1,
    tests: [
      { name: "test_greet", failures: [] },
      { name: "test_two", line: 4, failures: [{ line: 5, got: '"<a>"', want: '"&"' }] },
    ],
    coverage: [{ file: "tools/greet.md", lines: 4, covered: 3, uncovered: [7] }],
  });
  const junit = await run(["test", "tools/greet.test.star", "--format", "junit"]);
  expect(junit.stdout).toContain(
    '<testsuite name="tools/greet.test.star" tests="2" failures="1" errors="0" skipped="0">',
  );
  expect(junit.stdout).toContain('<failure message="the values differ">');
  expect(junit.stdout).toContain("got   &quot;&lt;a&gt;&quot;");
});

test("the command test without a test, or with a path that does not exist, is a usage error with a hint", async () => {
  const { run } = greeting();
  const none = await run(["test"]);
  expect(none.code).toBe(2);
  expect(none.stderr).toContain(
    "There are no tests in .: write a file NAME.test.star beside the tool, with def test_something(t).",
  );
  expect(await run(["test", "nowhere"])).toMatchObject({ code: 2 });
  expect(await run(["test", "--watch", "--format", "json"])).toMatchObject({ code: 2 });
});

test("the command test --watch runs again after a change, and Ctrl-C ends it", async () => {
  const { write } = greeting();
  write("tools/greet.test.star", passes);
  const { io, interrupt, stdout, said } = captureIo();
  const ended = runCli(["test", "--watch"], io);
  await said("Waiting for changes");
  write("tools/greet.test.star", `${passes}def test_two(t):\n    t.true(True)\n`);
  await said("Waiting for changes", 2);
  interrupt.abort();
  expect(await ended).toBe(130);
  expect(stdout()).toContain("ok    tools/greet.test.star test_two");
});
