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

A toolweave.json in the current folder may come from someone else. On a terminal, the first command
that uses it asks whether to trust it; without a terminal, with --json and if CI is set the command
exits with 3. It asks again, and lists the changes, when the file changes or a file that it names:
prompts, envFiles, documents, and files and packages of the folder that programs are started with.
Trust is stored for this user only, in toolweave/trusted of $XDG_CONFIG_HOME or ~/.config.
`;

/** Registers `toolweave trust`. */
export function addTrust(program: Command, { io, output, end }: CommandContext): void {
  program
    .command("trust")
    .summary("trust the toolweave.json of a folder")
    .description(
      "Lists what the toolweave.json of a folder starts, connects to and reads, and asks whether to trust it. Commands use a file in the current folder only if it is trusted and unchanged. A file that --config names needs no trust.",
    )
    .argument("[folder]", "the folder (default: the current one)")
    .option("--list", "list the trusted files")
    .option("--revoke", "revoke the trust")
    .option("--yes", "trust it without asking")
    .option("--json", "print the result as JSON, without asking")
    .option("--verbose", "also print the causes of an error")
    .addHelpText("after", trustExamples + exitCodeHelp)
    .action(async (folder: string | undefined, options: TrustOptions) => {
      const { trust } = await import("./run.ts");
      end(await trust(folder, options, io, output));
    });
}
