import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { findTests } from "../../src/testing/find-tests.ts";
import { runTests, type TestRun, type TestRunOptions } from "../../src/testing/run-tests.ts";

/** A tool that runs a program. */
export const runCommand: string = `---
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

/** A hook that blocks one command. */
export const guard: string = `---
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
export async function runFiles(
  files: Readonly<Record<string, string>>,
  options: TestRunOptions = {},
): Promise<TestRun> {
  const root = tempFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return runTests(findTests(["."], root), { root, ...options });
}

/** The failures of the tests of one file with a tool beside it, as `line: message`. */
export async function collectFailures(
  code: string,
  files: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
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
