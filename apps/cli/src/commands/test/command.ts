import { Option, type Command } from "commander";
import { exitCodesHelp } from "../../process/exit-code.ts";
import type { CommandContext } from "../../process/output.ts";
import type { TestOptions } from "./run.ts";

const examples = `
Examples:
  $ toolweave test
  $ toolweave test .toolweave/tools --coverage
  $ toolweave test run_command.test.star --watch
  $ toolweave test --format junit > junit.xml

A test is a function of a file *.test.star, or of a fenced block \`\`\`starlark test:

  def test_output(t):
      t.mock("exec.run", returns = {"stdout": "hello"})
      t.eq(t.call("run_command", {"command": "echo hello"}), "hello")

Every effect without a mock fails: no process, file or network is reached.
`;

/** Registers `toolweave test`. */
export function addTest(program: Command, { io, output, end }: CommandContext): void {
  program
    .command("test")
    .argument("[paths...]", "files and folders with tests (default: the current folder)")
    .summary("test the tools and hooks of markdown files")
    .description(
      "Runs the tests of tools and hooks that are markdown files with a script, and prints every failure with both values. Tools run as they do elsewhere, but their effects are mocks.",
    )
    .option("--watch", "run the tests again when a file changes, until Ctrl-C")
    .option("--coverage", "print which lines of the scripts no test has executed")
    .addOption(
      new Option("--format <name>", "the form of the results")
        .choices(["text", "json", "junit"])
        .default("text"),
    )
    .addHelpText(
      "after",
      examples +
        exitCodesHelp({
          0: "all tests passed",
          1: "a test failed",
        }),
    )
    .action(async (paths: string[], options: TestOptions) => {
      const { test } = await import("./run.ts");
      end(await test(paths, options, io, output));
    });
}
