import type { Command } from "commander";
import { exitCodeHelp } from "../../process/exit-code.ts";
import type { CommandContext } from "../shared/context.ts";
import { lockFileHelp, withToolOptions } from "../shared/options.ts";
import type { LockOptions } from "./run.ts";

const lockExamples = `
Examples:
  $ toolweave lock                                  # of the toolweave.json of this folder
  $ toolweave lock --config toolweave.json
  $ toolweave inspect --check                       # ends with 1 when a tool has changed
  $ toolweave serve --locked                        # leaves out what has changed

A server can change what it says of a tool after you have looked at it. Keep the file with your
configuration, and look at what changes before you lock again.
`;

/** Registers `toolweave lock`. */
export function addLock(program: Command, { io, output, end }: CommandContext): void {
  withToolOptions(program.command("lock"))
    .summary("write down what the tools are")
    .description(
      "Writes a hash of every tool's name, schemas, description and hints, with the texts themselves, and says what has changed since the last time.",
    )
    .option("--lock-file <file>", lockFileHelp)
    .option("--json", 'print {"lock", "tools", "added": [...], "removed": [...], "changed": [...]}')
    .option("--verbose", "say also what led to an error")
    .addHelpText("after", lockExamples + exitCodeHelp)
    .action(async (options: LockOptions) => {
      const { lock } = await import("./run.ts");
      end(await lock(options, io, output));
    });
}
