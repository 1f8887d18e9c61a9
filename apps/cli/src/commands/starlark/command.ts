import { Option, type Command } from "commander";
import { exitCodesHelp } from "../../process/exit-code.ts";
import type { CommandContext } from "../../process/output.ts";
import type { CheckOptions, FormatOptions, RunOptions } from "./programs.ts";

const examples = `
Examples:
  $ toolweave starlark run hello.star
  $ toolweave starlark run tool.star --call run --args '[{"name": "Ada"}]'
  $ toolweave starlark check tools/*.star
  $ toolweave starlark fmt --write tools/*.star
`;

const runExamples = `
Examples:
  $ toolweave starlark run hello.star
  $ toolweave starlark run tool.star --call run --args '[{"name": "Ada"}]'
  $ echo 'print(6 * 7)' | toolweave starlark run -
`;

const checkExamples = `
Examples:
  $ toolweave starlark check tools/*.star
  $ toolweave starlark check tool.star --predeclared http,fs --json
`;

const formatExamples = `
Examples:
  $ toolweave starlark fmt tool.star
  $ toolweave starlark fmt --write tools/*.star
  $ toolweave starlark fmt --check tools/*.star
`;

const dialect = (): Option =>
  new Option(
    "--dialect <name>",
    "what a file may use: set, while, top-level if and for, f-strings with session",
  )
    .choices(["artifact", "session"])
    .default("artifact");

/** Registers `toolweave starlark`. */
export function addStarlark(program: Command, { io, output, end }: CommandContext): void {
  const starlark = program
    .command("starlark")
    .summary("run, check and format Starlark programs")
    .description("Runs, checks and formats Starlark programs.")
    .addHelpText("after", examples + exitCodesHelp({}));

  starlark
    .command("run")
    .argument("<file>", "the program; - is stdin")
    .summary("run a program")
    .description(
      "Runs a program and prints what it prints. It has the modules json and math, and reaches nothing else.",
    )
    .addOption(dialect())
    .option("--call <function>", "call a function of the program and print its result as JSON")
    .option("--args <json>", "the arguments of --call: a JSON array")
    .option("--timeout <ms>", "the time that the program may take", "10000")
    .option("--max-steps <count>", "the work that the program may do, in steps")
    .option("--json", "print one JSON object: {output, result, steps, memoryBytes}")
    .addHelpText(
      "after",
      runExamples + exitCodesHelp({ 1: "the program failed, or its text is invalid" }),
    )
    .action(async (file: string, options: RunOptions) => {
      const { runProgram } = await import("./programs.ts");
      end(await runProgram(file, options, io, output));
    });

  starlark
    .command("check")
    .argument("<files...>", "the programs; - is stdin")
    .summary("report the faults of programs without running them")
    .description(
      "Reports all faults of programs, as file:line:column: message, without running them.",
    )
    .addOption(dialect())
    .option("--predeclared <names>", "names that the host provides, with commas between them")
    .option("--json", "print a line of JSON for each fault: {file, line, column, message}")
    .addHelpText("after", checkExamples + exitCodesHelp({ 0: "no faults", 1: "there are faults" }))
    .action(async (files: string[], options: CheckOptions) => {
      const { checkPrograms } = await import("./programs.ts");
      end(await checkPrograms(files, options, io, output));
    });

  starlark
    .command("fmt")
    .argument("<files...>", "the programs; - is stdin")
    .summary("print programs in the standard form")
    .description(
      "Prints programs in the standard form. Comments are kept; the programs stay the same.",
    )
    .addOption(dialect())
    .option("-w, --write", "write the files instead of printing them")
    .option(
      "--check",
      "print the names of files that are not in the standard form, and write nothing",
    )
    .addHelpText(
      "after",
      formatExamples +
        exitCodesHelp({ 1: "a text is invalid; with --check, a file is not in the standard form" }),
    )
    .action(async (files: string[], options: FormatOptions) => {
      const { formatPrograms } = await import("./programs.ts");
      end(await formatPrograms(files, options, io, output));
    });
}
