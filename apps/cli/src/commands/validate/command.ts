import { Option, type Command } from "commander";
import { exitCodesHelp } from "../../process/exit-code.ts";
import type { CommandContext } from "../../process/output.ts";
import type { ValidateOptions } from "./run.ts";

const examples = `
Examples:
  $ toolweave validate
  $ toolweave validate .toolweave/tools/run_command.md
  $ toolweave validate --strict .harness
  $ toolweave validate --format github
  $ toolweave validate --format sarif > toolweave.sarif
`;

const kinds = `
Checked files:
  tools/*.md                  a tool; its name is the name of the file
  hooks/*.md                  a hook
  plugins/*.md, PLUGIN.md     a bundle; so is every file with type: plugin
  toolweave.md, harness.md    the lists tools and hooks of the front matter
  toolweave.json              its own scripts, in tools and hooks
  Other files .md of folders are checked if their front matter has script, parameters or event.

A finding is file:line:column: level code: message, with a hint.
An error is a tool that cannot be loaded, or code that fails when it runs. A warning is
probably not meant: an unknown key, a parameter that the script never reads, a claim such as
readOnlyHint: true beside a script that writes files.
`;

/** Registers `toolweave validate`. */
export function addValidate(program: Command, { io, output, end }: CommandContext): void {
  program
    .command("validate")
    .argument("[paths...]", "files and folders (default: the current folder)")
    .summary("check tools, hooks and bundles in markdown files")
    .description(
      "Checks the front matter and the scripts of markdown files, and reports all faults of each file at once. No script runs.",
    )
    .addOption(
      new Option("--format <format>", "the form of the report")
        .choices(["text", "json", "sarif", "github"])
        .default("text"),
    )
    .option(
      "--strict",
      "claims that are narrower than the script are errors, there is more advice, and warnings exit with 1",
    )
    .addHelpText(
      "after",
      kinds +
        examples +
        exitCodesHelp({
          0: "no file has an error",
          1: "a file has an error; with --strict, a finding",
        }),
    )
    .action(async (paths: string[], options: ValidateOptions) => {
      const { validate } = await import("./run.ts");
      end(await validate(paths, options, io, output));
    });
}
