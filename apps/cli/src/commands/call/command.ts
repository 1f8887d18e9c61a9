import type { Command } from "commander";
import { exitCodesHelp } from "../../process/exit-code.ts";
import type { CommandContext } from "../../process/output.ts";
import {
  argumentsHelp,
  toolHelp,
  outputHelp,
  withPolicy,
  withStore,
  withToolOptions,
} from "../shared/options.ts";
import type { CallOptions } from "./run.ts";

const callExamples = `
Examples:
  $ toolweave call openapi.yaml get_pet id=7
  $ toolweave call openapi.yaml add_pet name=Rex tags=dog tags=big owner.name=Ada --yes
  $ toolweave call openapi.yaml add_pet --args @pet.json --json
  $ toolweave call openapi.yaml add_note text=@note.md
  $ toolweave call github.json list_repos --auth 'bearer:$GITHUB_TOKEN'
  $ toolweave call openapi.yaml add_pet name=Rex --policy rules.json
  $ toolweave call ./tools.ts greet name=Ada
  $ toolweave call memory__read_graph --config toolweave.json
  $ toolweave call librarian task='Which notes are from May?'     # an agent of toolweave.json
  $ toolweave call openapi.yaml get_photo id=7 --output photo.png

A value $NAME of --auth or --header, in single quotes, is read from the environment. The secret then
appears neither in the process list nor in the shell history. Pending calls are stored with their
options, but never with secrets.

Without a terminal, a call that needs approval exits with 3 and prints the commands that approve or
reject it. They work for 24 hours, in any process with the same store and key.
`;

/** Registers `toolweave call`. */
export function addCall(program: Command, { io, output, end }: CommandContext): void {
  withStore(withPolicy(withToolOptions(program.command("call"))))
    .summary("call a tool")
    .description(
      "Calls one tool and prints its result. A call that may change something asks for approval first, on a terminal. Without a terminal it is stored, and answered with `toolweave approvals`.",
    )
    .usage("[options] [source...] <tool> [key=value...]")
    .argument("<tool>", toolHelp)
    .argument("[key=value...]", argumentsHelp)
    .option("--args <json|@file|->", "all arguments as one JSON object, from a file or from stdin")
    .option("--yes", "approve the call without asking")
    .option("--output <file>", outputHelp)
    .option("--json", "print the complete outcome as JSON")
    .addHelpText(
      "after",
      callExamples +
        exitCodesHelp({
          1: "the tool returned an error or no result; the store of approvals is unavailable",
          3: "the call was denied or rejected, or needs approval, or the configuration in this folder is not trusted; nothing was sent",
          4: "a source could not be loaded; no tool was called",
        }),
    )
    .action(async (tool: string, words: readonly string[], options: CallOptions) => {
      const { call } = await import("./run.ts");
      const { splitCallWords } = await import("../../input/source-words.ts");
      const { sources, ...written } = splitCallWords([tool, ...words], "call");
      end(await call(written.tool, written.words, { ...options, sources }, io, output));
    });
}
