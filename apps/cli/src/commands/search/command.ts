import type { Command } from "commander";
import { exitCodeHelp } from "../../process/exit-code.ts";
import type { CommandContext } from "../shared/context.ts";
import { parseResultLimit, withPolicy, withToolOptions } from "../shared/options.ts";
import type { SearchOptions } from "./run.ts";

const searchExamples = `
Examples:
  $ toolweave search cancel an invoice --openapi stripe.json
  $ toolweave search 'rotate the ssh keys' --limit 3 --openapi github.json
  $ toolweave search refund --openapi stripe.json --json | jq -r '.tools[].name'
`;

/** Registers `toolweave search`. */
export function addSearch(program: Command, { io, output, end }: CommandContext): void {
  withPolicy(withToolOptions(program.command("search")))
    .summary("find tools by what they are about")
    .description(
      "Lists the tools that are about some words, the best first: name, method and path, what a call does, summary. It looks at names, titles, descriptions, parameters and where tools are from.",
    )
    .argument("<words...>", "what the tool should do")
    .option("--limit <n>", "list at most so many: 1 to 100", parseResultLimit, 10)
    .option("--json", 'print {"tools": [...], "problems": [...], "decisions": {...}}')
    .option("--verbose", "say also what led to an error")
    .addHelpText("after", searchExamples + exitCodeHelp)
    .action(async (words: readonly string[], options: SearchOptions) => {
      const { search } = await import("./run.ts");
      end(await search(words, options, io, output));
    });
}
