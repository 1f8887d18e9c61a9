import type { Command } from "commander";
import { exitCodeHelp } from "../../process/exit-code.ts";
import type { CommandContext } from "../shared/context.ts";
import {
  argumentsHelp,
  outputHelp,
  withPolicy,
  withStore,
  withToolOptions,
} from "../shared/options.ts";
import type { CallOptions } from "./run.ts";

const callExamples = `
Examples:
  $ toolweave call get_pet id=7 --openapi openapi.yaml
  $ toolweave call add_pet name=Rex tags=dog tags=big owner.name=Ada --yes --openapi openapi.yaml
  $ toolweave call add_pet --args @pet.json --json --openapi openapi.yaml
  $ toolweave call list_repos --auth 'bearer:$GITHUB_TOKEN' --openapi github.json
  $ toolweave call add_pet name=Rex --policy rules.json --openapi openapi.yaml
  $ toolweave call memory__read_graph --config toolweave.json
  $ toolweave call librarian task='Which notes are from May?'     # an agent of toolweave.json
  $ toolweave call get_photo id=7 --output photo.png --openapi openapi.yaml

A value of --auth or --header that is $NAME, in single quotes, is read from the environment, so that
no secret stands in the list of processes or in the shell's history, or in the store: a call that
waits is kept with what it was made with, but never with a secret.

Where nobody can be asked, a call that needs a person ends with 3 and prints the commands that
approve or reject it: for 24 hours, in any process that has the same store and key.
`;

/** Registers `toolweave call`. */
export function addCall(program: Command, { io, output, end }: CommandContext): void {
  withStore(withPolicy(withToolOptions(program.command("call"))))
    .summary("call a tool")
    .description(
      "Calls one tool and prints its answer. Calls that may change something ask first, on a terminal; elsewhere they are put aside and answered with `toolweave approvals`.",
    )
    .argument("<tool>", "its name, as `toolweave inspect` prints it")
    .argument("[key=value...]", argumentsHelp)
    .option("--args <json|@file|->", "all arguments as one JSON object, from a file or from stdin")
    .option("--yes", "approve the call without asking")
    .option("--output <file>", outputHelp)
    .option("--json", "print the whole outcome as JSON")
    .option("--verbose", "say also what led to an error")
    .addHelpText("after", callExamples + exitCodeHelp)
    .action(async (tool: string, words: readonly string[], options: CallOptions) => {
      const { call } = await import("./run.ts");
      end(await call(tool, words, options, io, output));
    });
}
