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
    .summary("search for tools by keywords")
    .description(
      "Lists the tools that match some words, best match first, with their name, method and path, effect and summary. Searches names, titles, descriptions, parameters and origins.",
    )
    .argument("<words...>", "what the tool should do")
    .option("--limit <n>", "the maximum number of results: 1 to 100", parseResultLimit, 10)
    .option("--json", 'print {"tools": [...], "problems": [...], "decisions": {...}}')
    .option("--verbose", "also print the causes of an error")
    .addHelpText("after", searchExamples + exitCodeHelp)
    .action(async (words: readonly string[], options: SearchOptions) => {
      const { search } = await import("./run.ts");
      end(await search(words, options, io, output));
    });
}
