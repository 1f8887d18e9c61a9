import type { Command } from "commander";
import { exitCodeHelp } from "../../process/exit-code.ts";
import type { CommandContext } from "../shared/context.ts";
import type { TrustOptions } from "./run.ts";

const trustExamples = `
Examples:
  $ toolweave trust                                 # the toolweave.json of this folder
  $ toolweave trust ~/work/shop
  $ toolweave trust --list
  $ toolweave trust --revoke ~/work/shop

A toolweave.json that a command finds in the current folder may have come with the folder. On a
terminal the first command with it asks; elsewhere, with --json and where CI is set it ends with 3.
The question comes again, with what has changed, when the file changes, or a file that it names:
prompts, envFiles, documents, and files and packages of the folder that programs are started with.
What is trusted is kept for this user alone, in toolweave/trusted of $XDG_CONFIG_HOME or ~/.config.
`;

/** Registers `toolweave trust`. */
export function addTrust(program: Command, { io, output, end }: CommandContext): void {
  program
    .command("trust")
    .summary("trust the toolweave.json of a folder")
    .description(
      "Shows what the toolweave.json of a folder starts, connects to and reads, and asks whether to trust it. Commands use a file that they find in the current folder only when it is trusted as it is; one that --config names needs no trust.",
    )
    .argument("[folder]", "default: the current one")
    .option("--list", "list the files that are trusted")
    .option("--revoke", "trust it no longer")
    .option("--yes", "trust it without asking")
    .option("--json", "print the result as JSON; asks nothing")
    .option("--verbose", "say also what led to an error")
    .addHelpText("after", trustExamples + exitCodeHelp)
    .action(async (folder: string | undefined, options: TrustOptions) => {
      const { trust } = await import("./run.ts");
      end(await trust(folder, options, io, output));
    });
}
