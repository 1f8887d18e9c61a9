import { Option, type Command } from "commander";
import type { CliIo } from "../../process/cli-io.ts";
import { UsageError, exitCode, exitCodesHelp } from "../../process/exit-code.ts";
import type { CommandContext, Output } from "../../process/output.ts";
import { scripts, shells } from "./scripts.ts";

const completionExamples = `
Examples:
  $ toolweave completion bash >> ~/.bashrc
  $ toolweave completion fish > ~/.config/fish/completions/toolweave.fish
  $ source <(toolweave completion zsh)              # in ~/.zshrc, after compinit
  $ toolweave completion powershell | Out-String | Invoke-Expression    # in $PROFILE

Completes commands, options, their values, and names of tools: those of a document that is named
before, otherwise those of toolweave.lock.json, or of the documents of a trusted toolweave.json that
are files. Completion starts no program, runs no module and sends no request.
`;

/** Registers `toolweave completion`. */
export function addCompletion(program: Command, { io, output, end }: CommandContext): void {
  program
    .command("completion")
    .summary("print the completion script of a shell")
    .description("Prints a script that completes commands, options and names of tools with Tab.")
    .argument("[shell]", shells.join(", "))
    .argument("[words...]")
    .addOption(new Option("--candidates <current>").hideHelp())
    .addHelpText("after", completionExamples + exitCodesHelp({}))
    .action(
      async (
        first: string | undefined,
        others: readonly string[],
        { candidates }: { readonly candidates?: string },
      ) => {
        const words = first === undefined ? [] : [first, ...others];
        if (candidates === undefined) await printScript(words, output);
        else await printCandidates(program, words, candidates, io, output);
        end(exitCode.completed);
      },
    );
}

async function printScript(words: readonly string[], output: Output): Promise<void> {
  const shell = shells.find((name) => name === words[0]);
  if (shell === undefined || words.length > 1) {
    throw new UsageError(`Name one shell: ${shells.join(", ")}.`);
  }
  await output.write(scripts[shell]);
}

/** Prints the candidates for a script. Whatever fails, a Tab prints no error. */
async function printCandidates(
  program: Command,
  words: readonly string[],
  current: string,
  io: CliIo,
  output: Output,
): Promise<void> {
  const { listCandidates } = await import("./candidates.ts");
  const candidates = await listCandidates(program, words, current, async (sources) => {
    const { quickToolNames } = await import("./tool-names.ts");
    return quickToolNames(sources, io).catch(() => []);
  });
  for (const { value, description } of candidates) await output.write(`${value}\t${description}\n`);
}
