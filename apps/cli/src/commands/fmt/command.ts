import type { Command } from "commander";
import { exitCodesHelp } from "../../process/exit-code.ts";
import type { CommandContext } from "../../process/output.ts";
import type { FmtOptions } from "./run.ts";

const examples = `
Examples:
  $ toolweave fmt run_command.md
  $ toolweave fmt --write .toolweave
  $ toolweave fmt --check
`;

/** Registers `toolweave fmt`. */
export function addFmt(program: Command, { io, output, end }: CommandContext): void {
  program
    .command("fmt")
    .argument("[paths...]", "files .md and .star, and folders (default: the current folder)")
    .summary("format the scripts of markdown files, and Starlark files")
    .description(
      "Prints one file with its script in the standard form. The script of a markdown file is formatted in place: everything else stays the same, byte for byte. Several files need --check or --write.",
    )
    .option("-w, --write", "write the files instead of printing one")
    .option(
      "--check",
      "print the names of files that are not in the standard form, and write nothing",
    )
    .addHelpText(
      "after",
      examples +
        exitCodesHelp({
          1: "a script is invalid, and its file stays as it is; with --check, a file is not in the standard form",
        }),
    )
    .action(async (paths: string[], options: FmtOptions) => {
      const { fmt } = await import("./run.ts");
      end(await fmt(paths, options, io, output));
    });
}
