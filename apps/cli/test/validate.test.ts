import { expect, test } from "vitest";
import { project } from "./support/project.ts";

const valid = "---\nscript: |\n  def run(args):\n      return 1\n---\n";
const broken = "---\nscript: |\n  def run(args):\n      try:\n          return 1\n---\n";
const suspicious = "---\nscript: |\n  def run(args):\n      x = 1\n      return 2\n---\n";

test("validate reports everything with places, and exits with 1 for an error", async () => {
  const { run, write } = project();
  write(".toolweave/tools/good.md", valid);
  write(".toolweave/tools/broken.md", broken);
  write(".toolweave/tools/suspicious.md", suspicious);
  write("README.md", "# No tool");
  const { code, stderr, stdout } = await run(["validate"]);
  expect(stdout)
    .toBe(`.toolweave/tools/broken.md:4:7: error starlark_syntax: got try, want primary expression
    4 |       try:
      |       ^
      hint: Starlark has no exceptions. Check the result of a function, or end the script with fail("reason").
.toolweave/tools/suspicious.md:4:7: warning unused_variable: the variable x is never used
    4 |       x = 1
      |       ^
      hint: Remove it, or start its name with _.
`);
  expect(stderr).toBe("3 files: 1 error, 1 warning\n");
  expect(code).toBe(1);
});

test("warnings exit with 0, and with --strict with 1", async () => {
  const { run, write } = project();
  write("tools/suspicious.md", suspicious);
  expect((await run(["validate", "tools"])).code).toBe(0);
  expect((await run(["validate", "tools", "--strict"])).code).toBe(1);
});

test("files without a finding exit with 0", async () => {
  const { run, write } = project();
  write("tools/good.md", valid);
  expect(await run(["validate", "tools/good.md"])).toMatchObject({
    code: 0,
    stdout: "",
    stderr: "1 file: 0 errors, 0 warnings\n",
  });
});

test("json, sarif and github are for programs: nothing else is on stdout", async () => {
  const { run, write } = project();
  write("tools/broken.md", broken);
  const json = await run(["validate", "--format", "json"]);
  expect(JSON.parse(json.stdout)).toMatchObject({
    findings: [{ file: "tools/broken.md", line: 4, column: 7, code: "starlark_syntax" }],
    errors: 1,
    warnings: 0,
  });
  const sarif = await run(["validate", "--format", "sarif"]);
  expect(JSON.parse(sarif.stdout)).toMatchObject({
    version: "2.1.0",
    runs: [{ results: [{ ruleId: "starlark_syntax" }] }],
  });
  const github = await run(["validate", "--format", "github"]);
  expect(github.stdout).toMatch(
    /^::error file=tools\/broken\.md,line=4,col=7,title=starlark_syntax::/,
  );
  expect([json.code, sarif.code, github.code]).toEqual([1, 1, 1]);
  expect([json.stderr, sarif.stderr, github.stderr]).toEqual(["", "", ""]);
});

test("a text of a file cannot control the terminal", async () => {
  const { run, write } = project();
  write("tools/a.md", '---\n"\\e[31m\u202E": 1\n---\n');
  for (const format of ["text", "json", "sarif", "github"]) {
    const { stdout } = await run(["validate", "--format", format]);
    expect(stdout).toContain("unknown_key");
    expect(stdout).not.toMatch(/[\u001B\u202E]/u);
  }
});

test("a path that does not exist and an unknown format are usage errors", async () => {
  const { run } = project();
  const missing = await run(["validate", "missing.md"]);
  expect(missing.code).toBe(2);
  expect(missing.stderr).toContain("There is no file or folder");
  expect((await run(["validate", "--format", "xml"])).code).toBe(2);
});

test("a folder without a tool is no error, and the help is named", async () => {
  const { run } = project();
  const { code, stderr } = await run(["validate"]);
  expect([code, stderr]).toEqual([
    0,
    "There is no tool, hook or bundle. `toolweave validate --help` lists the names of their files.\n",
  ]);
});
