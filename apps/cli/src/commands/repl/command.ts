import type { Command } from "commander";
import { exitCodesHelp } from "../../process/exit-code.ts";
import type { CommandContext } from "../../process/output.ts";
import { withConfig, withPolicy } from "../shared/options.ts";
import type { ReplOptions } from "./run.ts";

const examples = `
Examples:
  $ toolweave repl
  $ toolweave repl .toolweave/tools/run_command.md
  $ toolweave repl --allow --policy readOnly
  $ echo 'json.encode([1, 2])' | toolweave repl

Names stay defined. A function keeps the values that names had when it was defined, and each
input works on copies of earlier lists and dicts. A block ends with an empty line. Ctrl-C ends the
input or what runs, Ctrl-D ends the command, Tab completes names. :help lists the commands of the
prompt.
`;

/** Registers `toolweave repl`. */
export function addRepl(program: Command, { io, output, end }: CommandContext): void {
  withPolicy(withConfig(program.command("repl")))
    .argument("[artifact]", "a markdown file whose script is loaded, or a Starlark file")
    .summary("try scripts at a prompt")
    .description(
      "Reads Starlark, runs it with the functions of scripts, and prints values. Effects are refused unless --allow lets the policy decide on each, with a question where it asks.",
    )
    .option("--allow", "run effects as the policy decides, in the current folder")
    .addHelpText(
      "after",
      examples +
        exitCodesHelp({
          1: "an input failed, and the input is no terminal",
          3: "the configuration in this folder is not trusted",
        }),
    )
    .action(async (artifact: string | undefined, options: ReplOptions) => {
      const { repl } = await import("./run.ts");
      end(await repl(artifact, options, io, output));
    });
}
