import type { Command } from "commander";
import { exitCodeHelp } from "../../process/exit-code.ts";
import type { CommandContext } from "../shared/context.ts";
import { lockFileHelp, withToolOptions } from "../shared/options.ts";
import type { LockOptions } from "./run.ts";

const lockExamples = `
Examples:
  $ toolweave lock                                  # the toolweave.json of this folder
  $ toolweave lock --config toolweave.json
  $ toolweave inspect --check                       # exits with 1 if a tool has changed
  $ toolweave serve --locked                        # omits changed tools

A server can change the description of a tool after you have reviewed it. Commit the lock with your
configuration, and review changes before you lock again.
`;

/** Registers `toolweave lock`. */
export function addLock(program: Command, { io, output, end }: CommandContext): void {
  withToolOptions(program.command("lock"))
    .summary("record the tools in a lock file")
    .description(
      "Writes a hash of the name, schemas, description and hints of every tool, together with these texts, and prints what has changed since the last lock.",
    )
    .option("--lock-file <file>", lockFileHelp)
    .option("--json", 'print {"lock", "tools", "added": [...], "removed": [...], "changed": [...]}')
    .option("--verbose", "also print the causes of an error")
    .addHelpText("after", lockExamples + exitCodeHelp)
    .action(async (options: LockOptions) => {
      const { lock } = await import("./run.ts");
      end(await lock(options, io, output));
    });
}
